"""Gated layers: the projection whose features are cut in two is to give twice as many."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

GATED = """
import torch
import torch.nn.functional as F
from torch import nn


class GatedFeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.up = nn.Linear(dim, {up})
        self.down = nn.Linear({down}, dim)

    def forward(self, x):
        {cut}
        return self.down({product})
"""
HALVES = "value, gate = self.up(x).chunk(2, dim=-1)"


def findings(**parts):
    text = GATED.format(**{"cut": HALVES, "product": "value * F.gelu(gate)"} | parts)
    found = check_source(text.encode(), "gated.py", Settings()).findings
    return [(each.line, each.fix and each.fix.line.strip()) for each in found]


@pytest.mark.parametrize(
    ("parts", "line"),
    [
        ({}, "self.up = nn.Linear(dim, 2 * hidden)"),
        ({"product": "F.silu(gate) * value"}, "self.up = nn.Linear(dim, 2 * hidden)"),
        ({"product": "torch.sigmoid(gate)"}, "self.up = nn.Linear(dim, 2 * hidden)"),
        (
            {"cut": "value, gate, _ = torch.chunk(self.up(x), 3, -1)"},
            "self.up = nn.Linear(dim, 3 * hidden)",
        ),
        (
            {"up": "4 * dim", "down": "4 * dim"},
            "self.up = nn.Linear(dim, 8 * dim)",
        ),
    ],
)
def test_the_projection_before_the_cut_is_to_blame(parts, line):
    assert findings(**{"up": "hidden", "down": "hidden"} | parts) == [(10, line)]


@pytest.mark.parametrize(
    ("up", "down"), [("2 * hidden", "hidden"), ("hidden", "hidden // 2"), ("4 * dim", "2 * dim")]
)
def test_what_fits(up, down):
    assert findings(up=up, down=down) == []


def test_another_size_is_the_fault_of_the_layer_that_takes_it():
    ((line, _),) = findings(up="2 * hidden", down="3 * hidden")
    assert line == 11
