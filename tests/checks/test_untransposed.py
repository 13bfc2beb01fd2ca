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
        ("self.gather(torch.cat((first, y), 0))", "ATN103", "joined along its last axis"),
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
