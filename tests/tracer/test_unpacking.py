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
