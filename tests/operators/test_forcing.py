"""What operations find out about tensors nobody has described."""

from __future__ import annotations

from typing import Any

import pytest

from attncheck.algebra.shape import close, expand
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


def _made(names: Names, x: Tensor, spelling: str, *arguments: int) -> Tensor:
    made = names.call(spelling, x, *arguments).value
    assert isinstance(made, Tensor)
    return made


def _close(names: Names, tensor: Tensor, rank: int) -> None:
    assert tensor.shape is not None
    close(tensor.shape, rank, names.facts)


@pytest.mark.parametrize("by_result", [False, True])
@pytest.mark.parametrize(
    ("given", "spelling", "arguments", "rank", "seen"),
    [
        ("... d_h", "torch.Tensor.unsqueeze", (2,), 3, "(x_0, d_h, 1)"),
        ("... d_h", "torch.Tensor.transpose", (0, 1), 2, "(d_h, x_0)"),
        ("B ...", "torch.Tensor.transpose", (-2, -1), 2, "(x_1, B)"),
    ],
)
def test_axes_asked_for_from_one_end_are_those_of_the_other_where_there_are_no_more(
    given: str, spelling: str, arguments: tuple[int, ...], rank: int, seen: str, by_result: bool
) -> None:
    """Whichever of the two tensors shows its rank first."""
    names = Names()
    x = names.tensor("x", given)
    made = _made(names, x, spelling, *arguments)
    _close(names, *((made, rank) if by_result else (x, 2)))
    own = _now(names, x)
    free = next(name for name in own.strip("()").split(", ") if name not in given)
    assert len(own.split(", ")) == 2
    assert _now(names, made) == seen.replace("x_0", free).replace("x_1", free)


@pytest.mark.parametrize("by_result", [False, True])
def test_axes_asked_for_from_one_end_are_others_where_there_are_more(by_result: bool) -> None:
    names = Names()
    x = names.tensor("x", "... d_h")
    made = _made(names, x, "torch.Tensor.unsqueeze", 2)
    _close(names, *((made, 4) if by_result else (x, 3)))
    first, second, new, last = _now(names, made).strip("()").split(", ")
    assert (new, last) == ("1", "d_h")
    assert _now(names, x) == f"({first}, {second}, d_h)"


def test_what_two_views_of_one_shape_show_is_undone() -> None:
    names = Names()
    x = names.tensor("x", "... d_h")
    made = _made(names, x, "torch.Tensor.unsqueeze", 2)
    before, mark = _now(names, made), names.facts.mark()
    _close(names, x, 2)
    names.facts.undo(mark)
    assert (_now(names, x), _now(names, made)) == ("(..., d_h)", before)
