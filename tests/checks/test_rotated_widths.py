"""ATN108: rotary halves of a width that is split into heads afterwards, and what is right."""

import pytest
import torch

from attncheck.engine import check_source
from attncheck.settings import Settings

MODULE = """import torch
from einops import rearrange
from torch import nn

{rotate}

def angles(n, d):
    t = torch.outer(torch.arange(n).float(), 10000.0 ** (-torch.arange(0, d, 2) / d))
    return {table}

class Attention(nn.Module):
    def __init__(self, width, n_heads):
        super().__init__()
        self.n_heads, self.d_head = n_heads, width // n_heads
        self.width = width
        self.w_q, self.w_k = nn.Linear(width, width), nn.Linear(width, width)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.n_heads, self.d_head).transpose(1, 2)

    def forward(self, x):
        B, T, width = x.shape
        q, k = self.w_q(x), self.w_k(x)
        {body}
        return torch.softmax(q @ k.transpose(-2, -1) / self.d_head**0.5, dim=-1)
"""
CHUNKS = """def rotate(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)"""
SLICES = """def rotate(x):
    half = x.shape[-1] // 2
    return torch.cat([-x[..., half:], x[..., :half]], -1)"""
NEIGHBOURS = """def rotate(x):
    return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)"""
TWICE, BESIDE = "torch.cat((t, t), dim=-1)", "t.repeat_interleave(2, dim=-1)"
WIDE = "t = angles(T, self.width)"
ROTATED = "q, k = q * t.cos() + rotate(q) * t.sin(), k * t.cos() + rotate(k) * t.sin()"


def code_of(lines, rotate=CHUNKS, table=TWICE):
    return MODULE.format(rotate=rotate, table=table, body="\n        ".join(lines))


def found(lines, rotate=CHUNKS, table=TWICE):
    code = code_of(lines, rotate, table)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return {
        (each.code, each.severity, code.splitlines()[each.line - 1].strip())
        for each in findings
        if each.code != "ATN506"  # of the scale where nothing is split
    }


@pytest.mark.parametrize("rotate", [CHUNKS, SLICES])
@pytest.mark.parametrize(
    "split",
    [
        "q, k = self.split(q), self.split(k)",
        "q = q.reshape(B, T, self.n_heads, self.d_head).transpose(1, 2); k = self.split(k)",
        "q, k = [y.view(B, T, self.n_heads, self.d_head).transpose(1, 2) for y in (q, k)]",
        "q = rearrange(q, 'b t (h d) -> b h t d', d=self.d_head); k = self.split(k)",
        "q = q.unflatten(-1, (self.n_heads, -1)).transpose(1, 2); k = self.split(k)",
    ],
)
def test_heads_are_split_after_the_rotation(rotate, split):
    assert found([WIDE, ROTATED, split], rotate) == {("ATN108", "warning", ROTATED)}


def test_the_rotation_in_a_function():
    lines = [WIDE, "q, k = turned(q, t), turned(k, t)", "q, k = self.split(q), self.split(k)"]
    turned = "def turned(x, t):\n    return x * t.cos() + rotate(x) * t.sin()"
    assert found(lines, f"{CHUNKS}\n{turned}") == {("ATN108", "warning", lines[1])}


RIGHT = [
    # split first
    ["q, k = self.split(q), self.split(k)", "t = angles(T, self.d_head)", ROTATED],
    # the features of a head are every n_heads-th: both halves of a pair are one head's
    [
        WIDE,
        ROTATED,
        "q = q.view(B, T, self.d_head, self.n_heads).permute(0, 3, 1, 2)",
        "k = k.view(B, T, self.d_head, self.n_heads).permute(0, 3, 1, 2)",
    ],
    # one head of all features
    [WIDE, ROTATED],
    # the heads are put into the batch: the features are no more split
    [
        "q, k = self.split(q), self.split(k)",
        "t = angles(T, self.d_head)",
        ROTATED,
        "q, k = q.reshape(-1, T, self.d_head), k.reshape(-1, T, self.d_head)",
    ],
    # the sequence is cut into blocks
    [WIDE, ROTATED, "q, k = q.view(B, T // 8, 8, width), k.view(B, T // 8, 8, width)"],
]


@pytest.mark.parametrize("lines", RIGHT)
def test_pairs_that_stay_together(lines):
    assert found(lines) == set()


def test_neighbours_stay_in_one_head():
    lines = [WIDE, ROTATED, "q, k = self.split(q), self.split(k)"]
    assert found(lines, NEIGHBOURS, BESIDE) == set()


def relative(lines, rotate=CHUNKS, table=TWICE):
    """Whether scores depend on the distance alone where all positions hold the same."""
    scope = {}
    exec(code_of(lines, rotate, table), scope)
    torch.manual_seed(0)
    scores = scope["Attention"](16, 2)(torch.randn(1, 1, 16).expand(1, 8, 16)).log()
    steps = scores[..., 1:] - scores[..., :-1]
    return torch.allclose(steps[..., 1:, 1:], steps[..., :-1, :-1], atol=1e-4)


def test_what_is_told_is_so():
    after = [WIDE, ROTATED, "q, k = self.split(q), self.split(k)"]
    assert not relative(after)
    assert relative(after, NEIGHBOURS, BESIDE)
    assert relative(RIGHT[0])
    assert relative(RIGHT[1])
