"""ATN303: tensors stacked in front of time and merged with it, read as if they took turns."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import numpy as np
import torch
from torch import nn

class Tokens(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.block = nn.TransformerEncoderLayer(d, 2, batch_first=True)
        self.r, self.s, self.a = nn.Linear(1, d), nn.Linear(5, d), nn.Linear(3, d)
        self.head = nn.Linear(d, 3)
    def forward(self, rtg, states, actions):
        B, T, _ = states.shape
        r, s, a = self.r(rtg), self.s(states), self.a(actions)
        tokens = {}
        x = self.block(tokens)
        return self.head({})

Tokens(8)(torch.ones(4, 7, 1), torch.ones(4, 7, 5), torch.ones(4, 7, 3))
"""
STACK = "torch.stack((r, s, a), dim={}).reshape(B, 3 * T, -1)"


def found(tokens, read="x[:, 1::3]"):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(CODE.format(tokens, read).encode(), "x.py", Settings()).findings
    return [(f.code, f.line, f.fix and f.fix.line) for f in findings if f.severity != "note"]


@pytest.mark.parametrize("read", ["x[:, 1::3]", "x[:, 1::3, :]", "x[:, ::3]"])
def test_read_by_turns(read):
    assert found(STACK.format(1), read) == [("ATN303", 14, f"tokens = {STACK.format(2)}")]
    assert found(STACK.format(2), read) == []


@pytest.mark.parametrize(
    ("tokens", "read"),
    [
        # turned before it is merged, as the first implementation does
        ("torch.stack((r, s, a), dim=1).permute(0, 2, 1, 3).reshape(B, 3 * T, -1)", "x[:, 1::3]"),
        # all of one kind together, and read so
        (STACK.format(1), "x[:, T : 2 * T]"),
        (STACK.format(1), "x.view(B, 3, T, -1)[:, 1]"),
        (STACK.format(1), "x[:, ::2]"),
        (STACK.format(1), "x[:, -1]"),
    ],
)
def test_what_is_right(tokens, read):
    assert [each for each in found(tokens, read) if each[0] == "ATN303"] == []
