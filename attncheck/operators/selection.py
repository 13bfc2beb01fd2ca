"""Selecting elements by other means than brackets: gather, take, scatter, topk, sort."""

from __future__ import annotations

from attncheck.algebra.bounds import at_least
from attncheck.algebra.broadcast import broadcast
from attncheck.algebra.shape import Axis, Shape
from attncheck.algebra.size import ONE, ZERO, Size, const
from attncheck.operators.axes import out_of_range, with_rank
from attncheck.operators.call import Call
from attncheck.operators.elementwise import broadcast_clash, without_marks
from attncheck.operators.events import Clash, Elementwise, Event, Fault, Outcome, Selection
from attncheck.operators.literals import literal_shape
from attncheck.operators.seats import Seat, axis_clash, resized, seat, seat_of
from attncheck.operators.slicing import covers
from attncheck.record import replace
from attncheck.values.value import NONE, Int, Sequence, Value


def _dtype(call: Call) -> str | None:
    tensor = call.tensor("x")
    return None if tensor is None else tensor.dtype


def _count(shape: Shape) -> Size | None:
    total: Size | None = ONE
    for axis in shape.axes:
        total = None if total is None or axis.size is None else total * axis.size
    return total


# -- by an index array -------------------------------------------------------------------------


def gather(call: Call) -> Outcome:
    """torch.gather: the shape of ``index``.

    Clashes if the ranks differ, or ``index`` is longer than ``x`` on another axis.
    """
    shape, wanted = call.shape("x"), call.shape("index")
    axis = call.integer("axis")
    if shape is None or wanted is None:
        return Outcome(call.make(wanted and without_marks(wanted), _dtype(call)))
    rank = shape.rank if shape.rank is not None else wanted.rank
    if 0 in (shape.rank, wanted.rank) and {shape.rank, wanted.rank} <= {0, 1, None}:
        # torch takes a scalar for a vector of one element here.
        inside = axis in {None, 0, -1} or None in (shape.rank, wanted.rank)
        clash = None if inside else out_of_range((axis or 0,), shape)
        return Outcome(call.make(without_marks(wanted), _dtype(call)), clash=clash)
    if rank is not None:
        source, target = (with_rank(each, rank, call.facts) for each in (shape, wanted))
        if isinstance(source, Clash) or isinstance(target, Clash):
            text = f"gathers from {shape} by an index of {wanted}: the ranks differ"
            return Outcome(call.make(None), clash=Clash(Fault.RANK, text, 1))
        if source is None or target is None:
            return Outcome(call.make(without_marks(wanted), _dtype(call)))
        shape, wanted = source, target
        clash = None if axis is None else axis_clash(shape, axis, call.facts)
        clash = clash or _too_long(shape, wanted, axis)
        if clash is not None:
            return Outcome(call.make(None), clash=clash)
    return Outcome(call.make(without_marks(wanted), _dtype(call)))


def _too_long(shape: Shape, wanted: Shape, axis: int | None) -> Clash | None:
    if axis is None:
        return None
    skip = axis % len(shape.lead) if shape.lead else None
    for place, (have, want) in enumerate(zip(shape.lead, wanted.lead, strict=True)):
        if place == skip or have.size is None or want.size is None:
            continue
        if at_least(want.size, have.size + 1):
            text = (
                f"gathers from {shape} by an index of {wanted}: "
                f"{want} is longer than {have} on axis {place}"
            )
            return Clash(Fault.AXIS, text, 1, have.size, want.size)
    return None


