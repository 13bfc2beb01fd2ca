"""ATN303 in einops: patterns whose names contradict those before, and patterns that may differ."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """import torch
from torch import nn
from einops import rearrange
class Attention(nn.Module):
    def __init__(self, d, heads=4):
        super().__init__()
        self.heads, self.qkv = heads, nn.Linear(d, 3 * d)
    def forward(self, x):
        B, T, d = x.shape
"""


def found(*lines):
    """(code, line in `lines`, fix) of every finding."""
    code = HEAD + "".join(f"        {line}\n" for line in lines)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line - 9, each.fix and each.fix.line) for each in findings]


SPLITS = [
    (
        "q, k, v = self.qkv(x).chunk(3, dim=-1)",
        "q = rearrange(q, 'b n (h d) -> b h n d', h=self.heads)",
        "k = rearrange(k, 'b n (h d) -> b h n d', h=self.heads)",
        "v = rearrange(v, 'b n (h d) -> b h n d', h=self.heads)",
    ),
    (
        "parts = self.qkv(x).chunk(3, dim=-1)",
        "split = lambda t: rearrange(t, 'b n (h d) -> b h n d', h=self.heads)",
        "q, k, v = map(split, parts)",
        "pass",
    ),
]
OUT = "out = (q @ k.transpose(-1, -2)).softmax(dim=-1) @ v"
MERGE = "return rearrange(out, 'b {} d -> b n (h d)')"


@pytest.mark.parametrize("split", SPLITS)
def test_names_exchanged(split):
    assert found(*split, OUT, MERGE.format("n h")) == [("ATN303", 6, MERGE.format("h n"))]
    assert found(*split, OUT, MERGE.format("h n")) == []


@pytest.mark.parametrize("split", SPLITS)
def test_a_transpose_takes_the_names_along(split):
    assert found(*split, OUT, "out = out.transpose(1, 2)", MERGE.format("n h")) == []


def test_a_loop_that_turns_its_axes():
    lines = (
        "y = x.unsqueeze(1).expand(B, self.heads, T, d)",
        "for _ in range(2):",
        "    y = rearrange(y, 'b r c d -> b c r d').contiguous()",
        "    y = rearrange(y, 'b r c d -> (b r) c d')",
        "    y = rearrange(y, '(b r) c d -> b c r d', b=B)",
        "return y",
    )
    assert [each for each in found(*lines) if each[1] not in (4, 5)] == []


def test_other_names_in_another_function():
    lines = (
        "y = rearrange(x, 'b n d -> b d n')",
        "return turn(y)",
        "",
    )
    code = HEAD + "".join(f"        {line}\n" for line in lines)
    code += "def turn(y):\n    return rearrange(y, 'b n d -> b d n')\n"
    assert check_source(code.encode(), "x.py", Settings()).findings == ()
