"""Products that sum over an axis of 1, and fit with their operands the other way round."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """\
import torch


def attend(query, memory):
    b, n, d = memory.shape
    weights = torch.softmax(memory.sum(-1), dim=-1)
    y = {expression}
    return y
"""


def findings(expression):
    return check_source(CODE.format(expression=expression).encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("expression", "fixed"),
    [
        (
            "torch.bmm(memory, weights.unsqueeze(1))",
            "torch.bmm(weights.unsqueeze(1), memory)",
        ),
        ("memory @ weights[:, None]", "weights[:, None] @ memory"),
        ("weights.unsqueeze(2) @ memory.transpose(1, 2)", None),
    ],
)
def test_weights_of_one_query_come_before_what_they_weigh(expression, fixed):
    (finding,) = findings(expression)
    assert (finding.code, finding.line) == ("ATN102", 7)
    assert finding.message.endswith("(hidden while d_h == 1)")
    assert fixed is None or finding.fix.line == f"y = {fixed}"


@pytest.mark.parametrize(
    "expression",
    [
        "torch.bmm(weights.unsqueeze(1), memory)",
        "memory.transpose(1, 2) @ weights.unsqueeze(2)",
        # An outer product: both sides have the axis of 1.
        "weights.unsqueeze(2) @ weights.unsqueeze(1)",
        # Of the query nobody knows that its axis is not 1, nor that it fits otherwise.
        "torch.bmm(query, weights.unsqueeze(1))",
    ],
)
def test_products_that_fit_are_left_alone(expression):
    assert findings(expression) == ()


LOW_RANK = """\
import numpy as np
import torch
from torch import nn


class LowRank(nn.Module):
    def __init__(self, fan_in, fan_out, r):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(fan_out, fan_in))
        self.a = nn.Parameter(torch.randn(r, fan_in) * fan_in ** -0.5)
        self.b = nn.Parameter(torch.zeros(fan_out, r))
        self.c = nn.Parameter(torch.zeros(fan_in, r))

    def merge(self, x):
        return {expression}
"""


@pytest.mark.parametrize(
    ("expression", "fixed"),
    [
        ("self.weight + (self.a @ self.b) * 2", "self.weight + (self.b @ self.a) * 2"),
        ("torch.mm(self.a, self.b)", "torch.mm(self.b, self.a)"),
        ("torch.matmul(self.a, self.b)", "torch.matmul(self.b, self.a)"),
    ],
)
def test_two_arguments_that_nothing_makes_equal(expression, fixed):
    code = LOW_RANK.format(expression=expression)
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert (finding.code, finding.line) == ("ATN102", 15)
    assert finding.message.endswith("(hidden while fan_in == fan_out)")
    assert finding.fix.line == f"return {fixed}"


@pytest.mark.parametrize(
    "expression",
    [
        "self.weight + (self.b @ self.a) * 2",
        # One argument is both.
        "self.a @ self.c",
        # What comes in may well have as many columns as there are rows.
        "self.a @ x",
        "x @ self.b",
        # A product with its own transpose fits both ways round.
        "self.a @ self.a.T",
    ],
)
def test_matrices_that_fit_as_they_stand(expression):
    code = LOW_RANK.format(expression=expression)
    assert check_source(code.encode(), "x.py", Settings()).findings == ()


def test_arguments_that_are_said_to_be_equal():
    code = LOW_RANK.format(expression="self.a @ self.b")
    told = "        super().__init__()\n        assert fan_in == fan_out\n"
    code = code.replace("        super().__init__()\n", told)
    assert check_source(code.encode(), "x.py", Settings()).findings == ()