def take_along(call: Call) -> Outcome:
    """numpy.take_along_axis: ``index`` on the axis, both broadcast against each other off it."""
    shape, wanted = call.shape("x"), call.shape("index")
    if shape is None or wanted is None:
        return Outcome(call.make(None, _dtype(call)))
    last = call.like_numpy and "axis" not in call.arguments
    if not last and not call.given("axis"):
        return Outcome(call.make(without_marks(wanted), _dtype(call)))
    axis = -1 if last else call.integer("axis")
    if axis is None or shape.rank is None or wanted.rank is None:
        return Outcome(call.make(None, _dtype(call)))
    if shape.rank != wanted.rank:
        text = f"takes from {shape} by an index of {wanted}: the ranks differ"
        return Outcome(call.make(None), clash=Clash(Fault.RANK, text, 1))
    found = seat(shape, axis, call.facts)
    if found is None:
        return Outcome(call.make(None), clash=axis_clash(shape, axis, call.facts))
    chosen = wanted.lead[found.index]
    made = broadcast(found.put(Axis(ONE)), wanted, call.facts)
    clash = broadcast_clash(made, "takes by an index from", (shape, wanted))
    if clash is not None:
        return Outcome(call.make(None), clash=clash)
    if made.shape is None:
        return Outcome(call.make(None, _dtype(call)))
    result = Seat(made.shape, found.index).put(chosen)
    return Outcome(call.make(without_marks(result), _dtype(call)))


def take(call: Call) -> Outcome:
    """numpy.take, torch.index_select: the index's axes instead of the chosen one.

    Without an axis, the shape of the index. `index_select` wants a vector or a single number.
    """
    index = call.value("index")
    tensor = call.tensor("x")
    if index is None or tensor is None:
        return Outcome(call.make(None, _dtype(call)))
    wanted, _ = literal_shape(index, call.facts)
    if not call.given("axis"):
        shape = None if wanted is None else without_marks(wanted)
        return Outcome(call.make(shape, tensor.dtype))
    found, clash = seat_of(call)
    if found is None or wanted is None or not wanted.closed:
        return Outcome(call.make(None, tensor.dtype), clash=clash)
    return Outcome(
        call.make(found.put(*without_marks(wanted).lead), tensor.dtype), _instead(found, wanted)
    )


def gather_rows(call: Call) -> Outcome:
    """tf.gather: `take` along an axis, the first one behind ``batch_dims`` if there is none.

    The first ``batch_dims`` axes of the index are those of ``x``, row by row.
    """
    batched = call.integer("batch_dims") if call.given("batch_dims") else 0
    if batched is None:
        return Outcome(call.make(None, _dtype(call)))
    axis: Value = call.value("axis") or Int(const(batched))
    call = replace(call, arguments=call.arguments | {"axis": axis})
    if batched == 0:
        return take(call)
    found, clash = seat_of(call)
    wanted = call.shape("index")
    if found is None or wanted is None or not wanted.closed or not 0 < batched < len(wanted.lead):
        return Outcome(call.make(None, _dtype(call)), clash=clash)
    rest = without_marks(Shape(wanted.lead[batched:])).lead
    return Outcome(call.make(found.put(*rest), _dtype(call)))


def index_select(call: Call) -> Outcome:
    """torch.index_select: the length of ``index`` on the axis; the index is a vector."""
    found, clash = seat_of(call)
    wanted = call.shape("index")
    if wanted is not None and wanted.at_least > 1:
        text = f"selects by an index of {wanted}, which is no vector"
        clash = clash or Clash(Fault.RANK, text, 1)
    if clash is not None or found is None or wanted is None or wanted.rank is None:
        return Outcome(call.make(None, _dtype(call)), clash=clash)
    vector = wanted if wanted.rank == 1 else Shape((Axis(ONE),))
    if not found.shape.lead and found.shape.closed:
        return Outcome(call.make(found.shape, _dtype(call)))
    shape = found.put(*without_marks(vector).lead)
    return Outcome(call.make(shape, _dtype(call)), _instead(found, vector))


def _instead(found: Seat, wanted: Shape) -> Event | None:
    rank = found.shape.rank
    if rank is None:
        return None
    kept: list[int | None] = list(range(rank))
    kept[found.index : found.index + 1] = [None] * len(wanted.lead)
    return Selection(tuple(kept))


def select(call: Call) -> Outcome:
    """torch.select: one place of an axis, without the axis."""
    found, clash = seat_of(call)
    if found is None:
        return Outcome(call.make(None, _dtype(call)), clash=clash)
    size, number = found.axis.size, call.size("index")
    if size is not None and number is not None and covers(size, number) is False:
        text = f"takes index {number} of an axis of {size}"
        clash = Clash(Fault.AXIS, text, 0, size, number)
        return Outcome(call.make(None), clash=clash)
    return Outcome(call.make(found.put(), _dtype(call)), _without(found))


