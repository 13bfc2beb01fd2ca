"""ATN506: roots that the order of operations breaks, ``scores / d ** 1/2``."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """import math
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
"""
ATTEND = """def attend(q, k, v):
    \"\"\"q (B, T, d), k (B, S, d), v (B, S, d).\"\"\"
    d = q.shape[-1]
    {}
    return torch.softmax(scores, dim=-1) @ v
"""
PLAIN = "scores = q @ k.transpose(1, 2)"


def found(code):
    """(code, line, fix) of every finding but notes."""
    findings = check_source((HEAD + code).encode(), "x.py", Settings()).findings
    return [(f.code, f.line, f.fix and f.fix.line) for f in findings if f.severity != "note"]


@pytest.mark.parametrize(
    ("line", "fixed"),
    [
        (f"{PLAIN} / d ** 1/2", f"{PLAIN} / d ** 0.5"),
        (f"{PLAIN} / d**1/2", f"{PLAIN} / d**0.5"),
        (f"{PLAIN} / d ** 1./2", f"{PLAIN} / d ** 0.5"),
        (f"{PLAIN} / d ** (1)/2", f"{PLAIN} / d ** 0.5"),
        (f"{PLAIN} / (d ** 1/2)", f"{PLAIN} / (d ** 0.5)"),
        (f"{PLAIN} / q.size(-1) ** 1 / 2.0", f"{PLAIN} / q.size(-1) ** 0.5"),
        (f"{PLAIN} * d ** -1/2", f"{PLAIN} * d ** -0.5"),
        (f"{PLAIN} * (d ** -1/2)", f"{PLAIN} * (d ** -0.5)"),
        (
            "scores = (q / d ** 1/2) @ k.transpose(1, 2)",
            "scores = (q / d ** 0.5) @ k.transpose(1, 2)",
        ),
        (
            "scores = (q * d ** -1/4) @ (k * d ** -0.25).transpose(1, 2)",
            "scores = (q * d ** -0.25) @ (k * d ** -0.25).transpose(1, 2)",
        ),
    ],
)
def test_powers_of_one(line, fixed):
    assert found(ATTEND.format(line)) == [("ATN506", 9, fixed)]
    assert found(ATTEND.format(fixed)) == []


def test_a_factor_of_its_own():
    code = ATTEND.format("scale = d ** 1/2\n    scores = q @ k.transpose(1, 2) / scale")
    assert found(code) == [("ATN506", 9, "scale = d ** 0.5")]
    code = ATTEND.format("scores = q @ k.transpose(1, 2)\n    scores /= d ** 1/2")
    assert found(code) == [("ATN506", 10, "scores /= d ** 0.5")]


MODULE = """class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.scale = {}
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x):
        B, T, dim = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.heads, self.head_dim).permute(2, 0, 3, 1, 4)
        w = (q @ k.transpose(-2, -1) * self.scale).softmax(dim=-1)
        return (w @ v).transpose(1, 2).reshape(B, T, dim)
"""


@pytest.mark.parametrize("made", ["self.head_dim ** -1/2", "1 / (self.head_dim ** 1/2)"])
def test_an_attribute(made):
    ((code, line, _),) = found(MODULE.format(made))
    assert (code, line) == ("ATN506", 10)
    assert found(MODULE.format("self.head_dim ** -0.5")) == []


def test_the_library_s_own_scale():
    code = """def attend(q, k, v):
    \"\"\"q (B, T, d), k (B, S, d), v (B, S, d).\"\"\"
    return F.scaled_dot_product_attention(q, k, v, scale={})
"""
    fixed = "return F.scaled_dot_product_attention(q, k, v, scale=q.shape[-1] ** -0.5)"
    assert found(code.format("q.shape[-1] ** -1/2")) == [("ATN506", 8, fixed)]
    assert found(code.format("q.shape[-1] ** -0.5")) == []


def test_what_the_finding_says():
    (finding,) = check_source(
        (HEAD + ATTEND.format(f"{PLAIN} / d ** 1/2")).encode(), "x.py", Settings()
    ).findings
    assert finding.message == (
        "`q @ k.transpose(1, 2) / d ** 1/2` has no root in it: a power binds tighter than a"
        " division, so that `d` is raised to the power of 1 and the result divided by 2, where"
        " `sqrt(d)` was meant; no shape changes, so nothing raises"
    )


@pytest.mark.parametrize(
    "line",
    [
        f"{PLAIN} / d ** (1/2)",
        f"{PLAIN} / (d ** 1) / 2",
        f"{PLAIN} / d / 2",
        f"{PLAIN} / d ** 0.5 / 2",
        f"{PLAIN} * (d ** -2 / 2)",
        f"{PLAIN} / d ** 1/3",
        "dist = (q[:, :, None] - k[:, None]).abs().sum(-1)\n    scores = dist * 0.3 ** -1/2",
        "sigma = 0.7\n    scores = -((q[:, :, None] - k[:, None]) ** 2).sum(-1) * sigma ** -1/2",
        "gap = (q[:, :, None] - k[:, None]) ** 1\n    scores = -(gap ** 2).sum(-1) / 2",
    ],
)
def test_what_may_be_meant(line):
    assert found(ATTEND.format(line)) == []
