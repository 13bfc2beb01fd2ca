"""ATN303: einops patterns that take a merged axis apart in another order."""

import einops
import numpy as np
import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """from einops import rearrange
from torch import nn
class Axial(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.attn = nn.MultiheadAttention(d, heads, batch_first=True)
    def forward(self, x):
        b, t, n, c = x.shape
        y = rearrange(x, "{merged}")
        y = self.attn(y, y, y, need_weights=False)[0]
        return rearrange(y, "{split}", {given})
"""


def found(merged, split, given="b=b"):
    code = CODE.format(merged=merged, split=split, given=given)
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("merged", "wrong", "right", "given"),
    [
        ("b t n c -> (b n) t c", "(n b) t c -> b t n c", "(b n) t c -> b t n c", "b=b"),
        ("b t n c -> (b n) t c", "( n  b ) t c -> b t n c", "(b n) t c -> b t n c", "b=b, n=n"),
        ("b t n c -> (n b) t c", "(b n) t c -> b t n c", "(n b) t c -> b t n c", "b=b"),
    ],
)
def test_taken_apart_otherwise(merged, wrong, right, given):
    (finding,) = found(merged, wrong, given)
    assert (finding.code, finding.line) == ("ATN303", 11)
    assert finding.fix is not None and f'"{right}"' in finding.fix.line
    assert found(merged, right, given) == ()


def test_what_einops_does():
    x = np.arange(2 * 3 * 4 * 1).reshape(2, 3, 4, 1)
    merged = einops.rearrange(x, "b t n c -> (b n) t c")
    assert (einops.rearrange(merged, "(b n) t c -> b t n c", b=2) == x).all()
    assert (einops.rearrange(merged, "(n b) t c -> b t n c", b=2) != x).any()


def test_three_parts():
    (finding,) = found("b t n c -> (b t n) c", "(n t b) c -> b t n c", "b=b, t=t")
    assert finding.code == "ATN303" and '"(b t n) c -> b t n c"' in finding.fix.line


@pytest.mark.parametrize(
    ("merged", "split", "given"),
    [
        ("b t n c -> (b n) t c", "(b m) t c -> b t m c", "b=b"),  # another name for n
        ("b t n c -> (b n) t c", "(k b) t c -> b t k c", "k=2"),  # in groups of another size
    ],
)
def test_what_is_not_told(merged, split, given):
    assert found(merged, split, given) == ()
