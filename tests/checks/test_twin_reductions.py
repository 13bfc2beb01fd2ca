"""Reductions of tensors of unknown rank, where a twin in the same function keeps its axis."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

SOFTMAX = """\
import numpy as np


def softmax(x, {axis}):
    x = np.asarray(x)
    z = x - x.max(axis={written}, keepdims={first})
    e = np.exp(z)
    return e / {total}
"""


def lines(axis="axis=-1", written="axis", first="True", total="e.sum(axis=axis, keepdims=True)"):
    code = SOFTMAX.format(axis=axis, written=written, first=first, total=total)
    found = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line) for each in found]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"total": "e.sum(axis=axis)"}, 8),
        ({"total": "np.sum(e, axis=axis, keepdims=False)"}, 8),
        ({"first": "False"}, 6),
        ({"axis": "mask=None", "written": "-1", "total": "e.sum(axis=-1)"}, 8),
    ],
)
def test_the_axis_that_a_twin_keeps_is_lost(changes, line):
    assert lines(**changes) == [("ATN203", line)]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        # Vectors.
        {"first": "False", "total": "e.sum(axis=axis)"},
        # Over the first axis, the rest lines up.
        {"axis": "mask=None", "written": "0", "total": "e.sum(axis=0)"},
        # Over another axis than the twin.
        {"axis": "axis, other", "total": "e.sum(axis=other)"},
        {"total": "e.sum()"},
        # Divided by what is no sum of it.
        {"total": "np.abs(np.asarray(axis)).sum(axis=axis)"},
    ],
)
def test_other_reductions_are_left_alone(changes):
    assert lines(**changes) == []
