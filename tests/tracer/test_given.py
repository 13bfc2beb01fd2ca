"""What arguments that may be None make of shapes, with them and without: both ways are traced."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

MODULE = """import torch
import torch.nn as nn

class Attention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.q, self.k, self.v = (nn.Linear(d_model, d_model) for _ in range(3))

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.n_heads, self.d_k).transpose(1, 2)

    def forward(self, x, past=None, memory=None):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        {given}
        return (q @ k.transpose(-2, -1)).softmax(-1) @ v
"""
CACHE = """if {asked}:
            k = torch.cat([past[0], k], dim={axis})
            v = torch.cat([past[1], v], dim={axis})"""


def found(given):
    code = MODULE.format(given=given).encode()
    findings = check_source(code, "x.py", Settings()).findings
    return [(each.code, each.line, each.message) for each in findings]


@pytest.mark.parametrize(
    "asked", ["past is not None", "not (past is None)", "past is not None and True"]
)
def test_a_cache_that_is_joined_along_the_heads(asked):
    (code, line, message), *rest = found(CACHE.format(asked=asked, axis=1))
    assert (code, line) == ("ATN101", 18)
    assert "pairs the batch axes n_heads and n_heads + past[0]_1" in message
    assert rest == []
    assert found(CACHE.format(asked=asked, axis=2)) == []
    assert found(CACHE.format(asked=asked, axis=-2)) == []


def test_two_arguments_of_which_only_one_may_be_given():
    given = """if past is not None and memory is not None:
            raise ValueError("one of them")
        if past is not None:
            k = torch.cat([past, k], dim=1)"""
    assert found(given) == []
