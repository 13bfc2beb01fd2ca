"""Softmax, which marks the axis that sums to one."""

from __future__ import annotations

from attncheck.algebra.shape import SCALAR, Axis, Shape
from attncheck.operators.axes import Layout, locate, shape_of_items
from attncheck.operators.call import Call
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Clash, Outcome, Softmax
from attncheck.operators.operands import operand_shape
from attncheck.record import replace


def softmax(call: Call) -> Outcome:
    """Softmax over ``axis``: the shape of x, that axis marked with the operation's number.

    Its logarithm (``log``) sums to no one, so its axis is not marked. Without an axis torch takes
    the first one of 0, 1 or 3 axes and the second of others; scipy takes all axes together.
    """
    log = call.flag("log") is True
    shape, axis, implicit = operand_shape(call, "x"), call.integer("axis"), False
    if not call.given("axis"):
        axis, implicit = _implicit_axis(call, shape), True
    elif axis is None:
        made = None if shape is None else without_marks(shape)
        return Outcome(call.make(made, "float"), Softmax(None, log))
    if shape is None or axis is None:
        return Outcome(call.make(shape, "float"), Softmax(axis, log, implicit))
    if shape == SCALAR and axis in (0, -1) and call.library != "jax":
        return Outcome(call.make(shape, "float"), Softmax(axis, log, implicit))
    found = locate(shape, (axis,), call.facts)
    if isinstance(found, Clash):
        return Outcome(call.make(None, "float"), Softmax(None, log, implicit), found)
    layout, (index,) = found
    marked = _unmarked(layout) if log else _marked(layout, index, call.serial)
    event = Softmax(layout.number(index), log, implicit)
    return Outcome(call.make(marked, "float"), event)


def _implicit_axis(call: Call, shape: Shape | None) -> int | None:
    if shape is None or not shape.closed:
        return None
    rank = len(shape.lead)
    if call.library == "torch":
        return 0 if rank in (0, 1, 3) else 1
    return 0 if rank == 1 else None


def _unmarked(layout: Layout) -> Shape:
    return without_marks(shape_of_items(layout.items))


def _marked(layout: Layout, index: int, serial: int) -> Shape:
    items = [
        _mark(item, serial) if i == index and isinstance(item, Axis) else item
        for i, item in enumerate(layout.items)
    ]
    return shape_of_items(items)


def _mark(axis: Axis, serial: int) -> Axis:
    return replace(axis, normalised=axis.normalised | {serial})
