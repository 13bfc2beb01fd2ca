"""Transposes of projected and split tensors that are missing, where nothing but luck lets it run.

Positions of an input may be as many as heads, or as features of a head, for all that is known; but
the axis that counts these stands right beside, and meets none of its kind.
"""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

ATTENTION = "nn.functional.scaled_dot_product_attention"
CODE = """\
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim, heads, memory):
        super().__init__()
        self.heads, self.d = heads, dim // heads
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.keys = nn.Parameter(torch.zeros(memory, dim))
        self.write = nn.Linear(dim, memory)
        self.gather = nn.Linear(dim + dim, dim)

    def split(self, x):
        b, n, _ = x.shape
        return x.view(b, n, self.heads, self.d).transpose(1, 2)

    def forward(self, x, y):
        b, n, _ = x.shape
        shape = (b, n, self.heads, self.d)
        q, k, v = self.q(x).view(shape), self.k(x).view(shape), self.v(x).view(shape)
        flat_q, flat_k, flat_v = self.q(x), self.k(x), self.v(x)
        weights = torch.softmax(flat_q @ flat_k.transpose(1, 2), -1)
        by_head = torch.softmax(self.split(flat_q) @ self.split(flat_k).transpose(2, 3), -1)
        first = flat_v[:, 0]
        return {expression}
"""


def findings(expression):
    return check_source(CODE.format(expression=expression).encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("expression", "code", "said"),
    [
        ("flat_q @ flat_k", "ATN102", "contracts dim with n"),
        ("q.transpose(1, 2) @ k.transpose(1, 2)", "ATN102", "contracts dim//heads with n"),
        ("by_head @ self.split(flat_v).transpose(2, 3)", "ATN102", "contracts n with dim//heads"),
        ("by_head @ v", "ATN101", "contracts n with heads"),
        (
            f"{ATTENTION}(self.split(flat_q), self.split(flat_k), v)",
            "ATN101",
            "contracts n with heads",
        ),
        ("self.gather(torch.cat((first, y), 0))", "ATN106", "takes side by side"),
    ],
)
def test_an_axis_that_has_the_size_stands_beside(expression, code, said):
    (finding,) = (each for each in findings(expression) if each.severity == "error")
    assert (finding.code, finding.line) == (code, 26)
    assert said in finding.message


@pytest.mark.parametrize(
    "expression",
    [
        "weights @ flat_v",
        "by_head @ self.split(flat_v)",
        f"{ATTENTION}(self.split(flat_q), self.split(flat_k), self.split(flat_v))",
        # Heads that attend to each other, position by position.
        "torch.softmax(q @ k.transpose(2, 3), -1) @ v",
        # Linear attention: features times features.
        "flat_q @ (flat_k.transpose(1, 2) @ flat_v)",
        "self.split(flat_q) @ (self.split(flat_k).transpose(2, 3) @ self.split(flat_v))",
        # A memory that is written to by weights over its places.
        "torch.softmax(self.write(x), -1).transpose(1, 2) @ flat_v",
        "torch.softmax(flat_q @ self.keys.T, -1) @ self.keys",
        # Features that mix positions, as many as there are.
        "self.write(x).transpose(1, 2) @ y",
        "self.gather(torch.cat((first, y), 1))",
    ],
)
def test_products_that_meet_their_own_axes_are_left_alone(expression):
    assert [each for each in findings(expression) if each.severity == "error"] == []


NAMED = """import math
import numpy as np
import torch

{code}
"""
ATTEND = """def attend(query, key, value, mask=None):
    scores = torch.matmul(query, {key}) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    return torch.matmul(scores.softmax(dim=-1), value)
"""
ARRAYS = """def attend(Q, K, V):
    scores = Q @ {key} / np.sqrt(Q.shape[-1])
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return scores / scores.sum(axis=-1, keepdims=True) @ V
"""
REPEATED = """def repeated(x, n_rep: int):
    batch, kv_heads, length, head_dim = x.shape
    x = x[:, :, None].expand(batch, kv_heads, n_rep, length, head_dim)
    return x.reshape(batch, kv_heads * n_rep, length, head_dim)

def attend(module, query, key, value, attention_mask, scaling):
    keys = repeated(key, module.groups)
    values = repeated(value, module.groups)
    weights = torch.matmul(query, {key}) * scaling
    if attention_mask is not None:
        weights = weights + attention_mask
    weights = torch.softmax(weights, dim=-1).to(query.dtype)
    return torch.matmul(weights, values).transpose(1, 2).contiguous()
"""


def named(code):
    findings = check_source(NAMED.format(code=code).encode(), "x.py", Settings()).findings
    return [(each.code, each.severity, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(
    ("code", "wrong", "right", "line"),
    [
        (
            ATTEND,
            "key",
            "key.transpose(-2, -1)",
            "scores = torch.matmul(query, {}) / math.sqrt(query.size(-1))",
        ),
        (ARRAYS, "K", "K.T", "scores = Q @ {} / np.sqrt(Q.shape[-1])"),
        (
            REPEATED,
            "keys",
            "keys.transpose(-2, -1)",
            "weights = torch.matmul(query, {}) * scaling",
        ),
    ],
)
def test_keys_that_nobody_calls_columns_are_rows(code, wrong, right, line):
    (found,) = named(code.format(key=wrong))
    assert found[:2] == ("ATN102", "warning")
    assert found[2] is not None
    fixed = code.format(key=wrong).replace(line.format(wrong), found[2])
    assert named(fixed) == []
    assert named(code.format(key=right)) == []


@pytest.mark.parametrize(
    "caller",
    [
        # Who calls it may well turn the keys before: of that nothing is known here.
        "def encode(x, split):\n    return attend(split(x), split(x, True), split(x))\n",
        "scores = [attend(*given) for given in load()]\n",
    ],
)
def test_keys_of_a_function_that_is_called_may_be_columns(caller):
    assert named(ATTEND.format(key="key") + caller) == []


LAYER = """class Attention(torch.nn.Module):
    def forward(self, query, key, value):
        weights = torch.bmm(query, key).softmax(dim=-1)
        return torch.bmm(weights, value)
"""


def test_keys_of_a_layer_that_is_made_may_be_columns():
    assert [code for code, _, _ in named(LAYER)] == ["ATN102"]
    assert named(f"{LAYER}\nlayers = [Attention() for _ in range(6)]\n") == []


def test_keys_that_a_docstring_calls_columns():
    told = '    """query (B, T, d), key (B, d, S), value (B, S, d)"""\n'
    head, rest = ATTEND.format(key="key").split("\n", 1)
    assert named(f"{head}\n{told}{rest}") == []
