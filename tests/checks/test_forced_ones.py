"""An axis of 1 that a layer or a product takes for features which stand on another axis."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """\
import torch
from torch import nn


class Token(nn.Module):
    def __init__(self, dim, inputs):
        super().__init__()
        self.token = nn.Parameter(torch.zeros(1, dim, 1))
        self.proj = nn.Linear(dim, dim)
        self.numbers = nn.Linear(inputs, dim)

    def forward(self, x):
        b, n, _ = x.shape
        token = self.token.expand(b, -1, -1)
        scale = x.mean(dim=(1, 2))
        y = {expression}
        return self.proj(x) + y.sum()
"""


def findings(expression):
    return check_source(CODE.format(expression=expression).encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("expression", "code"),
    [("self.proj(token)", "ATN103"), ("token @ self.proj.weight", "ATN102")],
)
def test_the_features_stand_on_another_axis(expression, code):
    (finding,) = findings(expression)
    assert (finding.code, finding.line) == (code, 16)
    assert {"1 == dim", "dim == 1"} & {finding.message[-9:-1]}


@pytest.mark.parametrize(
    "expression",
    [
        "self.proj(token.transpose(1, 2))",
        # Inputs of one number each are of one feature.
        "self.numbers(scale.unsqueeze(-1))",
        "token @ token.transpose(1, 2)",
    ],
)
def test_an_axis_of_1_that_is_one_is_left_alone(expression):
    assert findings(expression) == ()
