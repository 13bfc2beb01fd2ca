"""The shape of nested lists: what ``np.array`` and index expressions make of literal data."""

from __future__ import annotations

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import SCALAR, Axis, Shape, expand
from attncheck.algebra.size import const
from attncheck.values.tensor import widest
from attncheck.values.value import Const, Int, Scalar, Sequence, Value, as_tensor, is_truth


def literal_shape(value: Value, facts: Facts) -> tuple[Shape | None, str | None]:
    """The shape and the dtype of a value made into an array; None for what is not known."""
    if type(value) is Sequence:
        return _sequence_shape(value, facts)
    tensor = as_tensor(value)
    if tensor is not None:
        shape = None if tensor.shape is None else expand(tensor.shape, facts)
        return shape, tensor.dtype
    if type(value) is Int:
        return SCALAR, "int"
    if is_truth(value):
        return None, "bool"
    if type(value) is Scalar:
        return SCALAR, value.kind if value.kind in {"int", "float"} else None
    if type(value) is Const and isinstance(value.value, bool | float):
        return SCALAR, "bool" if isinstance(value.value, bool) else "float"
    return None, None


def ragged(value: Value, facts: Facts) -> tuple[Shape, Shape] | None:
    """Two items of a list, at any depth, whose shapes provably differ, so that it is no array."""
    if type(value) is not Sequence or value.items is None:
        return None
    shapes = []
    for item in value.items:
        inside = ragged(item, facts)
        if inside is not None:
            return inside
        shape, _ = literal_shape(item, facts)
        if shape is not None and shape.closed:
            shapes.append(shape)
    for shape in shapes[1:]:
        if _differ(shapes[0], shape, facts):
            return shapes[0], shape
    return None


def _differ(left: Shape, right: Shape, facts: Facts) -> bool:
    if len(left.lead) != len(right.lead):
        return True
    return any(
        a.size is not None
        and b.size is not None
        and facts.compare(a.size, b.size) is Verdict.DIFFERENT
        for a, b in zip(left.lead, right.lead, strict=True)
    )


def _sequence_shape(value: Sequence, facts: Facts) -> tuple[Shape | None, str | None]:
    if value.items is None:
        shape, dtype = literal_shape(value.element, facts)
        return _with_first(Axis(value.length), shape), dtype
    if not value.items:
        return Shape((Axis(const(0)),)), "float"
    found = [literal_shape(item, facts) for item in value.items]
    dtype = widest(dtype for _, dtype in found)
    merged = found[0][0]
    for shape, _ in found[1:]:
        merged = _agreeing(merged, shape, facts)
    return _with_first(Axis(const(len(value.items))), merged), dtype


def _with_first(first: Axis, shape: Shape | None) -> Shape | None:
    return None if shape is None else Shape((first, *shape.lead), shape.row, shape.trail)


def _agreeing(left: Shape | None, right: Shape | None, facts: Facts) -> Shape | None:
    """The shape of both if they are the same; the first one's where that cannot be told."""
    if left is None or right is None:
        return None
    if left.row is not right.row or len(left.lead) != len(right.lead):
        return None
    if len(left.trail) != len(right.trail) or (left.closed and _differ(left, right, facts)):
        return None
    return left
