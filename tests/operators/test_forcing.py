"""What operations find out about tensors nobody has described."""

from __future__ import annotations

from typing import Any

import pytest

from attncheck.algebra.shape import expand
from attncheck.values.tensor import Tensor
from attncheck.values.value import UNKNOWN

from .calling import Names, shape


def _now(names: Names, tensor: Tensor) -> str:
    assert tensor.shape is not None
    return str(expand(tensor.shape, names.facts))


def test_a_matrix_on_the_right_decides_the_last_axis() -> None:
    names = Names()
    x = names.tensor("x", "...")
    outcome = names.call("torch.matmul", x, names.tensor("W", "d_h d_attn"))
    assert _now(names, x) == "(..., d_h)"
    assert str(shape(outcome)) == "(..., d_attn)"


def test_bmm_closes_both() -> None:
    names = Names()
    x, y = names.tensor("x", "..."), names.tensor("y", "B T_enc d_h")
    outcome = names.call("torch.bmm", x, y)
    assert _now(names, x) == "(B, x_1, T_enc)"
    assert str(shape(outcome)) == "(B, x_1, d_h)"


def test_permute_closes() -> None:
    names = Names()
    x = names.tensor("x", "...")
    names.call("torch.Tensor.permute", x, 0, 2, 1)
    assert _now(names, x) == "(x_0, x_1, x_2)"


def test_linear_decides_the_last_axis_and_the_weight_is_a_matrix() -> None:
    names = Names()
    x, weight = names.tensor("x", "... d_h"), names.tensor("W", "...")
    names.call("torch.nn.functional.linear", x, weight)
    assert _now(names, weight) == "(W_0, d_h)"


def test_einsum_closes_by_its_letters() -> None:
    names = Names()
    q, k = names.tensor("q", "..."), names.tensor("k", "B T_enc d_h")
    outcome = names.call("torch.einsum", "bqd,bkd->bqk", q, k)
    assert _now(names, q) == "(B, q_1, d_h)"
    assert str(shape(outcome)) == "(B, q_1, T_enc)"


def test_a_vector_or_a_matrix_on_the_right_decides_nothing() -> None:
    names = Names()
    x, y = names.tensor("x", "B T d"), names.tensor("y", "...")
    outcome = names.call("torch.matmul", x, y)
    assert isinstance(outcome.value, Tensor)
    assert outcome.value.shape is None
    assert _now(names, y) == "(...)"


@pytest.mark.parametrize(
    ("path", "arguments"),
    [
        ("torch.matmul", ()),
        ("torch.add", ()),
        ("torch.nn.functional.linear", ()),
    ],
)
def test_the_unknown_absorbs(path: str, arguments: Any) -> None:
    names = Names()
    outcome = names.call(path, UNKNOWN, names.tensor("y", "B T d"), *arguments)
    assert outcome.clash is None
    assert isinstance(outcome.value, Tensor)
    assert outcome.value.shape is None


@pytest.mark.parametrize(
    ("path", "known", "first", "second"),
    [
        ("torch.bmm", "B T d", "(B, T, ?)", "(B, ?, d)"),
        ("torch.mm", "T d", "(T, ?)", "(?, d)"),
        ("torch.mv", "T d", "(T,)", None),
    ],
)
def test_products_of_fixed_ranks_have_the_axes_of_the_operand_that_is_known(
    path: str, known: str, first: str, second: str | None
) -> None:
    names = Names()
    assert str(shape(names.call(path, names.tensor("x", known), UNKNOWN))) == first
    if second is not None:
        assert str(shape(names.call(path, UNKNOWN, names.tensor("y", known)))) == second


def test_an_unknown_tuple_of_sizes_is_not_one_size() -> None:
    names = Names()
    outcome = names.call("torch.Tensor.view", names.tensor("x", "B T d"), UNKNOWN)
    assert isinstance(outcome.value, Tensor)
    assert outcome.value.shape is None


def test_reshape_gives_its_sizes_whatever_is_reshaped() -> None:
    names = Names()
    sizes = (names.size("B"), -1, 8)
    assert str(shape(names.call("torch.Tensor.view", UNKNOWN, *sizes))) == "(B, ?, 8)"


def test_leading_and_trailing_axes_may_be_the_same() -> None:
    names = Names()
    vector = names.tensor("y", "b")
    assert names.call("torch.dot", names.tensor("x", "a ... b"), vector).clash is None
    assert names.call("torch.dot", names.tensor("x", "a b ..."), vector).clash is not None
