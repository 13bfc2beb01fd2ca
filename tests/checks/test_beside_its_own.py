"""Numbers of heads or channels that meet an axis of the data, though their own axis is there."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEADS = """
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.temperature = nn.Parameter({made})
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x):
        b, t, d = x.shape
        qkv = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv
        scores = q @ k.transpose(-2, -1)
        scores = {scored}
        return scores.softmax(-1) @ v
"""
CHANNELS = """
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, 3, padding=1)
        self.bias = nn.Parameter({made})

    def forward(self, x):
        batch, channels, length = x.shape
        return torch.sigmoid(self.conv(x) + self.bias)
"""
RELATED = """
import torch


def normalised(adjacency, x):
    degree = (adjacency @ x).sum(-1)
    return {scaled}
"""


def findings(text):
    found = check_source(text.encode(), "heads.py", Settings()).findings
    return [(each.code, each.fix and each.fix.line.strip()) for each in found]


@pytest.mark.parametrize(
    ("made", "scored", "line"),
    [
        (
            "torch.ones(heads)",
            "scores * self.temperature",
            "scores = scores * self.temperature[:, None, None]",
        ),
        (
            "torch.ones(heads)",
            "self.temperature * scores",
            "scores = self.temperature[:, None, None] * scores",
        ),
        (
            "torch.ones(heads)",
            "scores / self.temperature.exp()",
            "scores = scores / self.temperature.exp()[:, None, None]",
        ),
    ],
)
def test_a_number_for_each_head(made, scored, line):
    assert findings(HEADS.format(made=made, scored=scored)) == [("ATN202", line)]


@pytest.mark.parametrize(
    ("made", "scored"),
    [
        ("torch.ones(heads, 1, 1)", "scores * self.temperature"),
        ("torch.ones(heads)", "scores * self.temperature[:, None, None]"),
        ("torch.ones(heads)", "scores * self.temperature.view(1, -1, 1, 1)"),
        ("torch.ones(1)", "scores * self.temperature"),
        ("torch.ones(())", "scores * self.temperature"),
    ],
)
def test_heads_that_meet_heads(made, scored):
    assert findings(HEADS.format(made=made, scored=scored)) == []


@pytest.mark.parametrize(
    ("made", "codes"),
    [
        ("torch.zeros(channels)", ["ATN202"]),
        ("torch.zeros(channels, 1)", []),
        ("torch.zeros(1, channels, 1)", []),
    ],
)
def test_a_number_for_each_channel(made, codes):
    assert [code for code, _ in findings(CHANNELS.format(made=made))] == codes


@pytest.mark.parametrize(
    "scaled",
    ["adjacency / degree", "adjacency / degree[:, None]", "adjacency / degree.unsqueeze(0)"],
)
def test_a_square_of_the_data_may_be_scaled_either_way(scaled):
    assert findings(RELATED.format(scaled=scaled)) == []
