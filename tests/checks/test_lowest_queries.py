"""ATN305: the state of the lowest of several layers as the query of an attention."""

import pytest
import torch

from attncheck.engine import check_source
from attncheck.settings import Settings

DECODER = """import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.rnn = nn.{layer}
        self.key, self.query = nn.Linear(d, n), nn.Linear(n, n)
        self.score, self.out = nn.Linear(n, 1), nn.Linear(n, d)

    def attend(self, query, memory):
        \"\"\"query (B, n), memory (B, T, d).\"\"\"
        scores = self.score(torch.tanh(self.key(memory) + self.query(query).unsqueeze(1)))
        weights = torch.softmax(scores.squeeze(2), dim=1)
        return (weights.unsqueeze(2) * memory).sum(1)

    def forward(self, words, {given}, memory):
        \"\"\"words (B, 1, d), h ({count}, B, n), memory (B, T, d).\"\"\"
        query = {query}
        context = self.attend(query, memory)
        {step}
        return self.out(out), {given}
"""
GRU = "GRU(2 * d, n, num_layers=2, batch_first=True)"
STEP = "out, h = self.rnn(torch.cat((words, context.unsqueeze(1)), -1), h)"
PAIR = "out, (h, c) = self.rnn(torch.cat((words, context.unsqueeze(1)), -1), (h, c))"


def decoder(query, layer=GRU, given="h", step=STEP, count=2):
    return DECODER.format(query=query, layer=layer, given=given, step=step, count=count)


def found(code):
    """(code, severity, line, fix) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.severity, each.span.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


@pytest.mark.parametrize(
    ("query", "right"),
    [
        ("h[0]", "h[-1]"),
        ("h[0, :, :]", "h[-1, :, :]"),
        ("h[:-1].squeeze(0)", "h[-1:].squeeze(0)"),
        ("h[:1].squeeze(0)", "h[-1:].squeeze(0)"),
        ("h[0:1].squeeze(0)", "h[-1:].squeeze(0)"),
    ],
)
def test_the_lowest_layer_asks(query, right):
    assert found(decoder(query)) == [("ATN305", "warning", 20, f"query = {right}")]
    assert found(decoder(right)) == []


@pytest.mark.parametrize(
    ("layer", "count"),
    [
        ("GRU(2 * d, n, 3, batch_first=True)", 3),
        ("RNN(2 * d, n, num_layers=2, batch_first=True)", 2),
        ("GRU(2 * d, n, num_layers=2, batch_first=True)", "layers"),
    ],
)
def test_other_layers(layer, count):
    assert found(decoder("h[0]", layer, count=count)) == [
        ("ATN305", "warning", 20, "query = h[-1]")
    ]


def test_the_states_of_an_lstm():
    layer = "LSTM(2 * d, n, num_layers=2, batch_first=True)"
    code = decoder("h[0]", layer, "h, c", PAIR)
    assert found(code) == [("ATN305", "warning", 20, "query = h[-1]")]


def test_what_the_message_says():
    (finding,) = check_source(decoder("h[0]").encode(), "x.py", Settings()).findings
    assert finding.message == (
        "`h[0]` is the state of the lowest of the 2 layers of `self.rnn(torch.cat((words,"
        " context.unsqueeze(1)), -1), h)`, and the scores are made of it: what the layers above"
        " have understood asks for nothing; every layer's state has this shape, so nothing raises"
    )
    assert finding.tensor.name == "query"


@pytest.mark.parametrize(
    ("query", "layer", "count"),
    [
        ("h[-1]", GRU, 2),
        ("h[1]", GRU, 2),
        ("h[0] + h[1]", GRU, 2),
        ("h.mean(0)", GRU, 2),
        # One layer, which is the lowest and the top one; or as many as a caller says.
        ("h[0]", "GRU(2 * d, n, batch_first=True)", 1),
        ("h[0]", "GRU(2 * d, n, num_layers=1, batch_first=True)", 1),
        ("h[0]", "GRU(2 * d, n, num_layers=n // d, batch_first=True)", "layers"),
    ],
)
def test_queries_that_are_left_alone(query, layer, count):
    assert found(decoder(query, layer, count=count)) == []


POOLED = """import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.rnn = nn.GRU(d, n, num_layers=2, batch_first=True)
        self.score = nn.Linear(n, 1)

    def forward(self, x):
        \"\"\"x (B, T, d).\"\"\"
        states, last = self.rnn(x)
        weights = torch.softmax(self.score(states).squeeze(2), dim=1)
        first = states[0]
        return (weights.unsqueeze(2) * states).sum(1) + last[0], first
"""


def test_states_that_ask_for_nothing():
    assert found(POOLED) == []


def test_the_layers_above_ask_only_after_the_fix():
    def weights(query):
        scope, seen = {}, []
        exec(decoder(query), scope)
        torch.manual_seed(0)
        model = scope["Decoder"](4, 6)
        model.query.register_forward_hook(lambda module, given, made: seen.append(given[0]))
        words, memory = torch.randn(2, 1, 4), torch.randn(2, 5, 4)
        h = torch.randn(2, 2, 6)
        for top in (h[1], torch.zeros(2, 6)):
            out, _ = model(words, torch.stack((h[0], top)), memory)
            assert out.shape == (2, 1, 4)
        return seen

    one, other = weights("h[0]")
    assert torch.equal(one, other)
    one, other = weights("h[-1]")
    assert not torch.allclose(one, other)
