"""Parts of a tensor by where they start and how long they are, as jax.lax cuts and writes them.

Starts are moved until the part fits, so that they say nothing of the shape.
"""

from __future__ import annotations

import itertools

from attncheck.algebra.bounds import at_least
from attncheck.algebra.shape import Axis, Shape, closed
from attncheck.algebra.size import ONE, ZERO, Size
from attncheck.operators.axes import axes_text
from attncheck.operators.call import Call
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Clash, Fault, Outcome, Selection
from attncheck.operators.operands import dtype_of
from attncheck.operators.seats import rank_clash, resized, seat_of
from attncheck.operators.slicing import slice_axis
from attncheck.values.value import Slice


def part(call: Call) -> Outcome:
    """dynamic_slice: a part of ``x`` of the sizes in ``sizes``, one for each axis.

    TensorFlow's -1 stands for all that is left of an axis from ``begin`` on.
    """
    shape, sizes, dtype = call.shape("x"), call.sizes("sizes"), dtype_of(call.tensor("x"))
    if sizes is None:
        return Outcome(call.make(None, dtype))
    totals = [axis.size for axis in shape.lead] if shape is not None and shape.closed else []
    begins = call.sizes("begin") or ()
    sizes = [
        _left(total, begin) if size is not None and size.number == -1 else size
        for size, total, begin in itertools.zip_longest(sizes, totals, begins)
    ][: len(sizes)]
    if shape is None or not shape.closed:
        return Outcome(call.make(closed(Axis(size) for size in sizes), dtype))
    if len(sizes) != len(shape.lead):
        clash = rank_clash(shape, axes_text(len(sizes)))
        return Outcome(call.make(None, dtype), clash=clash)
    axes = []
    for axis, size in zip(shape.lead, sizes, strict=True):
        clash_ = _too_long(axis.size, size)
        if clash_ is not None:
            return Outcome(call.make(None, dtype), clash=clash_)
        axes.append(axis if size == axis.size else resized(axis, size, call.facts))
    return Outcome(call.make(closed(axes), dtype), Selection(tuple(range(len(axes)))))


def _left(total: Size | None, begin: Size | None) -> Size | None:
    """What is left of an axis from a place on."""
    return None if total is None or begin is None or not at_least(begin, ZERO) else total - begin


def _too_long(total: Size | None, size: Size | None) -> Clash | None:
    if total is None or size is None or not at_least(size, total + 1):
        return None
    return Clash(Fault.AXIS, f"takes {size} places of an axis of {total}", 0, total, size)


def cut(call: Call) -> Outcome:
    """slice_in_dim: the places from ``start`` to ``stop`` of one axis."""
    found, clash = seat_of(call, 0)
    dtype = dtype_of(call.tensor("x"))
    if found is None:
        return Outcome(call.make(None, dtype), clash=clash)
    bounds = Slice(*(call.value(name) for name in ("start", "stop", "step")))
    made = found.put(slice_axis(found.axis, bounds, call.facts))
    return Outcome(call.make(made, dtype))


def one(call: Call) -> Outcome:
    """index_in_dim: one place of an axis, which stays as an axis of 1 unless told otherwise."""
    found, clash = seat_of(call, 0)
    dtype, keep = dtype_of(call.tensor("x")), call.flag("keepdims", True)
    if found is None or keep is None:
        return Outcome(call.make(None, dtype), clash=clash)
    axes = (resized(found.axis, ONE, call.facts, "slice"),) if keep else ()
    return Outcome(call.make(found.put(*axes), dtype))


def written(call: Call) -> Outcome:
    """dynamic_update_slice: ``x`` with ``y`` written into it, which has as many axes and fits."""
    tensor, update = call.tensor("x"), call.shape("y")
    if tensor is None or tensor.shape is None:
        return Outcome(call.make(None, dtype_of(tensor)))
    shape = tensor.shape
    clash = None
    if update is not None and shape.closed and update.closed:
        clash = _unfit(shape, update)
    return Outcome(call.make(without_marks(shape), tensor.dtype), clash=clash)


def _unfit(shape: Shape, update: Shape) -> Clash | None:
    if len(shape.lead) != len(update.lead):
        return Clash(Fault.RANK, f"writes {update} into {shape}", 1)
    for axis, given in zip(shape.lead, update.lead, strict=True):
        if axis.size is None or given.size is None:
            continue
        if at_least(given.size, axis.size + 1):
            text = f"writes {update} into {shape}, which is too small"
            return Clash(Fault.AXIS, text, 1, axis.size, given.size)
    return None


def spread(call: Call) -> Outcome:
    """broadcast_in_dim: ``x`` laid into the axes ``at`` of a tensor of the sizes ``sizes``."""
    sizes, dtype = call.sizes("sizes"), dtype_of(call.tensor("x"))
    shape = None if sizes is None else closed(Axis(size) for size in sizes)
    return Outcome(call.make(shape, dtype))
