"""Taking apart a tuple with a shape among its items says how many axes the tensor has."""

import pytest

from tracer.tracing import function, parameter


@pytest.mark.parametrize(
    "line, shape",
    [
        ("b, n, d, device = *x.shape, x.device", "(b, n, d)"),
        ("b, n, _, h, device = *x.shape, heads, x.device", "(b, n, _)"),
        ("h, b, d = heads, *x.shape", "(b, d)"),
        ("h, b, d, device = heads, *x.size(), x.device", "(b, d)"),
        ("i, j, dtype = *x.shape[-2:], x.dtype", "(..., i, j)"),
        ("(b, d), y = (*x.shape,), x", "(b, d)"),
        # These have any number of axes.
        ("b, *rest, device = *x.shape, x.device", None),
        ("sizes = *x.shape, x.device", None),
        # Nobody knows whose axes are whose.
        ("a, b, c, d = *x.shape, *y.shape", None),
        # A list may be another one by the time that it is taken apart.
        ("b, n, device = [*x.shape, x.device]", None),
    ],
)
def test_ranks_from_tuples_with_a_shape_in_them(line, shape):
    code = f"def f(x, y, heads):\n    {line}\n    z = torch.tanh(x)\n    return z\n"
    traced = function(code, "f", head="import torch\n")
    if shape is None:
        assert parameter(traced, "z").endswith("...)")
    else:
        assert parameter(traced, "z") == shape


@pytest.mark.parametrize("name", ["batch_size", "n"])
def test_an_axis_of_one_stays_one_under_any_name(name):
    body = f"{name}, length, _ = x[None].shape\n    z = torch.ones({name}, length).squeeze(0)"
    code = f"def f(x):\n    a, b = x.shape\n    {body}\n    return z\n"
    traced = function(code, "f", head="import torch\n")
    assert parameter(traced, "z") == "(length,)"


@pytest.mark.parametrize(
    "size, shape",
    [("other.size(-1)", "(z_0, z_1, z_2)"), ("-1", "(z_0, z_1, 1)"), ("4", "(z_0, z_1, 4)")],
)
def test_an_axis_of_one_that_is_stretched_to_a_size_nobody_knows(size, shape):
    body = f"other = torch.relu(things())\n    z = x[..., None].expand(-1, -1, {size})"
    code = f"def f(x, things):\n    {body}\n    return z\n"
    assert parameter(function(code, "f", head="import torch\n"), "z") == shape
