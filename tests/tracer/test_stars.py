"""Shapes spread with a star among other items, and taken apart again: ``*x.shape, heads``."""

import pytest

from .tracing import function, last

BODY = """\
def f(x, heads):
    {line}
    made = torch.zeros({sizes})
    seen = torch.relu(x)
"""


@pytest.mark.parametrize(
    ("line", "sizes", "shape", "made"),
    [
        ("b, n, _, h = *x.shape, heads", "b, n, h", ("b", "n", "_"), ("b", "n", "heads")),
        ("h, b, n = heads, *x.shape", "b, n, h", ("b", "n"), ("b", "n", "heads")),
        ("h, b, n, two = heads, *x.size(), 2", "h, two", ("b", "n"), ("heads", 2)),
        # Where a star takes the rest, the ends are known and the number of axes is not.
        ("b, *_, h = *x.shape, heads", "b, h", None, ("b", "heads")),
        ("*_, i, j = x.shape", "i, j", None, ("i", "j")),
        ("*_, i, j, h = *x.shape, heads", "i, j, h", None, ("i", "j", "heads")),
        ("b, *_ = x.shape", "b, 1", None, ("b", 1)),
    ],
)
def test_what_is_spread_around_a_shape_is_taken_apart_by_its_number(line, sizes, shape, made):
    traced = function(BODY.format(line=line, sizes=sizes))
    assert last(traced, "made") == made
    assert last(traced, "seen") == shape or shape is None


@pytest.mark.parametrize(
    "line",
    [
        # Too few names for what is certainly there, and two shapes of which none is known.
        "b, = *x.shape, heads, heads",
        "b, n, h = *x.shape, *heads.shape",
    ],
)
def test_what_does_not_say_which_axis_is_which_says_nothing(line):
    traced = function(BODY.format(line=line, sizes="b, 1"))
    assert last(traced, "made") == ("?", 1)
