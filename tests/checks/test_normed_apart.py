"""ATN302: queries and keys normalised over another axis than their product sums over."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """import torch
import torch.nn.functional as F
from torch import nn
class Cosine(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.tau = nn.Parameter(torch.ones(heads, 1, 1))
        self.qkv = nn.Linear(dim, 3 * dim)
    def forward(self, x):
        B, N, C = x.shape
        q, k, v = self.qkv(x).view(B, N, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
"""


def found(*lines):
    code = HEAD + "".join(f"        {line}\n" for line in lines)
    return check_source(code.encode(), "x.py", Settings()).findings


SUM = "return (s * self.tau).softmax(-1) @ v"
MATMUL = "s = q @ k.transpose(-2, -1)"
EINSUM = "s = torch.einsum('bhid,bhjd->bhij', q, k)"
SDPA = "return F.scaled_dot_product_attention(q, k, v)"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("q, k = F.normalize(q), F.normalize(k)", None),
        ("q, k = F.normalize(q, dim=-2), F.normalize(k, dim=2)", None),
        ("q, k = F.normalize(q, 2, 1), F.normalize(k, 2, 1)", "F.normalize(k, 2, -1)"),
        ("q, k = F.normalize(q, p=2), F.normalize(k, p=2)", "F.normalize(k, p=2, dim=-1)"),
        ("q, k = (t / t.norm(dim=1, keepdim=True) for t in (q, k))", "t.norm(dim=-1, keepdim"),
        (
            "q, k = q / (q.norm(dim=2, keepdim=True) + 1e-6), k / k.norm(dim=1, keepdim=True)",
            "q / (q.norm(dim=-1, keepdim=True) + 1e-6), k / k.norm(dim=-1, keepdim=True)",
        ),
        (
            "q, k = q / torch.norm(q, dim=1).unsqueeze(1), F.normalize(k, dim=-1)",
            None,
        ),
    ],
)
@pytest.mark.parametrize("product", [(MATMUL, SUM), (EINSUM, SUM), (SDPA,)])
def test_another_axis(wrong, right, product):
    (finding,) = found(wrong, *product)
    assert (finding.code, finding.severity, finding.line) == ("ATN302", "error", 13)
    assert "compares over axis 3" in finding.message
    if "unsqueeze" not in wrong:  # there its place is wrong as well
        assert (right or "F.normalize(k, dim=-1)") in finding.fix.line
        assert found(finding.fix.line, *product) == ()


def test_each_line_is_told():
    lines = found("q = F.normalize(q)", "k = F.normalize(k)", "q = q * 10.0", MATMUL, SUM)
    assert [(each.line, each.fix.line) for each in lines] == [
        (13, "q = F.normalize(q, dim=-1)"),
        (14, "k = F.normalize(k, dim=-1)"),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ("q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)", MATMUL, SUM),
        ("q, k = F.normalize(q, dim=3), F.normalize(k, dim=3)", SDPA),
        # attention among channels (El-Nouby et al. 2021, XCiT)
        (
            "q, k = F.normalize(q, dim=2), F.normalize(k, dim=2)",
            "return v @ (q.transpose(-2, -1) @ k).softmax(-1).transpose(-2, -1)",
        ),
        (
            "q, k = (F.normalize(t.transpose(-2, -1), dim=-1) for t in (q, k))",
            "s = q @ k.transpose(-2, -1)",
            "return s.softmax(-1) @ v.transpose(-2, -1)",
        ),
        # of length 1, and then scaled by what all heads have
        (
            "q, k = (F.normalize(F.normalize(t, dim=-1)) for t in (q, k))",
            MATMUL,
            SUM,
        ),
        # one side alone
        ("q = F.normalize(q)", MATMUL, SUM),
        # images with their channels in front
        (
            "q, k = (t.transpose(-2, -1).flatten(0, 1) for t in (q, k))",
            "q, k = F.normalize(q), F.normalize(k)",
            "s = torch.einsum('bdi,bdj->bij', q, k)",
            "return s.softmax(-1) @ v.flatten(0, 1)",
        ),
        # no scores: a table of keys by values, a loss
        ("q, k = F.normalize(q), F.normalize(k)", "return k.transpose(-2, -1) @ v, q"),
        ("q, k = F.normalize(q), F.normalize(k)", "return (q * k).sum(-1)"),
    ],
)
def test_what_is_right(lines):
    assert found(*lines) == ()


def test_arrays():
    code = """import jax
import jax.numpy as jnp
def attend(q, k, v):
    '''q (B, H, T, d), k (B, H, S, d), v (B, H, S, d)'''
    q = q / jnp.linalg.norm(q, axis={0}, keepdims=True)
    k = k / jnp.clip(jnp.linalg.norm(k, axis=-1, keepdims=True), 1e-6)
    return jax.nn.softmax(jnp.einsum('bhtd,bhsd->bhts', q, k) * 10, axis=-1) @ v
"""
    assert check_source(code.format(-1).encode(), "x.py", Settings()).findings == ()
    for axis in (1, -2, 0):
        (finding,) = check_source(code.format(axis).encode(), "x.py", Settings()).findings
        assert (finding.code, finding.line) == ("ATN302", 5)
        assert finding.fix.line == "q = q / jnp.linalg.norm(q, axis=-1, keepdims=True)"
