"""ATN507: triangles that are called causal masks and are none, whatever they are used for."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

FUNCTION = """import numpy as np
import torch
def {}(n, i):
    return {}
"""
VARIABLE = """import torch
class Model(torch.nn.Module):
    def forward(self, n, x):
        {} = {}
        return x
"""


def found(code):
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert {each.code for each in findings} <= {"ATN507"}
    return [(each.line, each.severity) for each in findings]


WRONG = [
    "torch.tril(torch.ones(n, n), diagonal=1)",
    "torch.triu(torch.ones(n, n), 2) == 0",
    "torch.from_numpy(np.triu(np.ones((1, n, n)), k=2)) == 0",
    "torch.ones(n, n, dtype=torch.bool).tril(1)",
    "torch.full((n, n), float('-inf')).triu(2)",
]
RIGHT = [
    "torch.tril(torch.ones(n, n))",
    "torch.triu(torch.ones(n, n), 1)",
    "torch.from_numpy(np.triu(np.ones((1, n, n)), k=1)) == 0",
    "torch.full((n, n), float('-inf')).triu(1)",
    # strictly what came before
    "torch.tril(torch.ones(n, n), -1)",
    "torch.ones(n, n, dtype=torch.bool).triu()",
    # read with queries and keys exchanged
    "(torch.triu(torch.ones(n, n)) == 1).transpose(0, 1)",
    "(torch.triu(torch.ones(n, n), -1) == 1).t()",
    # windows, and keys that are there already
    "torch.tril(torch.ones(n, n)).triu(-3)",
    "torch.tril(torch.ones(n, n + i), i)",
]


@pytest.mark.parametrize("triangle", WRONG)
@pytest.mark.parametrize("name", ["subsequent_mask", "create_causal_mask", "look_ahead_mask"])
def test_makers_of_masks(name, triangle):
    assert found(FUNCTION.format(name, triangle)) == [(4, "warning")]


@pytest.mark.parametrize("triangle", RIGHT)
def test_right_masks(triangle):
    assert found(FUNCTION.format("subsequent_mask", triangle)) == []
    if "np." not in triangle:
        assert found(VARIABLE.format("causal_mask", triangle.replace("i)", "2)"))) == []


def test_variables():
    assert found(VARIABLE.format("causal_mask", WRONG[0])) == [(4, "warning")]
    assert found(VARIABLE.format("self.causal", WRONG[1])) == [(4, "warning")]


@pytest.mark.parametrize("triangle", WRONG)
def test_triangles_of_other_names(triangle):
    assert found(FUNCTION.format("lower", triangle)) == []
    assert found(FUNCTION.format("causal_products", triangle)) == []


CALLED = FUNCTION.format("causal_mask", "{}") + "\n\ndef keep(n):\n    return {}\n"


@pytest.mark.parametrize(
    ("triangle", "got"),
    [
        ("torch.triu(torch.ones(n, n), 2)", "causal_mask(n + 1, 0)[:-1, 1:] == 0"),
        ("torch.tril(torch.ones(n, n), 1)", "causal_mask(n, 0).t()"),
        ("torch.tril(torch.ones(n, n), 1) == 1", "~causal_mask(n, 0).transpose(0, 1)"),
    ],
)
def test_what_callers_make_another_mask_of(triangle, got):
    assert found(CALLED.format(triangle, got)) == []
    for same in (
        "causal_mask(n, 0)",
        "causal_mask(n, 0)[None]",
        "causal_mask(n, 0)[:n, :n].bool()",
    ):
        assert found(CALLED.format(triangle, same)) == [(4, "warning")]


def test_a_cut_that_makes_a_right_mask():
    torch = pytest.importorskip("torch")
    cut = torch.triu(torch.ones(6, 6), 2)[:-1, 1:] == 0
    assert torch.equal(cut, torch.tril(torch.ones(5, 5)) == 1)
