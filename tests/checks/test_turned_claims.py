"""Comments whose axes are those of the tensor, in another order."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEADS = """
import torch


def attend(q, k, v, heads):
    b, t, d = q.shape
    n = k.shape[1]
    q = q.view(b, t, heads, d // heads)  # (B, T, H, D)
    k = k.view(b, n, heads, d // heads)  # (B, N, H, D)
    q = q.permute({order})  # {claim}
    k = k.transpose(1, 2)  # (B, H, N, D)
    return q, k, v
"""
DECODER = """
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.embed = nn.Embedding(vocab, emb)
        self.gru = nn.GRU(emb, hid)

    def forward(self, token, h, memory):
        x = self.embed(token)  # (1, B, N)
        out, h = self.gru(x, h)
        weights = (memory * out.transpose(0, 1)).sum(-1).softmax(-1)
        context = weights.unsqueeze(1).bmm(memory)  # (B, 1, N)
        context = {moved}  # (1, B, N)
        return context, h
"""


def findings(text):
    found = check_source(text.encode(), "heads.py", Settings()).findings
    return [each for each in found if each.severity != "note"]


@pytest.mark.parametrize(
    ("order", "claim", "own"),
    [
        ("0, 2, 3, 1", "(B, H, T, D)", "(B, H, D, T)"),
        ("0, 3, 1, 2", "(B, H, T, D)", "(B, D, T, H)"),
        ("0, 2, 1, 3", "(B, H, D, T)", "(B, H, T, D)"),
        ("0, 2, 1, 3", "(H, B, T, D)", "(B, H, T, D)"),
    ],
)
def test_axes_in_another_order(order, claim, own):
    (found,) = findings(HEADS.format(order=order, claim=claim))
    assert (found.code, found.line) == ("ATN601", 10)
    assert found.message.endswith(f"what the other comments here call {own}")
    assert found.fix is not None
    assert own in found.fix.line


@pytest.mark.parametrize(
    ("order", "claim"),
    [
        ("0, 2, 1, 3", "(B, H, T, D)"),
        # names that no other comment has, or that mean another axis there
        ("0, 2, 3, 1", "(B, H, S, E)"),
        ("0, 2, 1, 3", "(B, H, N, D)"),
        ("0, 2, 3, 1", "(batch, heads, positions, width)"),
        # what is not listed axis by axis
        ("0, 2, 3, 1", "(B, H, T*D, 1)"),
        ("0, 2, 3, 1", "(B, ..., T)"),
        ("0, 2, 3, 1", "moves the heads"),
    ],
)
def test_what_is_no_other_order(order, claim):
    assert findings(HEADS.format(order=order, claim=claim)) == []


@pytest.mark.parametrize(
    ("moved", "expected"),
    [
        ("context.transpose(0, 1)", []),
        ("context.transpose(1, 2)", [("ATN601", "(B, N, 1)")]),
        ("context.permute(2, 0, 1)", [("ATN601", "(N, B, 1)")]),
        ("context.squeeze(1).unsqueeze(0)", []),
    ],
)
def test_one_name_for_two_sizes_still_tells_axes_that_are_moved(moved, expected):
    found = findings(DECODER.format(moved=moved))
    assert [(each.code, each.message.rpartition("call ")[2]) for each in found] == expected


def test_nothing_is_said_behind_what_cannot_work():
    text = HEADS.format(order="0, 2, 3, 1", claim="(B, H, T, D)")
    broken = text.replace(
        "    q = q.permute", "    torch.ones(2, 3) + torch.ones(4)\n    q = q.permute"
    )
    assert [each.code for each in findings(broken)] == ["ATN110"]
