"""Padding: pad and pad_sequence."""

from __future__ import annotations

from typing import TypeAlias

from attncheck.algebra.bounds import at_least, never_negative
from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Shape, expand, with_trailing
from attncheck.algebra.size import ZERO, Size, const
from attncheck.operators.axes import axes_text
from attncheck.operators.call import Call
from attncheck.operators.events import Clash, Fault, Joining, Outcome
from attncheck.operators.operands import dtype_of
from attncheck.operators.seats import rank_clash, ranks_clash, resized, seat
from attncheck.operators.windows import each
from attncheck.record import replace
from attncheck.values.value import Const, Int, Sequence, Value, as_size, as_tensor

_CONSTANT = Const("constant")


def pad(call: Call) -> Outcome:
    """torch.nn.functional.pad: ``widths`` (before, after) from the last axis on.

    Negative widths cut. Clashes with more pairs than axes, an odd number of widths, or where more
    is cut from an axis than it has.
    """
    tensor = call.tensor("x")
    widths = call.sizes("widths")
    if tensor is None or tensor.shape is None or widths is None:
        return Outcome(call.make(None))
    if len(widths) % 2:
        text = f"takes pairs of widths, not {len(widths)} numbers"
        return Outcome(call.make(None), clash=Clash(Fault.RANK, text))
    constant = call.arguments.get("mode", _CONSTANT) == _CONSTANT
    clash = _too_short(tensor.shape, widths) if constant else None
    if clash is not None:
        return Outcome(call.make(None), clash=clash)
    return _pad_behind(call, tensor.shape, widths)


def _too_short(shape: Shape, widths: list[Size | None]) -> Clash | None:
    """Why widths cut more from an axis than it has, or None.

    It is cut at both ends before anything is put on, so that no other width makes up for it.
    """
    axes = shape.axes[::-1] if shape.closed else ()
    for axis, before, after in zip(axes, widths[::2], widths[1::2], strict=False):
        cut = ZERO
        for width in (before, after):
            if width is not None and never_negative(-width):
                cut -= width
        if axis.size is not None and at_least(cut, axis.size + 1):
            text = f"pads an axis of {axis.size} by {-cut}: that cuts more than it has"
            return Clash(Fault.AXIS, text, 0, axis.size, cut)
    return None


def pad_image(call: Call) -> Outcome:
    """A padding layer over ``spatial`` axes: one width for all sides, or (before, after) for each.

    Clashes, but for padding with a number, if axes for the channels are missing or there are more
    than a batch of images has, or if more is reflected or wrapped around than there is.
    """
    shape, kind, spatial = call.shape("x"), call.text("kind"), call.integer("spatial")
    assert spatial is not None
    widths = each(call, "widths", 2 * spatial)
    if shape is None:
        return Outcome(call.make(None))
    clash = None
    if kind not in ("zero", "constant"):
        clash = ranks_clash(shape, (spatial + 1, spatial + 2))
    if clash is None and kind in ("reflection", "circular"):
        clash = _beyond(shape, widths, 1 if kind == "reflection" else 0)
    if clash is not None:
        return Outcome(call.make(None), clash=clash)
    return _pad_behind(call, shape, widths)


def _beyond(shape: Shape, widths: list[Size | None], spared: int) -> Clash | None:
    """Why more elements are wanted of an axis than it has, less the ``spared`` ones, or None."""
    for index, width in enumerate(widths):
        size = shape.axes[-1 - index // 2].size if shape.closed else None
        if size is not None and width is not None and at_least(width + spared, size + 1):
            return Clash(Fault.AXIS, f"pads an axis of {size} with {width} of its own", 0, size)
    return None


def _pad_behind(call: Call, shape: Shape, widths: list[Size | None]) -> Outcome:
    """Pad by pairs of widths, from the last axis on."""
    count, dtype = len(widths) // 2, dtype_of(call.arguments.get("x"))
    grown = with_trailing(shape, count, call.facts)
    if grown is None:
        text = f"pads {axes_text(count)} of {shape}"
        return Outcome(call.make(None), clash=Clash(Fault.RANK, text))
    pairs = [(widths[index], widths[index + 1]) for index in range(0, len(widths), 2)]
    for distance, (before, after) in enumerate(pairs, start=1):
        found = seat(grown, -distance, call.facts)
        if found is None:
            return Outcome(call.make(None))
        grown = found.put(_padded(found.axis, before, after, call.facts))
    return Outcome(call.make(grown, dtype))


def pad_axes(call: Call) -> Outcome:
    """numpy.pad: one width for all axes, one pair for all, or a pair for each axis."""
    tensor = call.tensor("x")
    value = call.value("widths")
    if tensor is None or tensor.shape is None or value is None or not tensor.shape.closed:
        return Outcome(call.make(None))
    shape = tensor.shape
    pairs = _width_pairs(value, len(shape.lead))
    if pairs is None:
        return Outcome(call.make(None, tensor.dtype))
    if len(pairs) != len(shape.lead):
        text = f"pads {axes_text(len(pairs))} of {shape}"
        return Outcome(call.make(None), clash=Clash(Fault.RANK, text))
    axes = tuple(
        _padded(axis, before, after, call.facts)
        for axis, (before, after) in zip(shape.lead, pairs, strict=True)
    )
    return Outcome(call.make(Shape(axes), tensor.dtype))


Pair: TypeAlias = tuple[Size | None, Size | None]


def _width_pairs(value: Value, rank: int) -> list[Pair] | None:
    if type(value) is Int:
        return [(value.size, value.size)] * rank
    if type(value) is not Sequence or value.items is None:
        return None
    items = value.items
    if all(type(item) is Int for item in items):
        sizes = [as_size(item) for item in items]
        if len(sizes) == 1:
            return [(sizes[0], sizes[0])] * rank
        return [(sizes[0], sizes[1])] * rank if len(sizes) == 2 else None
    pairs: list[Pair] = []
    for item in items:
        if type(item) is not Sequence or item.items is None or not 1 <= len(item.items) <= 2:
            return None
        pairs.append((as_size(item.items[0]), as_size(item.items[-1])))
    return pairs * rank if len(pairs) == 1 else pairs


def _padded(axis: Axis, before: Size | None, after: Size | None, facts: Facts) -> Axis:
    """The axis with so many places more; unknown where negative widths may cut it empty."""
    if axis.size is None or before is None or after is None:
        return replace(axis, size=None, parts=())
    size = facts.resolve(axis.size + before + after)
    return resized(axis, size if never_negative(size) else None, facts)


def pad_sequence(call: Call) -> Outcome:
    """torch.nn.utils.rnn.pad_sequence: tensors (T_i, *) to (T, n, *), or (n, T, *) batch first."""
    value = call.arguments.get("xs")
    if type(value) is not Sequence:
        return Outcome(call.make(None))
    first = as_tensor(value.items[0] if value.items else value.element)
    count = const(len(value.items)) if value.items is not None else value.length
    batch_first = call.flag("batch_first")
    if first is None or first.shape is None or batch_first is None:
        return Outcome(call.make(None))
    shape = expand(first.shape, call.facts)
    found = seat(shape, 0, call.facts)
    if found is None:
        clash = rank_clash(shape, "sequences with a time axis") if shape.closed else None
        return Outcome(call.make(None), clash=clash)
    time = replace(found.axis, size=None, parts=())
    pair = (Axis(count), time) if batch_first else (time, Axis(count))
    return Outcome(call.make(found.put(*pair), first.dtype), Joining("pad_sequence", None))
