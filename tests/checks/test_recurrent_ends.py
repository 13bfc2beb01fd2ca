"""ATN305: the last output of a layer in both directions, and states that change places."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\n"
ENCODER = """
class Encoder(nn.Module):
    def __init__(self, words, d, h):
        super().__init__()
        self.h = h
        self.embed = nn.Embedding(words, d)
        self.rnn = nn.{layer}

    def forward(self, tokens):
        {call}
        {result}
"""
BOTH = "LSTM(d, h, bidirectional=True, batch_first=True)"


def found(code):
    """(code, severity, fix) of every finding."""
    findings = check_source((HEAD + code).encode(), "x.py", Settings()).findings
    return [(each.code, each.severity, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(
    ("layer", "call", "result", "fix"),
    [
        (
            BOTH,
            "out, (h_n, c_n) = self.rnn(self.embed(tokens))",
            "return out[:, -1]",
            "return torch.cat((h_n[-2], h_n[-1]), dim=-1)",
        ),
        (
            "GRU(d, h, 2, bidirectional=True)",
            "out, last = self.rnn(self.embed(tokens).transpose(0, 1))",
            "return out[-1, :, :]",
            "return torch.cat((last[-2], last[-1]), dim=-1)",
        ),
        (BOTH, "out, _ = self.rnn(self.embed(tokens))", "return out[:, -1, :]", None),
    ],
)
def test_the_last_output_of_both_directions(layer, call, result, fix):
    code = ENCODER.format(layer=layer, call=call, result=result)
    assert found(code) == [("ATN305", "warning", fix)]


@pytest.mark.parametrize(
    ("layer", "result"),
    [
        (BOTH, "return out[:, 0]"),
        (BOTH, "return out[:, -1, : self.h]"),
        (BOTH, "return torch.cat((out[:, -1, : self.h], out[:, 0, self.h :]), dim=-1)"),
        (BOTH, "return out.mean(1)"),
        ("LSTM(d, h, batch_first=True)", "return out[:, -1]"),
    ],
)
def test_ends_that_are_right(layer, result):
    call = "out, (h_n, c_n) = self.rnn(self.embed(tokens))"
    assert found(ENCODER.format(layer=layer, call=call, result=result)) == []


DECODER = """
class Decoder(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.cell = nn.{layer}
        self.out = nn.Linear(n, d)

    def forward(self, words, h, c):
        made = []
        for word in words.unbind(dim=1):
            {step}
            made.append(self.out(h))
        return torch.stack(made, dim=1)
"""


@pytest.mark.parametrize(
    ("layer", "step", "fix"),
    [
        ("LSTMCell(d, n)", "c, h = self.cell(word, (h, c))", "h, c = self.cell(word, (h, c))"),
        (
            "LSTM(d, n)",
            "y, (c, h) = self.cell(word[None], (h, c))",
            "y, (h, c) = self.cell(word[None], (h, c))",
        ),
    ],
)
def test_states_that_change_places(layer, step, fix):
    assert found(DECODER.format(layer=layer, step=step)) == [("ATN305", "error", fix)]


@pytest.mark.parametrize(
    ("layer", "step"),
    [
        ("LSTMCell(d, n)", "h, c = self.cell(word, (h, c))"),
        ("LSTMCell(d, n)", "h, _ = self.cell(word, (h, c))"),
        ("LSTM(d, n)", "y, (h, c) = self.cell(word[None], (h, c))"),
        ("GRUCell(d, n)", "h = self.cell(word, h)"),
    ],
)
def test_states_that_stay(layer, step):
    assert found(DECODER.format(layer=layer, step=step)) == []


NAMES = """
class Reader(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.rnn = nn.LSTM(d, h, batch_first=True)

    def forward(self, x):
        {taken} = self.rnn(x)
        return torch.bmm(out, {query}[-1].unsqueeze(2)).squeeze(2)
"""


@pytest.mark.parametrize(
    ("taken", "query", "fixed"),
    [
        ("out, (cell, hidden)", "hidden", "out, (hidden, cell) = self.rnn(x)"),
        ("out, (c_n, h_n)", "h_n", "out, (h_n, c_n) = self.rnn(x)"),
        (
            "out, (final_cell, final_hidden)",
            "final_hidden",
            "out, (final_hidden, final_cell) = self.rnn(x)",
        ),
        ("out, (hidden, cell)", "hidden", None),
        ("out, (h, c)", "h", None),
        ("out, (cell, last)", "last", None),  # names that say nothing of the other one
        ("out, (context, hidden)", "hidden", None),
    ],
)
def test_states_called_by_each_others_names(taken, query, fixed):
    expected = [] if fixed is None else [("ATN305", "warning", fixed)]
    assert found(NAMES.format(taken=taken, query=query)) == expected
