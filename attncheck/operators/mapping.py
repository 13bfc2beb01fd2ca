"""A function mapped over an axis: what it is given, one place at a time, and what it all gives.

Rule: jax.vmap. Every mapped argument has as many places as the others; the axis is not seen by the
function and stands in the results where the program says.
"""

from __future__ import annotations

from attncheck.algebra.contract import contract
from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import SCALAR, Axis, Row, Shape, expand
from attncheck.operators.axes import locate, shape_of_items
from attncheck.operators.call import Call
from attncheck.operators.events import Clash, Fault, Outcome
from attncheck.values.tensor import Tensor
from attncheck.values.value import Sequence, Value, as_integer


def unstacked(call: Call) -> Outcome:
    """The tensors ``xs``, each without its axis in ``axes``; clashes if these are of unlike sizes.

    An axis that a tensor does not have is a clash; what cannot be told leaves a tensor unknown.
    """
    tensors, axes = call.tensors("xs") or [], _numbers(call.value("axes"))
    made: list[Value] = []
    mapped: list[Axis | None] = []
    clash: Clash | None = None
    for operand, (tensor, number) in enumerate(zip(tensors, axes, strict=True)):
        assert tensor is not None
        found = _without(tensor, number, call.facts)
        if isinstance(found, Clash):
            clash = clash or Clash(found.fault, found.text, operand)
            found = None
        shape, axis = (None, None) if found is None else found
        made.append(tensor.with_shape(shape))
        mapped.append(axis)
    clash = clash or _disagreement(call, tensors, axes, mapped)
    if clash is not None:
        # Which of the axes is the wrong one is not known, so that nothing is known inside.
        made = [tensor.with_shape(None) for tensor in tensors if tensor is not None]
    return Outcome(Sequence(tuple(made)), clash=clash)


def _disagreement(
    call: Call, tensors: list[Tensor | None], numbers: list[int], mapped: list[Axis | None]
) -> Clash | None:
    """Why the mapped axes have not all one size; the odd one out is held against the others."""
    known = [axis for axis in mapped if axis is not None and axis.size is not None]
    sizes = [axis.size for axis in known]
    usual = max(known, key=lambda axis: sizes.count(axis.size), default=None)
    for operand, (tensor, number, axis) in enumerate(zip(tensors, numbers, mapped, strict=True)):
        if usual is None or tensor is None or axis is None or axis is usual:
            continue
        pair = contract(usual, axis, call.facts, "mapped")
        if pair.verdict.clashes:
            text = f"maps axis {number} of {tensor.shape} beside an axis of {usual}"
            return Clash(Fault.AGREEMENT, text, operand, usual.size, axis.size, pair.verdict)
    return None


def mapped_axis(tensor: Tensor, number: int, facts: Facts) -> Axis | None:
    """The axis of a tensor that is mapped over, or None if it is not known."""
    found = _without(tensor, number, facts)
    return None if found is None or isinstance(found, Clash) else found[1]


def _without(tensor: Tensor, number: int, facts: Facts) -> tuple[Shape, Axis] | Clash | None:
    if tensor.shape is None:
        return None
    found = locate(tensor.shape, (number,), facts)
    if isinstance(found, Clash):
        return found
    layout, (index,) = found
    axis = layout.items[index]
    if isinstance(axis, Row):
        return None
    left = [item for place, item in enumerate(layout.items) if place != index]
    return shape_of_items(left), axis


def _numbers(value: Value | None) -> list[int]:
    items = value.items if type(value) is Sequence and value.items is not None else ()
    return [number for item in items if (number := as_integer(item)) is not None]


def stacked(call: Call) -> Outcome:
    """``x`` with the mapped axis at ``axis``, which has the size ``count``."""
    tensor, axis, count = call.tensor("x"), call.integer("axis"), Axis(call.size("count"))
    shape = SCALAR if tensor is None else tensor.shape
    dtype = None if tensor is None else tensor.dtype
    if shape is None or axis is None:
        return Outcome(call.make(None, dtype))
    return Outcome(call.make(_with(expand(shape, call.facts), count, axis), dtype))


def _with(shape: Shape, axis: Axis, place: int) -> Shape | None:
    """A shape with one more axis; None where it is not known which place that is."""
    if not shape.closed and place == 0:
        return Shape((axis, *shape.lead), shape.row, shape.trail)
    if not shape.closed and place == -1:
        return Shape(shape.lead, shape.row, (*shape.trail, axis))
    rank = len(shape.lead) + 1
    if not shape.closed or not -rank <= place < rank:
        return None
    place %= rank
    return Shape((*shape.lead[:place], axis, *shape.lead[place:]))
