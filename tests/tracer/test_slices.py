"""Python's ``slice``: what it makes cuts an axis as the colons do that it stands for."""

import pytest

from tracer.tracing import function, last

HEAD = "import torch\n"


@pytest.mark.parametrize(
    ("cut", "colons"),
    [
        ("slice(n)", ":n"),
        ("slice(None)", ":"),
        ("slice(0, None)", "0:"),
        ("slice(1, None)", "1:"),
        ("slice(None, -1)", ":-1"),
        ("slice(1, n, None)", "1:n"),
        ("slice(None, None, 2)", "::2"),
        ("slice(0, 3)", "0:3"),
        ("slice(None, n, 3)", ":n:3"),
    ],
)
def test_a_slice_cuts_as_its_colons_do(cut, colons):
    code = "def f(n):\n    x = torch.zeros(2, 2 * n + 3, 4)\n    {}\n    return z\n"
    cuts = (f"z = x[:, {colons}]", f"s = {cut}\n    z = x[:, s]", f"z = x[(slice(None), {cut})]")
    colons_made, *made = (last(function(code.format(each), head=HEAD), "z") for each in cuts)
    assert made == [colons_made] * 2


@pytest.mark.parametrize(
    "cut", ["slice(*bounds)", "slice()", "slice(1, 2, 3, 4)", "slice(stop=3)", "slice(n, m)"]
)
def test_a_slice_of_bounds_that_nobody_knows(cut):
    code = f"def f(x, n, m, bounds):\n    z = torch.zeros(2, 7, 4)[:, {cut}]\n    return z\n"
    assert last(function(code, head=HEAD), "z") in (None, (2, "?", 4))


def test_slices_that_a_loop_goes_through():
    code = (
        "def f(x):\n"
        "    x = torch.zeros(2, 7, 4)\n"
        "    parts = []\n"
        "    for cut in (slice(0, 3), slice(3, None)):\n"
        "        parts.append(x[:, cut])\n"
        "    first, second = parts\n"
        "    return first, second\n"
    )
    traced = function(code, head=HEAD)
    assert last(traced, "first") == (2, 3, 4)
    assert last(traced, "second") == (2, 4, 4)


def test_parts_of_lists_and_shapes():
    code = (
        "def f(x):\n"
        "    x = torch.zeros(2, 7, 4)\n"
        "    front = slice(None, 2)\n"
        "    z = torch.ones(x.shape[front])\n"
        "    y = torch.ones([3, 4, 5][slice(1, None)])\n"
        "    return y, z\n"
    )
    traced = function(code, head=HEAD)
    assert last(traced, "z") == (2, 7)
    assert last(traced, "y") == (4, 5)


def test_a_slice_from_nothing_on_is_the_whole_axis():
    code = (
        "def f(x, c):\n    b, n, d = x.shape\n    if c:\n        n = n // 2\n"
        "    y = torch.zeros(b, n, d)\n    s = 0\n    z = y[:, s:]\n"
        "    w = z.reshape(b, n, -1, 2)\n    return w\n"
    )
    assert last(function(code, head=HEAD), "w")[2] == "d//2"
