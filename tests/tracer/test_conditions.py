"""What is learned where a condition is assumed to hold, form by form; truth where it is known."""

import pytest

from tracer.tracing import function, last, parameter

FORMS = [
    ("x.ndim == 3", "x", "(x_0, x_1, x_2)"),
    ("3 == x.ndim", "x", "(...)"),
    ("x.dim() == 2", "x", "(x_0, x_1)"),
    ("len(x.shape) == 2", "x", "(x_0, x_1)"),
    ("not x.ndim != 2", "x", "(x_0, x_1)"),
    ("not (x.ndim != 2 or y.ndim != 1)", "y", "(y_0,)"),
    ("x.ndim == 2 and y.ndim == 1", "x", "(x_0, x_1)"),
    ("x.ndim == 2 and y.ndim == 1", "y", "(y_0,)"),
    ("x.ndim == 2 or y.ndim == 1", "x", "(...)"),
    ("x.ndim == y.ndim == 2", "y", "(y_0, y_1)"),
    ("x.ndim > 2", "x", "(...)"),
    ("x.shape == (4, 6)", "x", "(4, 6)"),
    ("(4, 6) == x.shape", "x", "(4, 6)"),
    ("x.shape == (n, 6)", "x", "(n, 6)"),
    ("x.shape == (n, x.shape[1])", "x", "(n, x_1)"),
    ("x.shape[0] == 5 and x.ndim == 1", "x", "(5,)"),
    ("x.shape[-1] == 5", "x", "(..., 5)"),
    ("x.ndim == 1 and y.ndim == 1 and x.shape[0] == y.shape[0]", "y", "(y_0,)"),
]


@pytest.mark.parametrize("condition, name, shape", FORMS, ids=[form[0] for form in FORMS])
def test_assumed(condition, name, shape):
    code = f"def f(x, y, n: int):\n    assert {condition}\n    return x\n"
    assert parameter(function(code), name) == shape


def test_assumed_in_torch_alone():
    code = "def f(x):\n    assert x.size() == (4, 6)\n    return x\n"
    assert parameter(function(code, head="import torch\n"), "x") == "(4, 6)"


@pytest.mark.parametrize(
    "condition, shape",
    [("x.ndim != 2", "(x_0, x_1)"), ("x.ndim == 2", "(...)"), ("x.ndim != y.ndim != 2", "(...)")],
)
def test_refuted_by_a_guard(condition, shape):
    code = f"def f(x, y):\n    if {condition}:\n        raise ValueError\n    return x\n"
    assert parameter(function(code), "x") == shape


def test_sizes_are_equal_from_there_on():
    code = (
        "def f(x, y):\n    a, b = x.shape\n    c, = y.shape\n    assert b == c\n    return x @ y\n"
    )
    traced = function(code)
    assert [operation.clash for operation in traced.graph.operations] == [None] * len(
        traced.graph.operations
    )
    assert last(traced, "return") == ("a",)


def test_shapes_are_equal_from_there_on():
    code = (
        "def f(x, y):\n    B, T, d = x.shape\n    assert y.shape == x.shape\n"
        "    z = y.reshape(B, T * d)\n    return z\n"
    )
    assert parameter(function(code), "y") == "(B, T, d)"


def test_divisibility():
    code = (
        "def f(x, n: int):\n    B, d = x.shape\n    assert d % n == 0\n"
        "    y = x.reshape(B, n, d // n)\n    z = y.reshape(B, d)\n    return z\n"
    )
    assert [o.clash for o in function(code).graph.operations if o.kind == "reshape"] == [None, None]


TRUTHS = [
    ("None is None", True),
    ("None is not None", False),
    ("(1, 2) is None", False),
    ("np.ones(2) is None", False),
    ("3 > 2", True),
    ("3 < 2", False),
    ("2 == 2 != 3", None),
    ("'a' == 'a'", True),
    ("'a' != 'a'", False),
    ("not 0", True),
    ("not []", True),
    ("[1] and 0", 0),
    ("n == n", True),
    ("n >= n", True),
    ("n + 1 > n", True),
    ("n == m", None),
    ("x is None", None),
    ("x == 3", None),
    ("1 in [1]", None),
]


@pytest.mark.parametrize("condition, truth", TRUTHS, ids=[each[0] for each in TRUTHS])
def test_truth(condition, truth):
    """A known condition runs one branch, an unknown one both."""
    code = (
        f"def f(x, n: int, m: int):\n    if {condition}:\n        y = np.ones(2)\n    else:\n"
        "        y = np.ones(3)\n    return y\n"
    )
    expected = {None: ("?",)}.get(truth, (2,) if truth else (3,))
    assert last(function(code), "return") == expected
