"""Guards on a flag and a size: what is raised for both leaves the size where the flag is set."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """\
import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads, fused{default}, groups=1):
        super().__init__()
        assert heads % groups == 0
        self.h, self.h_k, self.d = heads, heads // groups, width // heads
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width // groups)
        self.fused = fused
        {guard}

    def forward(self, x):
        b = x.shape[0]
        q = self.q(x).view(b, -1, self.h, self.d).transpose(1, 2)
        k = self.k(x).view(b, -1, self.h_k, self.d).transpose(1, 2)
        if {test}:
            return F.scaled_dot_product_attention(q, k, k)
        return q
"""
RAISE = "if {}:\n            raise ValueError(groups)"


def lines(guard, test="self.fused", default="=True"):
    code = CODE.format(guard=guard, test=test, default=default)
    found = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line) for each in found if each.severity != "note"]


GUARDS = [
    RAISE.format("fused and groups > 1"),
    RAISE.format("groups > 1 and self.fused"),
    RAISE.format("fused and groups != 1"),
    RAISE.format("fused and groups >= 2"),
    RAISE.format("not (not fused or groups == 1)"),
    "assert not (fused and groups > 1)",
    "assert not fused or groups == 1",
    "assert groups < 2 or not fused",
]


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("default", ["", "=True"])
@pytest.mark.parametrize("test", ["self.fused", "self.fused and not torch.jit.is_scripting()"])
def test_under_the_flag_the_size_is_what_the_guard_lets_pass(guard, test, default):
    assert lines(guard, test, default) == []


FOUND = [("ATN101", 22)]


@pytest.mark.parametrize(
    ("guard", "test"),
    [
        ("pass", "self.fused"),
        (GUARDS[0], "not self.fused"),
        (GUARDS[0], "x.requires_grad"),
        (RAISE.format("fused and groups > 2"), "self.fused"),
        (RAISE.format("fused and groups < 2"), "self.fused"),
        (RAISE.format("fused and groups > 1").replace("raise ", "print(1), "), "self.fused"),
        ("if heads > 3:\n            assert not (fused and groups > 1)", "self.fused"),
    ],
)
def test_other_conditions_say_nothing(guard, test):
    where = guard.count("\n")
    assert lines(guard, test) == [(code, line - 1 + where) for code, line in FOUND]
