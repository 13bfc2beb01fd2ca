"""A tensor of one row for each sequence beside one of a row for each of its heads or beams.

Heads folded into the batch are ``(B*heads, T, d)``, and a beam has ``beam*B`` rows: a mask of B
rows does not go there before it is repeated as often. In which order is told by what the axis was
merged of.
"""

from __future__ import annotations

from attncheck.algebra.shape import Axis
from attncheck.algebra.size import ONE, Size
from attncheck.checks.report import Sizes
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise, Event, NewAxis, Selection
from attncheck.record import record
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor


@record
class Unrepeated:
    """Which operand lacks copies, along which of its axes, and the sizes with them."""

    index: int
    axis: int
    expected: Sizes
    #: how often it is to be repeated, and whether as a whole (tiled) or each row in its place
    count: Size
    tiled: bool


def unrepeated(operation: Operation, view: View) -> Unrepeated | None:
    """The operand whose rows meet those of an axis that was merged of them and of their copies."""
    tensors = [tensor for _, tensor in operation.tensors()]
    if operation.clash is None or len(tensors) != 2:
        return None
    for index, own in enumerate(tensors):
        found = _beside(own, tensors[1 - index], view)
        if found is not None:
            axis, size, count, tiled = found
            sizes = view.sizes(own) or ()
            return Unrepeated(index, axis, (*sizes[:axis], size, *sizes[axis + 1 :]), count, tiled)
    return None


def _beside(own: Tensor, other: Tensor, view: View) -> tuple[int, Size, Size, bool] | None:
    """The only axis that differs: its number, the size it should have, the copies, their order."""
    shape, beside = view.shape(own), view.shape(other)
    if shape is None or beside is None or not (shape.closed and beside.closed):
        return None
    found = None
    rank = len(shape.axes)
    if rank > len(beside.axes):
        return None
    for axis, (one, two) in enumerate(zip(shape.axes, beside.axes[-rank:], strict=True)):
        if one.size is None or two.size is None:
            return None
        if ONE in (one.size, two.size) or view.equal(one.size, two.size):
            continue
        copies = _copies(one.size, two, view)
        if found is not None or copies is None:
            return None
        found = (axis, two.size, *copies)
    return found


def _copies(size: Size, axis: Axis, view: View) -> tuple[Size, bool] | None:
    """How often a size is in an axis that was merged of it and one more, and in which order."""
    parts = [part.size for part in axis.parts]
    if len(parts) != 2 or parts[0] is None or parts[1] is None:
        return None
    outer, inner = view.equal(parts[0], size), view.equal(parts[1], size)
    if outer == inner:
        return None
    return (parts[1], False) if outer else (parts[0], True)


#: Elementwise operations whose result stands for the tensor itself: masks made of it.
_COMPARING = frozenset({"==", "!=", "<", "<=", ">", ">=", "invert", "logical_not"})


def is_comparison(event: Event | None) -> bool:
    """Whether an operation makes a mask of a tensor, element by element, or turns one."""
    return isinstance(event, Elementwise) and event.symbol in _COMPARING


def added_axes(made: Operation, view: View) -> tuple[int, ...] | None:
    """The places of the axes of 1 that an operation puts in, if that is all that it does."""
    event, source = made.event, made.source
    if isinstance(event, NewAxis):
        return event.axes
    if not isinstance(event, Selection) or source is None:
        return None
    sizes = view.sizes(source)
    kept = [place for place in event.kept if place is not None]
    output = view.sizes(as_tensor(made.output))
    if sizes is None or output is None or kept != list(range(len(sizes))):
        return None
    if len(kept) == len(event.kept):
        return None
    rest = [size for size, place in zip(output, event.kept, strict=True) if place is not None]
    added = tuple(at for at, place in enumerate(event.kept) if place is None)
    return added if rest == list(sizes) else None
