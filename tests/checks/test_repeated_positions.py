"""ATN101: keys of grouped queries that are repeated along their positions and not their heads."""

import pytest

torch = pytest.importorskip("torch")

from attncheck.engine import check_source  # noqa: E402
from attncheck.settings import Settings  # noqa: E402

MODULE = """import torch
import torch.nn as nn

class Attention(nn.Module):
    def __init__(self, d, n_heads, n_kv_heads):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.d_k = n_heads, n_kv_heads, d // n_heads
        self.q = nn.Linear(d, n_heads * self.d_k)
        self.k = nn.Linear(d, n_kv_heads * self.d_k)
        self.v = nn.Linear(d, n_kv_heads * self.d_k)

    def forward(self, x):
        B, T, C = x.shape
        q = self.q(x).view(B, T, self.n_heads, self.d_k).transpose(1, 2)
        k = self.k(x).view(B, T, self.n_kv_heads, self.d_k).transpose(1, 2)
        v = self.v(x).view(B, T, self.n_kv_heads, self.d_k).transpose(1, 2)
        groups = self.n_heads // self.n_kv_heads
        k = {k}
        v = {v}
        y = (q @ k.transpose(-2, -1) / self.d_k ** 0.5).softmax(-1) @ v
        return y.transpose(1, 2).reshape(B, T, C)
"""


def module(k, v):
    return MODULE.format(k=k, v=v)


def found(code):
    return list(check_source(code.encode(), "x.py", Settings()).findings)


def runs(code):
    namespace = {}
    exec(code, namespace)
    try:
        namespace["Attention"](16, 8, 2)(torch.randn(3, 5, 16))
    except RuntimeError:
        return False
    return True


@pytest.mark.parametrize(
    ("repeat", "right"),
    [
        ("{}.repeat_interleave(groups, dim=2)", "{}.repeat_interleave(groups, dim=1)"),
        ("{}.repeat_interleave(groups, -2)", "{}.repeat_interleave(groups, 1)"),
        (
            "torch.repeat_interleave({}, groups, dim=2)",
            "torch.repeat_interleave({}, groups, dim=1)",
        ),
    ],
)
def test_repeats_along_the_positions(repeat, right):
    code = module(repeat.format("k"), repeat.format("v"))
    keys, values = found(code)
    for finding, line, name in ((keys, 18, "k"), (values, 19, "v")):
        assert (finding.code, finding.line, finding.tensor.name) == ("ATN101", line, name)
        assert finding.tensor.shape == ("B", "n_kv_heads", "T", "d//n_heads")
        assert finding.expected.shape == ("B", "n_heads", "T", "d//n_heads")
        assert finding.fix is not None
        assert right.format(name) in finding.fix.line
    assert "on axis 1 there still are n_kv_heads, and they meet n_heads" in keys.message
    fixed = module(right.format("k"), right.format("v"))
    assert found(fixed) == []
    assert (runs(code), runs(fixed)) == (False, True)


@pytest.mark.parametrize(
    "repeat",
    [
        "{}.repeat_interleave(groups, dim=1)",
        "{0}[:, :, None].expand(-1, -1, groups, -1, -1).reshape(B, -1, T, self.d_k)",
        "{}.repeat_interleave(self.n_heads // self.n_kv_heads, 1)",
    ],
)
def test_right_code(repeat):
    code = module(repeat.format("k"), repeat.format("v"))
    assert found(code) == []
    assert runs(code)


def test_features_that_the_rest_was_cut_into():
    code = '''import torch


def tokens(pointers, places, d, wide):
    """pointers (N, B, wide), places (N, B, d)."""
    N, B, _ = pointers.shape
    pointers = pointers.reshape(N, B, wide // d, d).permute(0, 2, 1, 3).flatten(0, 1)
    return pointers + places.repeat_interleave(wide // d, dim=0)
'''
    assert found(code) == []
    namespace = {}
    exec(code, namespace)
    pointers, places = torch.randn(2, 3, 8), torch.randn(2, 3, 4)
    assert namespace["tokens"](pointers, places, 4, 8).shape == (4, 3, 4)
