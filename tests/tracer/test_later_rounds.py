"""Loops whose second round begins with another rank than the first: it is run as it begins."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

DECODER = """
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb)
        self.cell = nn.GRUCell(emb + hid, hid)
        self.out = nn.Linear(hid, vocab)

    def step(self, token, h, memory):
        weights = torch.softmax((memory * h.unsqueeze(1)).sum(-1), dim=1)
        context = (weights.unsqueeze(-1) * memory).sum(1)
        h = self.cell(torch.cat([self.embedding(token), context], dim=1), h)
        return self.out(h), h

    def greedy(self, memory, h):
        b, t, d = memory.shape
        token = torch.full((b,), 1)
        for _ in range(20):
            logits, h = self.step(token, h, memory)
            token = {next}
        return token
"""


def findings(text):
    found = check_source(text.encode(), "decoder.py", Settings()).findings
    return [each for each in found if each.severity != "note"]


def test_what_the_second_round_cannot_take_is_told_where_the_first_one_makes_it():
    wrong = DECODER.format(next="logits.argmax(dim=1, keepdim=True)")
    (finding,) = findings(wrong)
    assert (finding.code, wrong.splitlines()[finding.line - 1].strip()) == (
        "ATN106",
        "token = logits.argmax(dim=1, keepdim=True)",
    )
    when = "where `token` is (context_0, 1): it begins as (context_0,)"
    assert f"from the second round of the loop on, {when}" in finding.message
    assert finding.fix.line == "token = logits.argmax(dim=1)"
    assert finding.tensor.name == "token"
    assert finding.tensor.shape == ("context_0", 1)
    assert finding.expected.shape == ("context_0",)


def test_an_axis_that_the_loop_began_with_is_kept():
    column = DECODER.replace("torch.full((b,), 1)", "torch.full((b, 1), 1)")
    column = column.replace(
        "self.embedding(token), context", "self.embedding(token)[:, 0], context"
    )
    (finding,) = findings(column.format(next="logits.argmax(dim=1)"))
    assert (finding.code, finding.line) == ("ATN106", 24)
    assert finding.fix.line == "token = logits.argmax(dim=1, keepdim=True)"
    assert (finding.tensor.shape, finding.expected.shape) == (("context_0",), ("context_0", 1))
    assert findings(column.format(next="logits.argmax(dim=1, keepdim=True)")) == []


@pytest.mark.parametrize(
    "following",
    [
        "logits.argmax(dim=1)",
        "logits.argmax(dim=1, keepdim=True).squeeze(1)",
        "torch.multinomial(logits.softmax(-1), 1).squeeze(1)",
        "logits.topk(1, dim=1)[1].view(-1)",
        "logits.topk(1, dim=1)[1].view(b)",
    ],
)
def test_what_keeps_its_rank_is_left_alone(following):
    assert findings(DECODER.format(next=following)) == []


def test_an_axis_that_is_lost_is_kept():
    text = """
import torch


def smooth(scores, kernel):
    b, t = scores.shape
    x = scores.unsqueeze(1)
    for _ in range(8):
        x = torch.nn.functional.conv1d(x, torch.ones(1, 1, 3), padding=1).mean(1)
        x = torch.softmax(x.transpose(1, 2), dim=1)
    return x
"""
    lines = [(each.code, each.line) for each in findings(text)]
    assert lines == [("ATN104", 10)]  # the first round already: told once, and not as a later one
    assert "second round" not in findings(text)[0].message


@pytest.mark.parametrize(
    "loop",
    [
        # only the first round takes the branch
        """
    for i in range(n):
        if i == 0:
            x = x.reshape(b, t * d)
        x = x * 2
""",
        # squeezed where it has grown
        """
    for i in range(n):
        if i > 0:
            x = x.squeeze(1)
        x = torch.bmm(x, x.transpose(1, 2)).unsqueeze(1)
""",
        # no second round comes
        """
    while x.dim() > 2:
        x = x.permute(0, 2, 1).mean(1)
""",
        # it always ends with the first round
        """
    for i in range(n):
        x = torch.bmm(x, x).mean(1)
        break
""",
        # layers one on top of the other
        """
    for layer in [torch.nn.Flatten(1), torch.nn.Linear(12, 3)]:
        x = layer(x)
""",
    ],
)
def test_what_no_second_round_does_is_not_told(loop):
    text = f"import torch\n\n\ndef f(x, n):\n    b, t, d = x.shape\n{loop}    return x\n"
    assert findings(text) == []


def test_places_picked_of_each_row_are_taken_with_the_number_of_the_row():
    text = """
import torch
from torch import nn


class Pointer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.cell = nn.LSTMCell(dim, dim)

    def forward(self, emb, h, c):
        b, n, d = emb.shape
        x = emb.mean(1)
        for _ in range(n):
            h, c = self.cell(x, (h, c))
            chosen = torch.einsum("bnd,bd->bn", emb, h).softmax(1).argmax(1)
            x = emb[:, chosen]
        return h
"""
    (finding,) = findings(text)
    assert (finding.code, finding.line) == ("ATN104", 15)
    assert finding.fix.line == "x = emb[torch.arange(emb.shape[0]), chosen]"
