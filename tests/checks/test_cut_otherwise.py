"""ATN303: one axis that is cut in two orders, where pieces of both cuts meet."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = """import torch
from torch import nn
class Pool(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads, self.each = heads, size // heads
        self.query = nn.Parameter(torch.empty(heads, self.each))
    def forward(self, ht):
        b, t, _ = ht.shape
        keys = ht.view(b, t, self.heads, self.each)
        weights = torch.einsum("bthd,hd->bth", keys, self.query).softmax(dim=1)
        values = {values}
        return (values * weights.unsqueeze(2)).sum(dim=1).flatten(1)
"""
NUMPY = """import numpy as np
def attend(x, h):
    B, T, D = x.shape
    d = D // h
    q = x.reshape(B, T, h, d).transpose(0, 2, 1, 3)
    k = {keys}
    scores = q @ k
    w = np.exp(scores - scores.max(-1, keepdims=True))
    return w / w.sum(-1, keepdims=True)
"""
EINOPS = """from einops import rearrange, einsum
def attend(x, h):
    q = rearrange(x, "b n (h d) -> b h n d", h=h)
    k = rearrange({of}, "b n ({cut}) -> b h n d", h=h)
    return einsum(q, k, "b h i d, b h j d -> b h i j").softmax(dim=-1)
"""


def findings(code):
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("code", "line", "wrong", "right"),
    [
        (
            TORCH,
            12,
            {"values": "ht.view(b, t, self.each, self.heads)"},
            {"values": "ht.view(b, t, self.heads, self.each).transpose(2, 3)"},
        ),
        (
            NUMPY,
            6,
            {"keys": "x.reshape(B, T, d, h).transpose(0, 3, 2, 1)"},
            {"keys": "x.reshape(B, T, h, d).swapaxes(2, 3).transpose(0, 3, 2, 1)"},
        ),
        (EINOPS, 4, {"cut": "d h", "of": "x"}, {"cut": "h d", "of": "x"}),
    ],
    ids=["torch", "numpy", "einops"],
)
def test_pieces_of_two_cuts_meet(code, line, wrong, right):
    (finding,) = findings(code.format(**wrong))
    assert (finding.code, finding.line) == ("ATN303", line)
    assert finding.fix.line.strip() == code.format(**right).splitlines()[line - 1].strip()
    assert findings(code.format(**right)) == ()


@pytest.mark.parametrize(
    "code",
    [
        # what is another tensor's: two projections may have their heads where they like
        EINOPS.format(cut="d h", of="y").replace("(x, h)", "(x, y, h)"),
        # rows of an image as windows and as a grid, each put back before they meet
        """from einops import rearrange
def both(x, p):
    block = rearrange(x, "b c (h p) w -> b c h p w", p=p).softmax(3)
    grid = rearrange(x, "b c (p h) w -> b c p h w", p=p).softmax(2)
    block = rearrange(block, "b c h p w -> b c (h p) w")
    return block + rearrange(grid, "b c p h w -> b c (p h) w")
""",
        # pairs of features that are neighbours, and halves: no piece of one meets one of the other
        """import torch
def rotate(x):
    b, n, d = x.shape
    near = x.reshape(b, n, d // 2, 2).sum(dim=-1)
    far = x.reshape(b, n, 2, d // 2).sum(dim=2)
    return torch.cat([near, far], dim=-1)
""",
    ],
    ids=["projections", "windows and grid", "pairs"],
)
def test_two_orders_that_are_meant(code):
    assert findings(code) == ()
