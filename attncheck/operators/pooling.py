"""Pooling, and what else rearranges windows: unfold and fold, pixel shuffles, resizing.

Shapes: ``(N, C, ...)`` or ``(C, ...)``, the channels kept, unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable

from attncheck.algebra.bounds import at_least
from attncheck.algebra.shape import Axis, Shape, expand
from attncheck.algebra.size import ONE, Size, const, product
from attncheck.operators.axes import append, split_trailing
from attncheck.operators.call import Call
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Clash, Elementwise, Fault, Outcome
from attncheck.operators.features import groups_clash
from attncheck.operators.operands import dtype_of, operand_shape
from attncheck.operators.seats import rank_clash, ranks_clash, resized, seat
from attncheck.operators.windows import Parted, Window, each, parted, patch_count, slide, windows
from attncheck.values.value import UNKNOWN, Const, Sequence, Value, as_size


def _dtype(call: Call) -> str | None:
    return dtype_of(call.arguments.get("x"))


def _refuse(call: Call, clash: Clash | None) -> Outcome:
    return Outcome(_with_indices(call, None), clash=clash)


def _with_indices(call: Call, shape: Shape | None) -> Value:
    """The result, and with ``return_indices`` where each element came from."""
    value = call.make(shape, _dtype(call))
    return Sequence((value, call.make(shape, "int"))) if call.flag("indices") else value


def _image(call: Call) -> Parted | Clash | None:
    spatial, shape = call.integer("spatial"), call.shape("x")
    assert spatial is not None
    return None if shape is None else parted(shape, spatial, call.facts)


# -- pooling ---------------------------------------------------------------------------------------


def pool(call: Call) -> Outcome:
    """The largest, the mean or the norm of each window (see `windows` for their number)."""
    if call.flag("indices") is None:
        return call.unknown()
    image = _image(call)
    if not isinstance(image, Parted):
        return _refuse(call, image)
    sizes = each(call, "kernel", len(image.spatial))
    over = windows(call, sizes, call.flag("ceil"))
    clash = _unfit(call, image, over)
    if clash is not None:
        return _refuse(call, clash)
    places = slide(image.spatial, over, call.facts)
    if isinstance(places, Clash):
        return _refuse(call, places)
    return Outcome(_with_indices(call, image.with_axes(image.channels, places)))


def _unfit(call: Call, image: Parted, over: list[Window]) -> Clash | None:
    """Why windows do not go with their padding, or with axes that must hold a whole one."""
    for axis, window in zip(image.spatial, over, strict=True):
        size, padding = window.size, window.padding
        if size is None:
            continue
        if padding is not None and at_least(2 * padding, size + 1):
            text = f"pads by {padding}, more than half of a window of {size}"
            return Clash(Fault.AXIS, text, 0, padding, size)
        if call.flag("whole") and axis.size is not None and at_least(size, axis.size + 1):
            text = f"slides a window of {size} over {axis}"
            return Clash(Fault.AXIS, text, 0, axis.size, size)
    return None


def adaptive_pool(call: Call) -> Outcome:
    """Pooling to the lengths ``sizes``, one number for all axes; None keeps an axis.

    With ``any_rank`` more axes in front are no clash: torch takes them if one place is left.
    """
    shape, spatial = call.shape("x"), call.integer("spatial")
    assert spatial is not None
    if call.flag("indices") is None:
        return call.unknown()
    if call.flag("any_rank") and shape is not None and (shape.rank or 0) > spatial + 2:
        return Outcome(call.make(None, _dtype(call)))
    image = _image(call)
    if not isinstance(image, Parted):
        return _refuse(call, image)
    value = call.arguments.get("sizes")
    if type(value) is Sequence and value.items is not None:
        asked = list(value.items)
    else:
        asked = [value] * len(image.spatial) if value is not None else []
    if len(asked) == 1:
        asked *= len(image.spatial)
    if len(asked) != len(image.spatial):
        asked = [Const("?")] * len(image.spatial)
    places = [
        axis if item == Const(None) else resized(axis, _size(item, call), call.facts)
        for axis, item in zip(image.spatial, asked, strict=True)
    ]
    return Outcome(_with_indices(call, image.with_axes(image.channels, places)))


def _size(value: Value, call: Call) -> Size | None:
    size = as_size(value)
    return None if size is None else call.facts.resolve(size)


# -- windows as columns ----------------------------------------------------------------------------


def unfold(call: Call) -> Outcome:
    """torch.nn.Unfold: ``(N, C, H, W)`` to ``(N, C*window, places)``, also without N.

    The channels are outermost: a window of the first one comes before one of the second.
    """
    image, dtype = _image(call), _dtype(call)
    if not isinstance(image, Parted):
        return Outcome(call.make(None, dtype), clash=image)
    sizes = each(call, "kernel", 2)
    places = slide(image.spatial, windows(call, sizes), call.facts)
    if isinstance(places, Clash):
        return Outcome(call.make(None, dtype), clash=places)
    column = _times(image.channels.size, sizes)
    parts = () if column is None else (image.channels, Axis(_times(ONE, sizes)))
    made = append(image.outer, (Axis(column, parts=parts), Axis(patch_count(places))))
    return Outcome(call.make(made, dtype))


def fold(call: Call) -> Outcome:
    """torch.nn.Fold: ``(N, C*window, places)`` to ``(N, C, *sizes)``, also without N."""
    shape, dtype = operand_shape(call, "x"), _dtype(call)
    clash = None if shape is None else ranks_clash(shape, (2, 3))
    taken = None if shape is None or clash is not None else split_trailing(shape, 2, call.facts)
    if taken is None:
        return Outcome(call.make(None, dtype), clash=clash)
    outer, (column, count) = taken
    wanted = [Axis(size) for size in each(call, "sizes", 2)]
    kernel = each(call, "kernel", 2)
    if len(wanted) != len(kernel):
        return Outcome(call.make(None, dtype))
    places = slide(wanted, windows(call, kernel), call.facts)
    if isinstance(places, Clash):
        return Outcome(call.make(None, dtype), clash=places)
    window, total = _times(ONE, kernel), patch_count(places)
    clash = groups_clash(column.size, window, call.facts, "features")
    if clash is None and total is not None and count.size is not None:
        verdict = call.facts.force(count.size, total, "the number of windows")
        if verdict.clashes:
            text = f"puts {count} windows in {total} places"
            clash = Clash(Fault.COUNT, text, 0, count.size, total, verdict)
    if clash is not None:
        return Outcome(call.make(None, dtype), clash=clash)
    channels = None if column.size is None or window is None else column.size // window
    made = without_marks(append(outer, (Axis(channels), *wanted)))
    return Outcome(call.make(expand(made, call.facts), dtype))


def _times(size: Size | None, sizes: Iterable[Size | None]) -> Size | None:
    factors = [size, *sizes]
    return None if None in factors else product(f for f in factors if f is not None)


# -- pixels ----------------------------------------------------------------------------------------


def pixel_shuffle(call: Call) -> Outcome:
    """``(..., C*r*r, H, W)`` to ``(..., C, H*r, W*r)``."""
    return _shuffle(call, inward=False)


def pixel_unshuffle(call: Call) -> Outcome:
    """``(..., C, H*r, W*r)`` to ``(..., C*r*r, H, W)``."""
    return _shuffle(call, inward=True)


def _shuffle(call: Call, inward: bool) -> Outcome:
    shape, dtype = operand_shape(call, "x"), _dtype(call)
    factor = call.size("factor")
    if shape is None:
        return Outcome(call.make(None, dtype))
    taken = split_trailing(without_marks(shape), 3, call.facts)
    if taken is None:
        return Outcome(call.make(None, dtype), clash=rank_clash(shape, "3 axes or more"))
    outer, axes = taken
    made = []
    for axis, by in zip(axes, (2, 1, 1), strict=True):
        power = None if factor is None else factor**by
        divides = (by == 2) != inward
        clash = groups_clash(axis.size, power, call.facts, "elements") if divides else None
        if clash is not None:
            return Outcome(call.make(None, dtype), clash=clash)
        size = None
        if axis.size is not None and power is not None:
            size = axis.size // power if divides else axis.size * power
        made.append(resized(axis, size, call.facts))
    return Outcome(call.make(append(outer, made), dtype))


def channel_shuffle(call: Call) -> Outcome:
    """Channels dealt out over ``groups``, ``(N, C, ...)``: the shape of x."""
    shape, dtype = operand_shape(call, "x"), _dtype(call)
    event = Elementwise("channel_shuffle", None)
    if shape is None:
        return Outcome(call.make(None, dtype), event)
    clash = rank_clash(shape, "3 axes or more") if shape.closed and len(shape.lead) < 3 else None
    found = seat(shape, 1, call.facts)
    if clash is None and found is not None:
        clash = groups_clash(found.axis.size, call.size("groups"), call.facts)
    made = None if clash is not None else without_marks(shape)
    return Outcome(call.make(made, dtype), event, clash)


# -- resizing --------------------------------------------------------------------------------------

#: The spatial axes that a mode of interpolation is for.
_MODES = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}
#: Factors beyond are not worked out, nor, for a length that is not known as a number, those that
#: are no quotient of numbers up to here.
_LARGEST = 64


def resize(call: Call) -> Outcome:
    """torch.nn.functional.interpolate: ``(N, C, ...)`` to other lengths, or by a factor.

    A length times a factor is rounded down. Clashes if the mode is for another number of axes.
    """
    shape, dtype = operand_shape(call, "x"), _dtype(call)
    if shape is None:
        return Outcome(call.make(None, dtype))
    spatial = _MODES.get(call.text("mode") or "")
    ranks = (3, 4, 5) if spatial is None else (spatial + 2,)
    clash = ranks_clash(shape, ranks)
    if clash is not None or not shape.closed:
        return Outcome(call.make(None, dtype), clash=clash)
    axes = shape.lead[2:]
    lengths = _lengths(call, axes)
    if isinstance(lengths, Clash):
        return Outcome(call.make(None, dtype), clash=lengths)
    made = [resized(axis, size, call.facts) for axis, size in zip(axes, lengths, strict=True)]
    return Outcome(call.make(without_marks(Shape((*shape.lead[:2], *made))), dtype))


def _lengths(call: Call, axes: tuple[Axis, ...]) -> list[Size | None] | Clash:
    """The new lengths, by ``sizes`` or by ``factor``: one for all axes or one for each."""
    name = "sizes" if call.given("sizes") else "factor"
    value = call.value(name)
    if type(value) is not Sequence:
        values = [UNKNOWN if value is None else value] * len(axes)
    elif value.items is None:
        values = [UNKNOWN] * len(axes)
    else:
        values = list(value.items)
    if len(values) != len(axes):
        text = f"resizes {len(axes)} axes by {len(values)} numbers"
        return Clash(Fault.RANK, text)
    if name == "sizes":
        return [_size(value, call) for value in values]
    return [_scaled_size(axis.size, by, call) for axis, by in zip(axes, values, strict=True)]


def _scaled_size(length: Size | None, factor: Value, call: Call) -> Size | None:
    if length is None:
        return None
    whole = _size(factor, call)
    if whole is not None:
        return length * whole
    if type(factor) is not Const or not isinstance(factor.value, float):
        return None
    if not 0 < factor.value < _LARGEST:
        return None
    if length.number is not None:
        return const(int(length.number * factor.value))
    above, below = factor.value.as_integer_ratio()
    return length * above // below if max(above, below) <= _LARGEST else None