def _without(found: Seat) -> Event | None:
    rank = found.shape.rank
    return None if rank is None else Selection(tuple(i for i in range(rank) if i != found.index))


def narrow(call: Call) -> Outcome:
    """torch.narrow: ``length`` places of an axis from ``start`` on."""
    found, clash = seat_of(call)
    if found is None:
        return Outcome(call.make(None, _dtype(call)), clash=clash)
    length, start = call.size("length"), call.size("start")
    size = found.axis.size
    if size is not None and length is not None and at_least(length, size + 1):
        text = f"takes {length} places of an axis of {size}"
        return Outcome(call.make(None), clash=Clash(Fault.AXIS, text, 0, size, length))
    if None not in (size, length, start) and _beyond(size, start, length):
        text = f"takes {length} places from {start} on of an axis of {size}"
        return Outcome(call.make(None), clash=Clash(Fault.AXIS, text, 0, size, length))
    axis = resized(found.axis, length, call.facts, "slice" if length == ONE else None)
    event = None if found.shape.rank is None else Selection(tuple(range(found.shape.rank)))
    return Outcome(call.make(found.put(axis), _dtype(call)), event)


def _beyond(size: Size | None, start: Size | None, length: Size | None) -> bool:
    if size is None or start is None or length is None:
        return False
    if at_least(-start, const(1)):
        start = size + start
    return at_least(-start, const(1)) or at_least(start + length, size + 1)


def masked_select(call: Call) -> Outcome:
    """torch.masked_select: a vector of unknown length; the mask broadcasts against ``x``."""
    shape, mask = call.shape("x"), call.shape("mask")
    result = call.make(Shape((Axis(None),)), _dtype(call))
    if shape is None or mask is None:
        return Outcome(result)
    spread = broadcast(shape, mask, call.facts)
    clash = broadcast_clash(spread, "selects by mask", (shape, mask))
    event = Elementwise("masked_select", spread)
    return Outcome(call.make(None) if clash else result, event, clash)


def scatter(call: Call) -> Outcome:
    """Writing by an index array: the shape of ``x``; ``index`` must have as many axes."""
    tensor, index = call.tensor("x"), call.shape("index")
    if tensor is None:
        return Outcome(call.make(None))
    shape = tensor.shape
    result = call.make(None if shape is None else without_marks(shape), tensor.dtype)
    if shape is None or shape.rank is None or index is None or index.rank is None:
        return Outcome(result)
    if shape.rank != index.rank and shape.rank and index.rank:
        text = f"scatters into {shape} by an index of {index}: the ranks differ"
        return Outcome(result, clash=Clash(Fault.RANK, text, 1))
    axis = call.integer("axis")
    clash = None
    if axis is not None and shape.rank == index.rank:
        clash = axis_clash(shape, axis, call.facts) or _too_long(shape, index, axis)
    return Outcome(result, clash=clash)


def fill_by_index(call: Call) -> Outcome:
    """index_copy, index_fill, index_add, masked_scatter, index_put: the shape of ``x``."""
    tensor = call.tensor("x")
    if tensor is None:
        return Outcome(call.make(None))
    clash = None
    axis = call.integer("axis")
    if tensor.shape is not None and axis is not None:
        clash = axis_clash(tensor.shape, axis, call.facts)
    shape = None if tensor.shape is None else without_marks(tensor.shape)
    return Outcome(call.make(shape, tensor.dtype), clash=clash)


# -- by value ----------------------------------------------------------------------------------


def topk(call: Call) -> Outcome:
    """torch.topk: (values, indices), ``count`` long on the axis (the last by default)."""
    return _ranked(call, "count", "takes the {} largest of an axis of {}")


