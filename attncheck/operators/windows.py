"""Windows that slide over the last axes: settings for each axis, and how many places there are.

Of an axis of L elements with p more at both ends, a window of k elements that are d apart and
steps of s has ``(L + 2p - d*(k - 1) - 1) // s + 1`` places (torch.nn.Conv2d, torch.nn.MaxPool2d).
"""

from __future__ import annotations

from collections.abc import Sequence as Items

from attncheck.algebra.bounds import at_least
from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Shape, close, expand
from attncheck.algebra.size import ONE, ZERO, Size, product
from attncheck.operators.axes import least_rank, split_trailing
from attncheck.operators.call import Call
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Clash, Fault
from attncheck.operators.seats import ranks_clash, resized
from attncheck.record import record
from attncheck.values.value import Sequence


@record
class Parted:
    """A batch of images: what stands before the channels, the channels, and the axes behind."""

    outer: Shape
    channels: Axis
    spatial: tuple[Axis, ...]

    def with_axes(self, channels: Axis, spatial: Items[Axis]) -> Shape:
        """The shape with other channels and other axes behind them."""
        behind = (channels, *spatial)
        if self.outer.row is None:
            return Shape((*self.outer.lead, *behind))
        return Shape(self.outer.lead, self.outer.row, (*self.outer.trail, *behind))


def parted(
    shape: Shape, spatial: int, facts: Facts, channels: Size | None = None
) -> Parted | Clash | None:
    """``(N, C, ...)`` or ``(C, ...)`` with so many ``spatial`` axes, taken apart.

    Where the second axis is known to be the ``channels``, there is a batch. Where nobody knows
    whether there is one, the second axis may be that of the channels or of places: None.
    """
    clash = ranks_clash(shape, (spatial + 1, spatial + 2))
    if clash is not None:
        return clash
    shown = expand(shape, facts)
    second = shown.lead[1].size if not shown.closed and len(shown.lead) > 1 else None
    if not shown.closed and (
        least_rank(shape) > spatial + 1 or (second is not None and second == channels)
    ):
        shape = close(shape, spatial + 2, facts) or shape
    elif second is not None:
        return None
    taken = split_trailing(without_marks(shape), spatial + 1, facts)
    return None if taken is None else Parted(taken[0], taken[1][0], taken[1][1:])


def each(call: Call, name: str, count: int, default: Items[Size | None] = ()) -> list[Size | None]:
    """A setting for each of ``count`` axes: a number for all of them, or a tuple with one each.

    ``default`` if it is left out; all None if it is not known.
    """
    value = call.value(name)
    if value is None:
        return list(default or [None] * count)
    sizes = call.sizes(name)
    if sizes is None or not sizes:
        return [None] * count
    if type(value) is not Sequence or len(sizes) == 1:
        return [sizes[0]] * count
    return sizes if len(sizes) == count else [None] * count


@record
class Window:
    """A window over one axis; ``padding`` is what is put at each end.

    With ``ceil`` a last window may reach beyond the padded axis, if it begins before its end; None
    where that is not known.
    """

    size: Size | None
    stride: Size | None
    padding: Size | None = ZERO
    dilation: Size | None = ONE
    ceil: bool | None = False


def windows(call: Call, sizes: list[Size | None], ceil: bool | None = False) -> list[Window]:
    """The windows of these sizes that a call's ``stride``, ``padding`` and ``dilation`` make.

    A pooling window that is given no stride steps by its own size.
    """
    count = len(sizes)
    strides = each(call, "stride", count, sizes if call.flag("strides_by_size") else [ONE] * count)
    padding = each(call, "padding", count, [ZERO] * count)
    dilation = each(call, "dilation", count, [ONE] * count)
    rows = zip(sizes, strides, padding, dilation, strict=True)
    return [Window(*row, ceil) for row in rows]


def slide(axes: Items[Axis], over: Items[Window], facts: Facts) -> list[Axis] | Clash:
    """The axes of places, or why there is none on one of them."""
    slid = []
    for axis, window in zip(axes, over, strict=True):
        found = _places(axis, window, facts)
        if isinstance(found, Clash):
            return found
        slid.append(found)
    return slid


def _places(axis: Axis, window: Window, facts: Facts) -> Axis | Clash:
    length, stride = axis.size, window.stride
    parts = (window.size, window.padding, window.dilation)
    if length is None or stride is None or None in parts or stride.number == 0:
        return resized(axis, None, facts)
    size, padding, dilation = (part for part in parts if part is not None)
    reach = dilation * (size - 1) + 1
    room = facts.resolve(length + 2 * padding - reach)
    if window.ceil is None:
        return resized(axis, None, facts)
    count: Size | None = room // stride + 1
    if window.ceil:
        count = _rounded_up(room, stride, length + padding)
    none = at_least(-room, ONE) if count is None or not window.ceil else at_least(ZERO, count)
    if none:
        text = f"slides a window of {reach} over {length + 2 * padding}"
        return Clash(Fault.AXIS, text, 0, length, reach)
    return resized(axis, count, facts)


def _rounded_up(room: Size, stride: Size, end: Size) -> Size | None:
    """The places with a last one that may reach beyond: it must begin before ``end``."""
    count = (room + stride - 1) // stride + 1
    begins = (count - 1) * stride
    if at_least(begins, end):
        return count - 1
    # The last window begins before room + stride.
    return count if at_least(end, room + stride) or at_least(end, begins + 1) else None


def patch_count(axes: Items[Axis]) -> Size | None:
    """The number of places on all axes together."""
    sizes = [axis.size for axis in axes]
    return None if None in sizes else product(size for size in sizes if size is not None)
