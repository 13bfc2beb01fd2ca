"""Taking apart a tuple with a shape among its items says how many axes the tensor has."""

import pytest

from tracer.tracing import function, last, module, parameter


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


@pytest.mark.parametrize(
    "line",
    [
        "a, b = (sizes[n] for n in 'ab')",
        "a, b = [sizes[n] for n in 'ab']",
        "a, b = map(sizes.get, 'ab')",
        "(_, a), (_, b) = [(i, sizes[n]) for i, n in enumerate('ab')]",
        "a, b = (sizes[n] for n, _ in zip('ab', 'cd'))",
    ],
)
def test_a_text_is_iterated_over_by_its_characters(line):
    code = f"sizes = {{'a': 3, 'b': 5}}\n{line}\nz = torch.ones(a, b)\n"
    assert last(module("import torch\n" + code), "z") == (3, 5)


def test_a_long_text_is_not_taken_apart():
    code = "z = torch.stack([torch.ones(3) for _ in 'a text of more than sixteen characters'])"
    assert last(module("import torch\n" + code), "z") == (38, 3)


@pytest.mark.parametrize(
    ("line", "shape"),
    [
        ("y = torch.einsum('btc,cnd->nbtd', x, weights['qkv'])", "(x_0, x_1, y_3)"),
        ("y = torch.stack(parts(x))", None),
        ("y = x.permute(2, 0, 1)", "(x_0, x_1)"),
    ],
)
def test_a_tensor_is_taken_apart_into_its_rows(line, shape):
    code = f"def f(x, weights, parts):\n    {line}\n    a, b, c = y\n    z = torch.tanh(b)\n"
    traced = function(code + "    return z\n", "f", head="import torch\n")
    assert last(traced, "z") is None if shape is None else parameter(traced, "z") == shape
