"""ATN202: a branch that comes back with an axis more than it started from, and what has not."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

FLAX = """import jax.numpy as jnp
from flax import linen as nn


class Block(nn.Module):
    dim: int
    heads: int

    @nn.compact
    def __call__(self, x):
        {first}
        d = self.dim // self.heads
        proj = lambda name: nn.DenseGeneral((self.heads, d), name=name)
        q, k, v = proj("q")(x), proj("k")(x), proj("v")(x)
        y = nn.dot_product_attention(q, k, v)
        y = {out}
        return {back}
"""
KNOWN = "B, T, C = x.shape"


def found(code):
    """(code, line, fixed line) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


def flax(out, first="pass", back="x + y"):
    return FLAX.format(out=out, first=first, back=back)


OUT = "nn.DenseGeneral(self.dim{})(y)"


@pytest.mark.parametrize("first", ["pass", KNOWN])
@pytest.mark.parametrize("back", ["x + y", "y + x", "x + nn.Dropout(0.1, deterministic=True)(y)"])
@pytest.mark.parametrize(
    ("given", "fixed"),
    [
        ("", ", axis=(-2, -1)"),
        (", axis=-1", ", axis=(-2, -1)"),
        (", axis=(-1,)", ", axis=(-2, -1)"),
        (", -1, name='out'", ", (-2, -1), name='out'"),
    ],
)
def test_heads_that_a_projection_leaves(first, back, given, fixed):
    code = flax(OUT.format(given), first, back)
    ((kind, line, fix),) = found(code)
    assert (kind, line) == ("ATN202", 17)
    assert fix == "y = " + OUT.format(fixed)
    assert found(code.replace(OUT.format(given), OUT.format(fixed))) == []


def test_the_message_of_an_input_of_unknown_rank():
    (finding,) = check_source(flax(OUT.format("")).encode(), "x.py", Settings()).findings
    assert finding.message == (
        "`x + y` lines up (..., x_last3, x_last1) with (..., x_last3, heads, dim) by position, not"
        " by meaning: x_last3 meets heads, though both have the axis x_last3"
    )
    assert finding.severity == "error"


@pytest.mark.parametrize(
    ("out", "back"),
    [
        (OUT.format(", axis=(-2, -1)"), "x + y"),
        (OUT.format(""), "x[..., None, :] + y"),
        (OUT.format(""), "x + y.mean(-2)"),
        (OUT.format(""), "y"),
        ("y.sum(-2, keepdims=True)", "x + nn.Dense(self.dim)(y)[..., 0, :]"),
        ("nn.Dense(self.dim)(y.reshape(*x.shape[:-1], -1))", "x + y"),
    ],
)
def test_axes_that_are_left_for_a_reason(out, back):
    assert found(flax(out, KNOWN, back)) == []


TORCH = """import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size, dim, heads):
        super().__init__()
        self.dim, self.heads, self.d = dim, heads, dim // heads
        self.value = nn.Linear(size, dim)
        self.out = nn.Linear({}, size{})

    def forward(self, x, bias):
        B, T, _ = x.shape
        v = self.value(x).view(B, T, self.heads, self.d)
        {}
"""


@pytest.mark.parametrize("back", ["return x + self.out(v)", "return self.out(v) * x"])
def test_heads_that_are_projected_one_by_one(back):
    assert found(TORCH.format("dim // heads", " // 2 * 2", back)) == [("ATN202", 15, None)]


@pytest.mark.parametrize(
    ("size", "back"),
    [
        ("dim", "return x + self.out(v.flatten(2))"),
        ("dim // heads", "return x[:, :, None] + self.out(v)"),
        ("dim // heads", "return bias + self.out(v)"),
        ("dim // heads", "return x[:1, :1] + self.out(v)"),
    ],
)
def test_sums_with_heads(size, back):
    assert found(TORCH.format(size, "", back)) == []
