"""ATN303: pieces of an axis that are put together in another order than they were cut in."""

import pytest
import torch
from einops import rearrange

from attncheck.engine import check_source
from attncheck.settings import Settings

PATTERNS = """import torch
from einops import rearrange
from torch import nn
class Layer(nn.Module):
    def __init__(self, d, heads, p=7):
        super().__init__()
        self.p = p
        self.conv = nn.Conv2d(d, d, 3, padding=1)
        self.attn = nn.MultiheadAttention(d, heads, batch_first=True)
    def forward(self, x):
        p = self.p
        b, d, h, w = x.shape
        x = x + self.conv(x)
"""

VIEWS = """import torch
from torch import nn
def cut(x, g):
    B, H, W, C = x.shape
    x = x.view(B, {cut}, C)
    return x.permute(0, {order}, 5).contiguous().view(-1, g * g, C)
def put_back(w, g, H, W):
    C = w.shape[-1]
    x = w.view(-1, H // g, W // g, g, g, C)
    return x.permute(0, {back}, 5).contiguous().view(-1, H, W, C)
class Layer(nn.Module):
    def __init__(self, dim, heads, g):
        super().__init__()
        self.g = g
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
    def forward(self, x):
        B, H, W, C = x.shape
        w = cut(x, self.g)
        w = self.attn(w, w, w)[0]
        return put_back(w, self.g, H, W)
"""


def findings(code):
    return check_source(code.encode(), "x.py", Settings()).findings


def layer(*lines):
    return PATTERNS + "".join(f"        {line}\n" for line in lines)


SIZES = "p1=p, p2=p"
ATTEND = "y = self.attn(y, y, y)[0]"


@pytest.mark.parametrize(
    ("cut", "wrong", "right"),
    [
        ("(p1 x) (p2 y)", "(x p1) (y p2)", "(p1 x) (p2 y)"),
        ("(x p1) (y p2)", "(p1 x) (p2 y)", "(x p1) (y p2)"),
    ],
)
def test_rows_and_columns_change_places(cut, wrong, right):
    def code(back):
        return layer(
            f'y = rearrange(x, "b d {cut} -> (b x y) (p1 p2) d", {SIZES})',
            ATTEND,
            f'return rearrange(y, "(b x y) (p1 p2) d -> b d {back}", b=b, x=h//p, p1=p, p2=p)',
        )

    (finding,) = findings(code(wrong))
    assert (finding.code, finding.line, str(finding.severity)) == ("ATN303", 16, "error")
    assert f'"(b x y) (p1 p2) d -> b d {right}"' in finding.fix.line
    assert findings(code(right)) == ()


@pytest.mark.parametrize(
    ("cut", "order", "wrong", "right"),
    [
        ("g, H // g, g, W // g", "2, 4, 1, 3", "1, 3, 2, 4", "3, 1, 4, 2"),
        ("H // g, g, W // g, g", "1, 3, 2, 4", "3, 1, 4, 2", "1, 3, 2, 4"),
    ],
)
def test_by_views(cut, order, wrong, right):
    (finding,) = findings(VIEWS.format(cut=cut, order=order, back=wrong))
    assert (finding.code, finding.line) == ("ATN303", 10)
    assert f"x.permute(0, {right}, 5)" in finding.fix.line
    assert findings(VIEWS.format(cut=cut, order=order, back=right)) == ()


def test_what_is_put_back_in_order_is_the_whole_axis_again():
    """Windows first, then a grid of the same map: it has no inner order any more."""
    lines = [
        f'y = rearrange(x, "b d (x p1) (y p2) -> (b x y) (p1 p2) d", {SIZES})',
        ATTEND,
        'x = rearrange(y, "(b x y) (p1 p2) d -> b d (x p1) (y p2)", b=b, x=h//p, p1=p, p2=p)',
        f'y = rearrange(x, "b d (p1 x) (p2 y) -> (b x y) (p1 p2) d", {SIZES})',
        ATTEND,
        'return rearrange(y, "(b x y) (p1 p2) d -> b d (p1 x) (p2 y)", b=b, x=h//p, p1=p, p2=p)',
    ]
    assert findings(layer(*lines)) == ()


def test_what_einops_does():
    x = torch.arange(48).view(1, 1, 4, 12)
    cut = rearrange(x, "b d (p1 x) (p2 y) -> b x y p1 p2 d", p1=2, p2=2)
    assert torch.equal(rearrange(cut, "b x y p1 p2 d -> b d (p1 x) (p2 y)"), x)
    assert not torch.equal(rearrange(cut, "b x y p1 p2 d -> b d (x p1) (y p2)"), x)


