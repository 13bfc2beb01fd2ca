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
