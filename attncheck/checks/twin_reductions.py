"""Reductions of which a twin shows that the axis they run over was to be kept.

``z = x - x.max(axis, keepdims=True)``, and then ``exp(z) / exp(z).sum(axis)``: nothing is known of
x, and of a vector both would do. But who keeps the axis of the one puts it back against tensors
of more axes, and the other, of the same axis and the same elements, is put back against them too.
"""

from __future__ import annotations

from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise
from attncheck.values.tensor import Tensor
from attncheck.values.value import NONE, TRUE, Value, as_integer

_MOST_STEPS = 8


def lost_by_twin(operation: Operation, view: View) -> tuple[int, Operation] | None:
    """The operand (0 or 1) that lacks an axis which its twin keeps, and that twin; or None."""
    tensors = [tensor for _, tensor in operation.tensors()]
    if len(tensors) != len(operation.operands[:2]) or len(tensors) != 2:
        return None
    for index in (1, 0):
        made = view.graph.maker(tensors[index])
        source = None if made is None or made.kind != "reduce" else made.source
        if made is None or source is None or _is_kept(made) or not _is_told(made, source, view):
            continue
        if not _is_of(source, tensors[1 - index], view):
            continue
        for other in view.graph.operations:
            if other.kind != "reduce" or not _is_kept(other) or other.place != made.place:
                continue
            if _axis(other) == _axis(made) and _are_related(other, made, view):
                return index, other
    return None


def _is_told(made: Operation, source: Tensor, view: View) -> bool:
    """Whether a reduction names an axis, which is not the first, of a tensor of unknown rank."""
    shape = view.shape(source)
    axis = _axis(made)
    if axis is None or axis == NONE or as_integer(axis) == 0:
        return False
    return shape is None or not shape.closed


def _axis(operation: Operation) -> Value | None:
    return next((each.value for each in operation.operands if each.name == "axis"), None)


def _is_kept(operation: Operation) -> bool:
    return any(each.name == "keepdims" and each.value == TRUE for each in operation.operands)


def _is_of(source: Tensor, whole: Tensor, view: View) -> bool:
    """Whether a tensor is another one, or was made of it or it of that, element by element."""
    return any(
        one.operation is not None and one.operation == other.operation
        for one in _line(source, view)
        for other in _line(whole, view)
    )


def _are_related(one: Operation, other: Operation, view: View) -> bool:
    """Whether two reductions run over the same elements, or over what was made of them."""
    first, second = one.source, other.source
    return first is not None and second is not None and _is_of(first, second, view)


def _line(tensor: Tensor, view: View) -> list[Tensor]:
    """A tensor, and what it was made of one by one: of two operands the first."""
    found = [tensor]
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None or not isinstance(made.event, Elementwise) or made.source is None:
            break
        tensor = made.source
        found.append(tensor)
    return found