SHUFFLES = {
    "rows and columns in one pattern": [
        f'return rearrange(x, "b d (p1 x) (p2 y) -> b d (x p1) (y p2)", {SIZES})'
    ],
    "rows and columns in two": [
        f'y = rearrange(x, "b d (p1 x) (p2 y) -> b d x p1 y p2", {SIZES})',
        'return rearrange(y, "b d x p1 y p2 -> b d (x p1) (y p2)")',
    ],
    "rows and columns by views": [
        "y = x.view(b, d, p, h // p, p, w // p).permute(0, 1, 3, 2, 5, 4)",
        "return y.reshape(b, d, h, w)",
    ],
    "channels": [
        "y = x.view(b, p, d // p, h, w).transpose(1, 2)",
        "return y.reshape(b, d, h, w)",
    ],
    "channels that were worked on": [
        "y = x.view(b, p, d // p, h, w).softmax(1).transpose(1, 2)",
        "return y.reshape(b, d, h, w)",
    ],
    "pixels": [
        f'y = rearrange(x, "b (c p1 p2) x y -> b c (x p1) (y p2)", {SIZES}).relu()',
        f'return rearrange(y, "b c (x p1) (y p2) -> b (p1 p2 c) x y", {SIZES})',
    ],
}


@pytest.mark.parametrize("lines", SHUFFLES.values(), ids=SHUFFLES)
def test_shuffles_are_meant(lines):
    assert findings(layer(*lines)) == ()


def test_two_ways_that_a_flag_chooses():
    lines = [
        "if self.grid:",
        f'    y = rearrange(x, "b d (p1 x) (p2 y) -> (b x y) (p1 p2) d", {SIZES})',
        "else:",
        f'    y = rearrange(x, "b d (x p1) (y p2) -> (b x y) (p1 p2) d", {SIZES})',
        ATTEND,
        "if self.grid:",
        "    back = dict(b=b, x=h//p, p1=p, p2=p)",
        '    return rearrange(y, "(b x y) (p1 p2) d -> b d (p1 x) (p2 y)", **back)',
        'return rearrange(y, "(b x y) (p1 p2) d -> b d (x p1) (y p2)", b=b, x=h//p, p1=p, p2=p)',
    ]
    code = layer(*lines).replace("heads, p=7):", "heads, p=7, grid=False):")
    assert findings(code.replace("self.p = p\n", "self.p, self.grid = p, grid\n")) == ()


GROUPED = """import torch
from einops import einsum, rearrange
from torch import nn
class Grouped(nn.Module):
    def __init__(self, dim, heads, groups):
        super().__init__()
        self.heads, self.groups, self.d = heads, groups, dim // heads
        self.q = nn.Linear(dim, heads * self.d)
        self.k = nn.Linear(dim, groups * self.d)
        self.v = nn.Linear(dim, groups * self.d)
        self.o = nn.Linear(heads * self.d, dim)
    def forward(self, x):
        B, T, C = x.shape
        g, h, d = self.groups, self.heads // self.groups, self.d
{lines}
        return self.o(out)
"""
BY_PATTERN = """
        q = rearrange(self.q(x), "b n ({cut} d) -> b g h n d", g=g, h=h)
        k = rearrange(self.k(x), "b s (g d) -> b g s d", g=g)
        v = rearrange(self.v(x), "b s (g d) -> b g s d", g=g)
        w = (einsum(q, k, "b g h n d, b g s d -> b g h n s") * d ** -0.5).softmax(dim=-1)
        out = einsum(w, v, "b g h n s, b g s d -> b n g h d")
        out = rearrange(out, "b n g h d -> b n ({back} d)")"""
BY_VIEW = """
        q = self.q(x).view(B, T, {cut}, d).permute(0, {order}, 1, 4)
        k = self.k(x).view(B, T, g, 1, d).permute(0, 2, 3, 4, 1)
        v = self.v(x).view(B, T, g, 1, d).permute(0, 2, 3, 1, 4)
        w = ((q @ k) / d ** 0.5).softmax(dim=-1)
        out = (w @ v).permute(0, 3, {back}, 4)
        out = out.reshape(B, T, h * g * d)"""


@pytest.mark.parametrize(("cut", "other"), [("g h", "h g"), ("h g", "g h")])
def test_heads_of_groups_by_patterns(cut, other):
    def code(back):
        return GROUPED.format(lines=BY_PATTERN.format(cut=cut, back=back))

    (finding,) = findings(code(other))
    assert (finding.code, finding.line, str(finding.severity)) == ("ATN303", 21, "warning")
    assert f'"b n g h d -> b n ({cut} d)"' in finding.fix.line
    assert findings(code(cut)) == ()


@pytest.mark.parametrize(
    ("cut", "order", "right", "wrong"),
    [("g, h", "2, 3", "1, 2", "2, 1"), ("h, g", "3, 2", "2, 1", "1, 2")],
)
def test_heads_of_groups_by_views(cut, order, right, wrong):
    def code(back):
        return GROUPED.format(lines=BY_VIEW.format(cut=cut, order=order, back=back))

    (finding,) = findings(code(wrong))
    assert finding.code == "ATN303" and f"permute(0, 3, {right}, 4)" in finding.fix.line
    assert findings(code(right)) == ()