def _ranked(call: Call, name: str, message: str) -> Outcome:
    found, clash = seat_of(call, -1)
    if found is None:
        return Outcome(_pair(call, None), clash=clash)
    size, count = found.axis.size, call.size(name)
    if size is not None and count is not None and at_least(count, size + 1):
        text = message.format(count, size)
        return Outcome(_pair(call, None), clash=Clash(Fault.AXIS, text, 0, size, count))
    return Outcome(_pair(call, found.put(resized(found.axis, count, call.facts))))


def kth_value(call: Call) -> Outcome:
    """torch.kthvalue: (values, indices) without the axis, or with a 1 in its place."""
    found, clash = seat_of(call, -1)
    keepdims = call.flag("keepdims")
    if found is None or keepdims is None:
        return Outcome(_pair(call, None), clash=clash)
    size, count = found.axis.size, call.size("count")
    if size is not None and count is not None and at_least(count, size + 1):
        text = f"takes value number {count} of an axis of {size}"
        return Outcome(_pair(call, None), clash=Clash(Fault.AXIS, text, 0, size, count))
    shape = found.put(Axis(ONE, made="keepdims")) if keepdims else found.put()
    return Outcome(_pair(call, shape))


def _pair(call: Call, shape: Shape | None) -> Sequence:
    result = None if shape is None else without_marks(shape)
    return Sequence((call.make(result, _dtype(call)), call.make(result, "int")))


def sort_pair(call: Call) -> Outcome:
    """torch.sort: (values, indices) of the shape of ``x``."""
    shape, clash = _ordered(call)
    return Outcome(_pair(call, shape), clash=clash)


def sort(call: Call) -> Outcome:
    """numpy.sort, numpy.partition: the shape of ``x``; flat if the axis is None."""
    shape, clash = _ordered(call)
    return Outcome(call.make(shape, _dtype(call)), clash=clash)


def argsort(call: Call) -> Outcome:
    """The order of the elements along an axis: the shape of ``x``, integers."""
    shape, clash = _ordered(call)
    known = call.shape("x")
    if known is not None and known.rank == 0 and call.library == "numpy":
        # NumPy makes a vector of a scalar here, and nowhere else.
        vector = Shape((Axis(ONE),))
        axis = call.integer("axis")
        clash = None if axis is None else axis_clash(vector, axis, call.facts)
        return Outcome(call.make(vector, "int"), clash=clash)
    return Outcome(call.make(shape, "int"), clash=clash)


def sort_in_place(call: Call) -> Outcome:
    """numpy.ndarray.sort: gives None."""
    _, clash = _ordered(call)
    return Outcome(NONE, clash=clash)


def _ordered(call: Call) -> tuple[Shape | None, Clash | None]:
    shape = call.shape("x")
    if shape is None:
        return None, None
    if "axis" in call.arguments and not call.given("axis"):
        return (Shape((Axis(_count(shape)),)) if shape.closed else None), None
    axis = call.integer("axis") if call.given("axis") else -1
    scalar_torch = call.library == "torch" and shape.rank == 0 and axis in (-1, 0)
    clash = None if axis is None or scalar_torch else axis_clash(shape, axis, call.facts)
    return (None if clash else without_marks(shape)), clash


def positions(call: Call) -> Outcome:
    """numpy.argwhere, torch.nonzero: one row of coordinates for each element found."""
    if call.flag("as_tuple"):
        return positions_by_axis(call)
    shape = call.shape("x")
    rank = None if shape is None else shape.rank
    columns = Axis(None if rank is None else const(rank))
    return Outcome(call.make(Shape((Axis(None), columns)), "int"))


def positions_by_axis(call: Call) -> Outcome:
    """numpy.nonzero: the coordinates of the elements found, one vector for each axis."""
    shape = call.shape("x")
    vector = call.make(Shape((Axis(None),)), "int")
    rank = None if shape is None else shape.rank
    if rank is None:
        return Outcome(Sequence(None, element=vector))
    if rank == 0 and call.like_numpy:
        text = f"wants at least one axis, not {shape}"
        return Outcome(Sequence(None, element=vector), clash=Clash(Fault.RANK, text))
    return Outcome(Sequence((vector,) * max(rank, 1)))


def membership(call: Call) -> Outcome:
    """isin: one truth value for each element of ``x``."""
    return _each_element(call, "x", "bool")


