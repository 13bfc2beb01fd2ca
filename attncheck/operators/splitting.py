"""Splitting an axis: split, chunk, unbind and NumPy's variants.

The pieces are tensors one by one where their number is known, else a sequence of tensors that are
all alike. Reference: torch.split, torch.chunk, torch.tensor_split, numpy.split.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import TypeAlias

from attncheck.algebra.bounds import never_negative
from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import Axis, Shape
from attncheck.algebra.size import ZERO, Size, const
from attncheck.operators.call import Call
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Clash, Event, Fault, Outcome, Selection
from attncheck.operators.seats import resized, seat_of
from attncheck.operators.slicing import slice_axis
from attncheck.record import replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import Int, Sequence, Slice, Value

#: Nobody unpacks more pieces than this; a split into more is a sequence of unlisted items.
MOST_PIECES = 4096


def split(call: Call) -> Outcome:
    """torch.split: pieces of ``size`` (the last may be smaller), or of a list of sizes.

    Clashes if the listed sizes do not add up to the axis.
    """
    return _split(call, _pieces_by_size)


def chunk(call: Call) -> Outcome:
    """torch.chunk: ``count`` pieces of equal size.

    Where the axis is a symbol it is taken to be divisible, and that is recorded as an assumption:
    the code that unpacks the pieces relies on it.
    """
    return _split(call, _pieces_by_chunk)


def sections(call: Call) -> Outcome:
    """numpy.split: ``parts`` equal pieces, or the pieces between a list of indices.

    Clashes if the axis is not divisible into equal pieces.
    """
    return _split(call, _pieces_by_section)


def parts_or_sizes(call: Call) -> Outcome:
    """tf.split: ``parts`` equal pieces, or pieces of the sizes in a list."""
    value = call.value("parts")
    if type(value) is not Sequence:
        return sections(call)
    return split(replace(call, arguments=call.arguments | {"size": value}))


def array_split(call: Call) -> Outcome:
    """numpy.array_split, torch.tensor_split: like `sections`, but the pieces may be unequal."""
    return _split(call, _pieces_by_unequal_section)


def hsplit(call: Call) -> Outcome:
    """numpy.hsplit, torch.hsplit: `sections` along axis 1, of a vector along axis 0."""
    shape = call.shape("x")
    if shape is None or shape.rank is None:
        return Outcome(Sequence(None, element=call.make(None)))
    axis: Value = Int(const(0 if shape.rank == 1 else 1))
    return sections(replace(call, arguments=call.arguments | {"axis": axis}))


#: The pieces of an axis: their axes, or a clash; neither where their number is not known.
Pieces: TypeAlias = tuple[list[Axis] | None, Clash | None]


def _split(call: Call, cut: Callable[[Call, Axis], Pieces]) -> Outcome:
    tensor = call.tensor("x")
    unknown = Sequence(None, element=call.make(None))
    found, clash = seat_of(call, 0)
    if tensor is None or found is None:
        return Outcome(unknown, clash=clash)
    event: Event | None = _all_kept(found.shape)
    pieces, clash = cut(call, found.axis)
    if clash is not None:
        return Outcome(unknown, event, clash)
    listed = call.like_numpy
    if pieces is None:
        each, length = _alike(call, found.axis)
        element = call.make(found.put(each), tensor.dtype)
        return Outcome(Sequence(None, listed, element, length), event)
    items = tuple(call.make(found.put(piece), tensor.dtype) for piece in pieces)
    return Outcome(Sequence(items, listed), event)


def _alike(call: Call, axis: Axis) -> tuple[Axis, Size | None]:
    """What any of an unknown number of pieces has for an axis, and how many pieces there are.

    Pieces of one ``size`` are all of it where they come out even for every size.
    """
    each = call.size("size")
    known = axis.size is not None and each is not None and never_negative(each - 1)
    count = axis.size.divided_by(each) if known and axis.size and each else None
    if each is None or count is None or count.number is not None:
        return replace(axis, size=None, parts=()), None
    return resized(axis, each, call.facts), count


def _all_kept(shape: Shape) -> Selection | None:
    return None if shape.rank is None else Selection(tuple(range(shape.rank)))


def _pieces_by_size(call: Call, axis: Axis) -> Pieces:
    value = call.value("size")
    if type(value) is Sequence:
        return _pieces_of_sizes(call, axis)
    size = call.size("size")
    count = _piece_count(axis.size, size, call.facts)
    if count is not None:
        return [resized(axis, size, call.facts)] * count, None
    total, each = _number(axis.size), _number(size)
    if total is None or not each or each < 0:
        return None, None
    sizes = [each] * (total // each) + ([total % each] if total % each else [])
    return [resized(axis, const(number), call.facts) for number in sizes or [0]], None


def _piece_count(total: Size | None, each: Size | None, facts: Facts) -> int | None:
    """How many pieces of size `each` make `total`, if that comes out even for every size."""
    if total is None or each is None:
        return None
    exact = total.divided_by(each) if each.terms else None
    if exact is not None and exact.number is not None and 0 < exact.number <= MOST_PIECES:
        return exact.number
    if each.number is not None:
        return None
    for count in range(1, 17):
        if facts.equal(each * count, total):
            return count
    return None


def _pieces_of_sizes(call: Call, axis: Axis) -> Pieces:
    sizes = call.sizes("size")
    if sizes is None:
        return None, None
    total = sum_of(sizes)
    if total is not None and axis.size is not None:
        names = ", ".join(str(size) for size in sizes)
        text = f"splits an axis of {axis.size} into ({names}), together {total}"
        verdict = call.facts.force(axis.size, total, text)
        if verdict.clashes:
            return None, Clash(Fault.SPLIT, text, 0, axis.size, total, verdict)
    return [resized(axis, size, call.facts) for size in sizes], None


def _pieces_by_chunk(call: Call, axis: Axis) -> Pieces:
    count = call.integer("count")
    if count is None or not 0 < count <= MOST_PIECES:
        return None, None
    total = _number(axis.size)
    if total is None:
        return _equal_pieces(axis, count, call.facts), None
    each = -(-total // count)
    if not each:
        return [axis] * count, None
    sizes = [min(each, total - start) for start in range(0, total, each)]
    return [resized(axis, const(size), call.facts) for size in sizes], None


def _count(call: Call) -> int | None:
    """How many pieces a call asks for, or None if that is unknown or too many to list."""
    count = call.integer("parts")
    return count if count is not None and 0 < count <= MOST_PIECES else None


def _pieces_by_section(call: Call, axis: Axis) -> Pieces:
    if type(call.value("parts")) in (Sequence, Tensor):
        return _pieces_at_indices(call, axis)
    count = _count(call)
    if count is None:
        return None, None
    total = axis.size
    if total is not None and call.facts.divisible(total, const(count)) is Verdict.DIFFERENT:
        text = f"splits an axis of {total} into {count} equal parts"
        return None, Clash(Fault.SPLIT, text, 0, total)
    return _equal_pieces(axis, count, call.facts), None


def _pieces_by_unequal_section(call: Call, axis: Axis) -> Pieces:
    if type(call.value("parts")) in (Sequence, Tensor):
        return _pieces_at_indices(call, axis)
    count = _count(call)
    if count is None:
        return None, None
    size, total = axis.size, _number(axis.size)
    if total is not None:
        sizes = [total // count + (index < total % count) for index in range(count)]
        return [resized(axis, const(number), call.facts) for number in sizes], None
    if size is not None and call.facts.divisible(size, const(count)) is Verdict.EQUAL:
        return _equal_pieces(axis, count, call.facts), None
    return [replace(axis, size=None, parts=())] * count, None


def _pieces_at_indices(call: Call, axis: Axis) -> Pieces:
    """The pieces between cutting points: ``[a, b]`` gives ``:a``, ``a:b`` and ``b:``."""
    value = call.value("parts")
    if type(value) is not Sequence or value.items is None:
        return None, None
    bounds: list[Value | None] = [None, *value.items, None]
    pieces = [
        slice_axis(axis, Slice(lower, upper, None), call.facts)
        for lower, upper in itertools.pairwise(bounds)
    ]
    return pieces, None


def _equal_pieces(axis: Axis, count: int, facts: Facts) -> list[Axis]:
    """`count` equal pieces, on the assumption that the size is divisible."""
    if axis.size is None:
        return [replace(axis, parts=())] * count
    facts.divides(const(count), axis.size, f"it is split into {count} equal parts")
    return [resized(axis, axis.size // count, facts)] * count


def _number(size: Size | None) -> int | None:
    return None if size is None else size.number


def halve(call: Call) -> Outcome:
    """torch.nn.functional.glu: half of an axis gates the other; clashes if the size is odd."""
    tensor = call.tensor("x")
    dtype = None if tensor is None else tensor.dtype
    found, clash = seat_of(call, -1)
    if found is None:
        return Outcome(call.make(None, dtype), clash=clash)
    parts: Value = Int(const(2))
    halved = replace(call, arguments=call.arguments | {"parts": parts})
    pieces, clash = _pieces_by_section(halved, found.axis)
    shape = None if pieces is None else without_marks(found.put(pieces[0]))
    return Outcome(call.make(shape, dtype), clash=clash)


def unbind(call: Call) -> Outcome:
    """The slices along an axis, each without it: (n, a) to n times (a,)."""
    tensor = call.tensor("x")
    unknown = Sequence(None, element=call.make(None))
    found, clash = seat_of(call, 0)
    if tensor is None or found is None:
        return Outcome(unknown, clash=clash)
    item = call.make(found.put(), tensor.dtype)
    rank = found.shape.rank
    kept = () if rank is None else tuple(i for i in range(rank) if i != found.index)
    event = None if rank is None else Selection(kept)
    count = _number(found.axis.size)
    if count is not None and 0 < count <= MOST_PIECES:
        return Outcome(Sequence((item,) * count), event)
    return Outcome(Sequence(None, element=item, length=found.axis.size), event)


def sum_of(sizes: Iterable[Size | None]) -> Size | None:
    """The sum of sizes; None if any is unknown."""
    found = ZERO
    for size in sizes:
        if size is None:
            return None
        found = found + size
    return found
