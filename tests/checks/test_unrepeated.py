"""Masks of one row a sequence beside rows for each of its heads, or each of a beam."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEADS = """\
import torch
from einops import rearrange
from torch import nn


class Pooled(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.proj = nn.Linear(dim, dim)
        self.score = nn.Linear(dim // heads, 3)

    def forward(self, x, mask):
        h = self.heads
        kv = rearrange(self.proj(x), "b n (h d) -> ({order}) n d", h=h)
        scores = self.score(kv)
        scores = {line}
        return scores.softmax(1).transpose(1, 2) @ kv


print(Pooled(12, heads=4)(torch.randn(2, 5, 12), torch.ones(2, 5).bool()).shape)
"""
BEAM = """\
import {module}


def score(query, memory, mask):
    scores = (memory @ query[:, :, None])[..., 0]
    return {where}(mask, scores, -1e9)


def search(src, width):
    memory = {memory}
    query = memory.mean(1)
    real = src != 0
    return score(query, memory, real)


print(search({src}, 4).shape)
"""


def alarms(code):
    found = check_source(code.encode(), "x.py", Settings()).findings
    return [each for each in found if each.severity != "note"]


LINES = [
    "scores.masked_fill(~{}[..., None], -1e9)",
    "scores.masked_fill({}.unsqueeze(-1) == 0, -1e9)",
    "torch.where({}[:, :, None], scores, -1e9)",
]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize(
    ("order", "repeated"),
    [("b h", "mask.repeat_interleave(h, dim=0)"), ("h b", "mask.repeat(h, 1)")],
)
def test_heads_in_the_batch_have_a_mask_each(line, order, repeated):
    code = HEADS.format(order=order, line=line.format("mask"))
    (finding,) = alarms(code)
    assert (finding.code, finding.line) == ("ATN110", 17)
    assert (finding.tensor.name, finding.tensor.shape) == ("mask", (2, 5))
    assert finding.expected.shape == (8, 5)
    fixed = f"scores = {line.format(repeated)}"
    assert finding.fix.line == fixed
    with pytest.raises(RuntimeError, match="must match the size"):
        exec(code, {})
    right = code.replace(f"scores = {line.format('mask')}", fixed)
    assert alarms(right) == []
    exec(right, {})


TORCH = {"module": "torch", "where": "torch.where", "src": "torch.ones(2, 5, dtype=torch.long)"}
NUMPY = {"module": "numpy as np", "where": "np.where", "src": "np.ones((2, 5), dtype=int)"}


@pytest.mark.parametrize(
    ("library", "memory", "fixed"),
    [
        (TORCH, "torch.ones(2, 5, 6).repeat(width, 1, 1)", "(src != 0).repeat(width, 1)"),
        (
            TORCH,
            "torch.ones(2, 5, 6).repeat_interleave(width, 0)",
            "(src != 0).repeat_interleave(width, dim=0)",
        ),
        (NUMPY, "np.tile(np.ones((2, 5, 6)), (width, 1, 1))", "np.tile(src != 0, (width, 1))"),
        (NUMPY, "np.repeat(np.ones((2, 5, 6)), width, 0)", "np.repeat(src != 0, width, axis=0)"),
    ],
)
def test_the_mask_is_repeated_where_the_width_of_the_beam_is_known(library, memory, fixed):
    code = BEAM.format(**library, memory=memory)
    (finding,) = alarms(code)
    assert (finding.code, finding.line) == ("ATN110", 12)
    assert (finding.tensor.name, finding.tensor.shape) == ("mask", (2, 5))
    assert finding.expected.shape == (8, 5)
    assert "4 times, as (8, 5) has them" in finding.expected.derivation
    assert finding.fix.line == f"real = {fixed}"
    with pytest.raises((RuntimeError, ValueError)):
        exec(code, {})
    right = code.replace("real = src != 0", f"real = {fixed}")
    assert alarms(right) == []
    exec(right, {})


def test_rows_of_which_nothing_says_that_they_are_copies_are_told_as_they_are():
    memory = "torch.ones(8, 5, 6)"
    (finding,) = alarms(BEAM.format(**TORCH, memory=memory))
    assert finding.fix is None
    assert finding.expected.shape is None