def unique(call: Call) -> Outcome:
    """The distinct elements: a vector of unknown length; unknown if more is asked for."""
    asked = ("inverse", "counts", "index")
    if call.given("axis") or any(
        call.given(name) and call.flag(name) is not False for name in asked
    ):
        return call.unknown()
    return unlisted_vector(call)


def search(call: Call) -> Outcome:
    """searchsorted, bucketize, digitize: the shape of what is looked up, integers."""
    return _each_element(call, "y", "int")


def _each_element(call: Call, name: str, dtype: str) -> Outcome:
    """One answer for each element of an argument, which may be a list."""
    value = call.value(name)
    shape = None if value is None else literal_shape(value, call.facts)[0]
    return Outcome(call.make(None if shape is None else without_marks(shape), dtype))


# -- windows and vectors ---------------------------------------------------------------------------


def unfold(call: Call) -> Outcome:
    """torch.Tensor.unfold: windows every ``step``; (n, a) over axis 0 to (m, a, length)."""
    found, clash = seat_of(call)
    length, step = call.size("length"), call.size("step")
    if found is None or not found.shape.closed:
        return Outcome(call.make(None, _dtype(call)), clash=clash)
    size = found.axis.size
    count: Size | None = None
    if size is not None and length is not None and step is not None:
        if at_least(length, size + 1):
            text = f"takes windows of {length} from an axis of {size}"
            return Outcome(call.make(None), clash=Clash(Fault.AXIS, text, 0, size, length))
        if at_least(size, length) and step.number != 0:
            count = (size - length) // step + 1
    shape = found.put(resized(found.axis, count, call.facts))
    return Outcome(call.make(Shape((*shape.lead, Axis(length))), _dtype(call)))


def sliding_windows(call: Call) -> Outcome:
    """sliding_window_view of numpy: (n, a) over axis 0 to (n - length + 1, a, length).

    ``axis`` may name several axes, one more than once, each with its own length; all if none is
    named. The windows' own axes come last.
    """
    shape, lengths = call.shape("x"), call.sizes("length")
    axes = call.integers("axis")
    if not call.given("axis") and shape is not None and shape.closed:
        axes = tuple(range(len(shape.lead)))
    if lengths is None and axes is not None and len(axes) == 1:
        lengths = [call.size("length")]  # of one axis it is a number
    if shape is None or not shape.closed or axes is None or lengths is None:
        return Outcome(call.make(None, _dtype(call)))
    clash = _no_windows(shape, axes, lengths, call)
    if clash is not None:
        return Outcome(call.make(None), clash=clash)
    made = list(shape.lead)
    for number, length in zip(axes, lengths, strict=True):
        size = made[number].size
        count = None if size is None or length is None else size - length + 1
        made[number] = resized(made[number], count, call.facts)
    return Outcome(call.make(Shape((*made, *map(Axis, lengths))), _dtype(call)))


def _no_windows(
    shape: Shape, axes: tuple[int, ...], lengths: list[Size | None], call: Call
) -> Clash | None:
    """The clash of windows of other lengths than can be had along these axes, or None."""
    if len(axes) != len(lengths):
        text = f"takes windows of {len(lengths)} lengths along {len(axes)} axes"
        return Clash(Fault.RANK, text)
    taken: dict[int, Size] = {}
    for axis, length in zip(axes, lengths, strict=True):
        clash = axis_clash(shape, axis, call.facts)
        if clash is not None:
            return clash
        place = axis % len(shape.lead)
        size = shape.lead[place].size
        if size is None or length is None:
            continue
        size -= taken.get(place, ZERO)
        if at_least(length, size + 1):
            text = f"takes windows of {length} from an axis of {size}"
            return Clash(Fault.AXIS, text, 0, size, length)
        taken[place] = taken.get(place, ZERO) + length - 1
    return None


def unlisted_vector(call: Call) -> Outcome:
    """unique, bincount and others whose length only the data know: one axis of unknown size."""
    dtype = call.text("dtype_is") or _dtype(call)
    return Outcome(call.make(Shape((Axis(None),)), dtype))
