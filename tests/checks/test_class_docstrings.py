"""Shapes that the docstring of a class gives of what its instances are called with."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = '''import torch
from torch import nn
class Attention(nn.Module):
    """Attention that counts what it has read.

    {told}
    """
    def __init__(self, dim, coverage=False):
        super().__init__()
        self.linear_out = nn.Linear(dim, 1)
        if coverage:
            self.linear_cover = nn.Linear(1, dim)
    def forward(self, memory, coverage=None):
        if coverage is not None:
            counted = coverage.reshape(-1).unsqueeze(1)
            memory = memory + {added}
        return self.linear_out(torch.tanh(memory)).softmax(1)
'''
TABLE = "memory    [batch x src_len x dim]\n    coverage  [batch x src_len]"
TOLD = [
    TABLE,
    TABLE.replace(" x ", ", "),
    "memory: (batch, src_len, dim), coverage: (batch, src_len)",
    "* memory: ``(batch, src_len, dim)`` the states\n    * coverage: ``(batch, src_len)``",
    (
        "Inputs: memory, coverage\n"
        "        - **memory** (batch, src_len, dim): tensor of the states\n"
        "        - **coverage** (batch, src_len): tensor of what was read"
    ),
    (
        "Call arguments\n    --------------\n"
        "    memory : Tensor of shape (batch, src_len, dim)\n"
        "    coverage : Tensor of shape (batch, src_len)"
    ),
]


def found(code, name="x.py"):
    findings = check_source(code.encode(), name, Settings()).findings
    return [(each.code, each.span.line, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize("told", TOLD)
def test_rows_that_stay_in_a_line(told):
    code = TORCH.format(told=told, added="self.linear_cover(counted)")
    fixed = "memory = memory + self.linear_cover(counted).view_as(memory)"
    line = code.split("\n").index("            memory = memory + self.linear_cover(counted)") + 1
    assert found(code) == [("ATN110", line, fixed)]
    right = TORCH.format(told=told, added="self.linear_cover(counted).view_as(memory)")
    assert found(right) == []


def test_what_says_when_it_is_hidden():
    code = TORCH.format(told=TABLE, added="self.linear_cover(counted)")
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert "hidden while batch == 1" in finding.message
    assert finding.severity == "error"


def test_rows_of_jax():
    code = '''import jax.numpy as jnp
def attend(memory, coverage, w):
    """memory: (B, T, d), coverage: (B, T), w: (1, d)"""
    return jnp.tanh(memory + {added})
'''
    wrong = code.format(added="coverage.reshape(-1, 1) @ w")
    fixed = "return jnp.tanh(memory + (coverage.reshape(-1, 1) @ w).reshape(memory.shape))"
    assert found(wrong) == [("ATN110", 4, fixed)]
    assert found(code.format(added="(coverage.reshape(-1, 1) @ w).reshape(memory.shape)")) == []
    assert found(code.format(added="coverage[..., None] @ w")) == []


@pytest.mark.parametrize(
    "told",
    [
        "Counts.",
        "memory    [batch x src_len x dim]",
        "coverage  [batch x src_len] if it is given",
        # of what the constructor is given
        "coverage (bool): whether (batch, src_len) is counted",
    ],
)
def test_too_little_is_said(told):
    assert found(TORCH.format(told=told, added="self.linear_cover(counted)")) == []


def test_the_function_says_otherwise():
    code = TORCH.format(told=TABLE, added="self.linear_cover(counted)").replace(
        "coverage=None):\n",
        'coverage=None):\n        """memory: (B, n, dim), coverage: (1, n)"""\n',
    )
    assert found(code) == []


def test_a_docstring_that_does_not_fit():
    """Steps before heads, as the class says, or heads before steps, as the code has them."""
    code = '''import torch
from torch import nn
class Attention(nn.Module):
    """Attention over query: (B, T, H, d), key: (B, S, H, d), value: (B, S, H, d)"""
    def forward(self, query, key, value):
        scores = query @ key.transpose(-2, -1)
        return scores.softmax(-1) @ value
'''
    assert found(code) == []


def test_an_argument_may_be_one():
    code = '''import torch
def repeat(x, n):
    """x: (B, d)"""
    return x + torch.cat([x] * n)
'''
    assert found(code) == []
