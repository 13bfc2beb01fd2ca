"""The join: what is known of a value that comes from one of two branches.

Whatever the two sides agree on is kept; where they differ, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from attncheck.algebra.shape import Axis, Shape
from attncheck.values.tensor import Tensor
from attncheck.values.value import (
    NONE,
    UNKNOWN,
    Const,
    Int,
    Mapping,
    Scalar,
    Sequence,
    Value,
)


def join(left: Value, right: Value) -> Value:
    """The value that is `left` or `right`."""
    if left is right or left == right:
        return left
    if NONE in (left, right):
        other = right if left == NONE else left
        return replace(other, optional=True) if type(other) is Tensor else UNKNOWN
    joiner = _JOINERS.get(type(left)) if type(left) is type(right) else None
    return UNKNOWN if joiner is None else joiner(left, right)


def join_all(values: list[Value]) -> Value:
    """The join of any number of values; NONE for none."""
    if not values:
        return NONE
    result = values[0]
    for value in values[1:]:
        result = join(result, value)
    return result


def join_shapes(left: Shape | None, right: Shape | None) -> Shape | None:
    """The shape that is `left` or `right`: axis by axis if the ranks agree, else unknown."""
    if left is None or right is None:
        return None
    if left == right:
        return left
    if left.rank is None or left.rank != right.rank:
        return None
    return Shape(tuple(map(_join_axes, left.lead, right.lead)))


def _join_axes(left: Axis, right: Axis) -> Axis:
    if left == right:
        return left
    return Axis(
        left.size if left.size == right.size else None,
        left.tag if left.tag == right.tag else None,
        left.normalised & right.normalised,
        left.parts if left.parts == right.parts else (),
    )


def _join_tensors(left: Tensor, right: Tensor) -> Tensor:
    return Tensor(
        join_shapes(left.shape, right.shape),
        left.library if left.library == right.library else None,
        left.dtype if left.dtype == right.dtype else None,
        left.role if left.role == right.role else None,
        max(left.evidence, right.evidence),
        left.decided if left.decided == right.decided else None,
        left.operation if left.operation == right.operation else None,
        left.optional or right.optional,
    )


def _join_sequences(left: Sequence, right: Sequence) -> Sequence:
    if left.items is not None and right.items is not None and len(left.items) == len(right.items):
        items = tuple(map(join, left.items, right.items))
        return Sequence(items, left.mutable)
    return Sequence(None, left.mutable, any_element(left, right))


def any_element(left: Sequence, right: Sequence) -> Value:
    """What any item of either of two sequences is like; an empty one has none to differ."""
    if left.items == ():
        return element_of(right)
    return element_of(left) if right.items == () else join(element_of(left), element_of(right))


def element_of(sequence: Sequence) -> Value:
    """What any item of a sequence is like."""
    if sequence.items is None:
        return sequence.element
    return join_all(list(sequence.items)) if sequence.items else UNKNOWN


def _join_mappings(left: Mapping, right: Mapping) -> Mapping:
    both = [
        (key, join(value, other))
        for key, value in left.items
        if (other := right.get(key)) is not None
    ]
    return Mapping(tuple(both), open=True)


def _join_scalars(left: Scalar, right: Scalar) -> Value:
    return Scalar(left.kind) if left.kind == right.kind else UNKNOWN


def _join_constants(left: Const, right: Const) -> Value:
    kind = type(left.value).__name__
    return Scalar(kind) if kind == type(right.value).__name__ else UNKNOWN


_JOINERS: dict[type, Callable[[Any, Any], Value]] = {
    Tensor: _join_tensors,
    Int: lambda left, right: Int(None),
    Sequence: _join_sequences,
    Mapping: _join_mappings,
    Scalar: _join_scalars,
    Const: _join_constants,
}
