"""Axes keep their birth and their marks through the operations that only carry them."""

from __future__ import annotations

from typing import Any

import pytest

from attncheck.operators.events import Softmax
from attncheck.values.tensor import Tensor
from attncheck.values.value import Sequence

from .calling import Names, shape, tags


def test_self_attention_tells_query_time_from_key_time() -> None:
    names = Names()
    x = names.tensor("x", "B T d")
    keys = names.call("torch.Tensor.transpose", x, 1, 2).value
    assert tags(names.call("torch.bmm", x, keys)) == ["x.0", "x.1", "x.1'"]
    assert tags(names.call("torch.matmul", x, keys)) == ["x.0", "x.1", "x.1'"]
    assert tags(names.call("torch.einsum", "bqd,bkd->bqk", x, x)) == ["x.0", "x.1", "x.1'"]


@pytest.mark.parametrize(
    ("path", "arguments", "expected"),
    [
        ("torch.Tensor.permute", (2, 0, 1), ["x.2", "x.0", "x.1"]),
        ("torch.Tensor.mT", (), ["x.0", "x.2", "x.1"]),
        ("torch.Tensor.movedim", (0, -1), ["x.1", "x.2", "x.0"]),
        ("torch.Tensor.unsqueeze", (1,), ["x.0", None, "x.1", "x.2"]),
        ("torch.Tensor.sum", (1,), ["x.0", "x.2"]),
        ("torch.Tensor.sum", (1, True), ["x.0", None, "x.2"]),
        ("torch.Tensor.softmax", (-1,), ["x.0", "x.1", "x.2"]),
        ("torch.Tensor.contiguous", (), ["x.0", "x.1", "x.2"]),
        ("torch.Tensor.expand", (-1, -1, -1), ["x.0", "x.1", "x.2"]),
        ("torch.Tensor.tanh", (), ["x.0", "x.1", "x.2"]),
    ],
)
def test_axes_move_with_their_birth(path: str, arguments: Any, expected: Any) -> None:
    names = Names()
    assert tags(names.call(path, names.tensor("x", "B T d"), *arguments)) == expected


def test_axes_that_the_code_makes_say_so() -> None:
    names = Names()
    x = names.tensor("x", "B T d")
    assert shape(names.call("torch.Tensor.unsqueeze", x, 1)).axes[1].made == "new"
    assert shape(names.call("torch.Tensor.mean", x, 1, keepdim=True)).axes[1].made == "keepdims"


def _weights(names: Names) -> Tensor:
    made = names.call("torch.softmax", names.tensor("scores", "B T_dec T_enc"), dim=-1)
    assert isinstance(made.event, Softmax)
    assert made.event.axis == 2
    assert isinstance(made.value, Tensor)
    return made.value


def _marks(value: object) -> list[int]:
    assert isinstance(value, Tensor)
    assert value.shape is not None
    return [len(axis.normalised) for axis in value.shape.axes]


@pytest.mark.parametrize(
    ("path", "arguments", "expected"),
    [
        ("torch.Tensor.transpose", (1, 2), [0, 1, 0]),
        ("torch.Tensor.mul", (2.0,), [0, 0, 1]),
        ("torch.Tensor.detach", (), [0, 0, 1]),
        ("torch.nn.functional.dropout", (0.1,), [0, 0, 1]),
        ("torch.Tensor.view", (2, 3, -1), None),
        ("torch.Tensor.exp", (), [0, 0, 0]),
        ("torch.Tensor.log", (), [0, 0, 0]),
        ("torch.Tensor.sum", (1,), [0, 1]),
    ],
)
def test_marks_survive_what_keeps_sums(path: str, arguments: Any, expected: Any) -> None:
    names = Names()
    weights = _weights(names)
    assert _marks(weights) == [0, 0, 1]
    if expected is not None:
        assert _marks(names.call(path, weights, *arguments).value) == expected


def test_log_softmax_marks_nothing() -> None:
    names = Names()
    made = names.call("torch.log_softmax", names.tensor("scores", "B T"), 1)
    assert _marks(made.value) == [0, 0]


def test_max_over_an_axis_gives_values_and_indices() -> None:
    names = Names()
    pair = names.call("torch.Tensor.max", names.tensor("x", "B T d"), 1).value
    assert isinstance(pair, Sequence)
    assert pair.items is not None
    values, indices = pair.items
    assert isinstance(values, Tensor) and isinstance(indices, Tensor)
    assert (values.dtype, indices.dtype) == ("float", "int")
    assert str(values.shape) == str(indices.shape) == "(B, d)"


def test_merged_heads_split_again_are_the_same_axes() -> None:
    names = Names()
    x = names.tensor("x", "B T n_heads d_k")
    merged = names.call("torch.Tensor.flatten", x, 2).value
    sizes = [names.size(text) for text in ("n_heads", "d_k")]
    split = names.call("torch.Tensor.unflatten", merged, -1, sizes)
    assert tags(split) == ["x.0", "x.1", "x.2", "x.3"]
