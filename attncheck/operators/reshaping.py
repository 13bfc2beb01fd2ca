"""Elements kept in order, axes drawn anew: reshape and view, flatten, squeeze and unsqueeze."""

from __future__ import annotations

from collections.abc import Sequence as Items

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.reshape import INFER, Reshaped, Wanted
from attncheck.algebra.reshape import reshape as reshape_axes
from attncheck.algebra.shape import Axis, Row, Shape, closed
from attncheck.algebra.size import ONE, Size
from attncheck.operators.axes import Layout, expose, locate, out_of_range, shape_of_items
from attncheck.operators.call import Call
from attncheck.operators.events import Clash, Fault, NewAxis, Outcome, Reshaping, Squeeze
from attncheck.operators.operands import dtype_of, operand_shape


def _make(call: Call, shape: Shape | None, event: Reshaping | None = None) -> Outcome:
    return Outcome(call.make(shape, dtype_of(call.tensor("x"))), event)


def _refuse(call: Call, clash: Clash, event: Reshaping | None = None) -> Outcome:
    return Outcome(call.make(None, dtype_of(call.tensor("x"))), event, clash)


# -- reshape ---------------------------------------------------------------------------------------


def reshape(call: Call) -> Outcome:
    """``x`` with other sizes, one of which may be -1; as many elements as before.

    The result has the sizes asked for even where x is unknown.
    """
    wanted = wanted_sizes(call.sizes("sizes"))
    if isinstance(wanted, Clash):
        return _refuse(call, wanted)
    if wanted is None:
        return _make(call, None)
    return _to(call, operand_shape(call, "x"), wanted)


def reshape_like(call: Call) -> Outcome:
    """``x`` with the sizes of another tensor, which has as many elements."""
    other = call.shape("other")
    if other is None or not other.closed:
        return _make(call, other)
    return _to(call, operand_shape(call, "x"), list(other.sizes()))


def wanted_sizes(sizes: list[Size | None] | None) -> list[Wanted] | Clash | None:
    """The sizes of a reshape, -1 read as INFER; a clash if there are two, None if unknown."""
    if sizes is None:
        return None
    wanted: list[Wanted] = []
    for size in sizes:
        number = None if size is None else size.number
        wanted.append(INFER if number == -1 else size)
        if number is not None and number < -1:
            return Clash(Fault.COUNT, f"asks for the size {number}")
    if sum(size is INFER for size in wanted) > 1:
        return Clash(Fault.COUNT, "leaves more than one size to be inferred")
    return wanted


def _to(call: Call, shape: Shape | None, wanted: list[Wanted]) -> Outcome:
    spelling = call.spelling.rpartition(".")[2]
    if shape is None:
        return _make(call, _from_open(shape, wanted, call.facts))
    outcome = reshape_axes(shape, wanted, call.facts)
    if not shape.closed and not outcome.count.clashes:
        return _make(call, _from_open(shape, wanted, call.facts))
    event = Reshaping(outcome, spelling)
    clash = _count_clash(shape, wanted, outcome)
    return _make(call, outcome.shape, event) if clash is None else _refuse(call, clash, event)


def _from_open(shape: Shape | None, wanted: list[Wanted], facts: Facts) -> Shape:
    """The sizes asked for; leading axes that are known to stay are the operand's own."""
    axes = [Axis(size if isinstance(size, Size) else None) for size in wanted]
    for index, old in enumerate(() if shape is None else shape.lead[: len(axes)]):
        size = axes[index].size
        if size is None or old.size is None or not facts.equal(size, old.size):
            break
        axes[index] = old
    return closed(axes)


def _count_clash(shape: Shape, wanted: list[Wanted], outcome: Reshaped) -> Clash | None:
    if not outcome.count.clashes:
        return None
    text = f"reshapes {shape} to {_wanted_text(wanted)}"
    before, after = outcome.before, outcome.after
    if before is not None and after is not None:
        text += f": {before} elements to {after}"
    return Clash(Fault.COUNT, text, 0, before, after, outcome.count)


def _wanted_text(wanted: list[Wanted]) -> str:
    names = ["-1" if size is INFER else "?" if size is None else str(size) for size in wanted]
    return f"({names[0]},)" if len(names) == 1 else f"({', '.join(names)})"


# -- flatten and unflatten -------------------------------------------------------------------------


def ravel(call: Call) -> Outcome:
    """All axes merged into one."""
    return _to(call, operand_shape(call, "x"), [INFER])


def flatten(call: Call) -> Outcome:
    """The axes from ``start`` to ``end``, both included, merged into one."""
    shape = operand_shape(call, "x")
    start = call.integer("start") if call.given("start") else 0
    end = call.integer("end") if call.given("end") else -1
    if shape is None or start is None or end is None:
        return _make(call, None)
    if shape.rank == 0 and {start, end} <= {0, -1}:
        return _make(call, closed([Axis(ONE)]))
    shown = expose(shape, (start, end), call.facts)
    if shown is None:
        return _refuse(call, out_of_range((start, end), shape))
    layout = Layout.of(shown)
    first, last = layout.find(start), layout.find(end)
    if first is None or last is None:
        return _refuse(call, out_of_range((start, end), shape))
    if first > last:
        return _refuse(call, Clash(Fault.AXIS, f"flattens {shape} from behind axis {end}"))
    return _merge(call, layout, first, last)


def _merge(call: Call, layout: Layout, first: int, last: int) -> Outcome:
    run = layout.items[first : last + 1]
    axes = [item for item in run if isinstance(item, Axis)]
    if len(axes) < len(run):
        items = [*layout.items[:first], Axis(None), *layout.items[last + 1 :]]
        return _make(call, shape_of_items(items))
    if len(layout.items) == len(run):
        return _to(call, closed(axes), [INFER])
    event = Reshaping(reshape_axes(closed(axes), [INFER], call.facts), "flatten")
    items = [*layout.items[:first], *event.outcome.shape.axes, *layout.items[last + 1 :]]
    return _make(call, shape_of_items(items), event)


def unflatten(call: Call) -> Outcome:
    """One axis split into ``sizes``, one of which may be -1."""
    shape, axis = operand_shape(call, "x"), call.integer("axis")
    wanted = wanted_sizes(call.sizes("sizes"))
    if isinstance(wanted, Clash):
        return _refuse(call, wanted)
    if shape is None or axis is None or wanted is None:
        return _make(call, None)
    if not wanted:
        return _refuse(call, Clash(Fault.SPLIT, "splits an axis into none"))
    found = locate(shape, (axis,), call.facts)
    if isinstance(found, Clash):
        return _refuse(call, found)
    layout, (index,) = found
    return _split(call, layout, index, wanted)


def _split(call: Call, layout: Layout, index: int, wanted: list[Wanted]) -> Outcome:
    axis = layout.axis(index)
    outcome = reshape_axes(closed([axis]), wanted, call.facts)
    event = Reshaping(outcome, "unflatten")
    clash = split_clash(axis, wanted, outcome)
    if clash is not None:
        return _refuse(call, clash, event)
    items = [*layout.items[:index], *outcome.shape.axes, *layout.items[index + 1 :]]
    return _make(call, shape_of_items(items), event)


def split_clash(axis: Axis, wanted: list[Wanted], outcome: Reshaped) -> Clash | None:
    """The clash of an axis that does not split into the sizes asked for, or None."""
    if not outcome.count.clashes:
        return None
    text = f"splits {axis} into {_wanted_text(wanted)}"
    return Clash(Fault.SPLIT, text, 0, outcome.before, outcome.after, outcome.count)


# -- squeeze ---------------------------------------------------------------------------------------


def squeeze(call: Call) -> Outcome:
    """Axes of size 1 removed: the ones named, or all of them.

    torch leaves a named axis of another size alone; numpy refuses it. A size that an unseen
    parameter leaves open may be 1, so a tensor that is squeezed there has an unknown shape; and
    code that takes the first axis off, where no other one is 1, is written for a batch of one.
    """
    shape = operand_shape(call, "x")
    if not call.given("axis"):
        return _squeeze_all(call, shape)
    axes = call.integers("axis")
    if axes is None or shape is None:
        return _make(call, None)
    one = call.library == "torch" or call.integer("axis") is not None
    if shape.rank == 0 and one and axes in ((0,), (-1,)):
        return _squeezed(call, shape, Squeeze((), False))
    found = locate(shape, axes, call.facts)
    if isinstance(found, Clash):
        return _refuse(call, found)
    layout, indices = found
    if call.like_numpy:
        return _squeeze_forced(call, layout, indices)
    ones = [index for index in indices if layout.axis(index).is_one]
    open_ones = [index for index in indices if _may_be_one(layout.axis(index))]
    if not open_ones and indices == (0,) and _is_first_of_none(shape):
        open_ones = [0]
    kept = [index for index in indices if index not in ones]
    event = Squeeze(_numbers(layout, ones), False, _numbers(layout, kept))
    return _squeezed(call, None if open_ones else _without(layout, ones), event)


def _is_first_of_none(shape: Shape) -> bool:
    """Whether what is taken off is a batch, and no other axis is the 1 that was meant."""
    return shape.closed and _symbolic(shape.lead[0]) and not any(a.is_one for a in shape.lead)


def _squeeze_all(call: Call, shape: Shape | None) -> Outcome:
    if shape is None or not shape.closed or any(_may_be_one(axis) for axis in shape.lead):
        return _squeezed(call, None, Squeeze((), True))
    ones = tuple(i for i, axis in enumerate(shape.lead) if axis.is_one)
    risky = tuple(i for i, axis in enumerate(shape.lead) if _symbolic(axis))
    return _squeezed(call, _without(Layout.of(shape), ones), Squeeze(ones, True, risky))


def _squeeze_forced(call: Call, layout: Layout, indices: tuple[int, ...]) -> Outcome:
    for index in indices:
        axis = layout.axis(index)
        if axis.size is None:
            continue
        if call.facts.force(axis.size, ONE, "squeezed") is Verdict.DIFFERENT:
            text = f"removes an axis of size {axis}, which is not 1"
            return _refuse(call, Clash(Fault.AXIS, text, 0, axis.size, ONE))
    event = Squeeze(_numbers(layout, indices), False)
    return _squeezed(call, _without(layout, indices), event)


def _squeezed(call: Call, shape: Shape | None, event: Squeeze) -> Outcome:
    return Outcome(call.make(shape, dtype_of(call.tensor("x"))), event)


def _without(layout: Layout, indices: Items[int]) -> Shape:
    return shape_of_items(item for i, item in enumerate(layout.items) if i not in indices)


def _numbers(layout: Layout, indices: Items[int]) -> tuple[int, ...]:
    return tuple(layout.number(index) for index in indices)


def _may_be_one(axis: Axis) -> bool:
    """Whether an axis is so little known that 1 is as good a guess as any other size."""
    return axis.size is None or any(
        symbol.flexible or symbol.found for symbol in axis.size.symbols()
    )


def _symbolic(axis: Axis) -> bool:
    return axis.size is not None and axis.size.number is None


# -- new axes --------------------------------------------------------------------------------------


def unsqueeze(call: Call) -> Outcome:
    """Axes of size 1 put in, at these positions of the result: unsqueeze, expand_dims."""
    shape = operand_shape(call, "x")
    axes = call.integers("axis")
    if shape is None or axes is None:
        return _make(call, None)
    if shape.closed:
        return _insert(call, shape, axes)
    if len(axes) != 1:
        return _make(call, None)
    return _insert_open(call, shape, axes[0])


def _insert(call: Call, shape: Shape, axes: tuple[int, ...]) -> Outcome:
    rank = len(shape.lead) + len(axes)
    if not all(-rank <= axis < rank for axis in axes):
        text = f"puts an axis at {', '.join(map(str, axes))}, but the result has {rank} axes"
        return _refuse(call, Clash(Fault.AXIS, text))
    places = [axis % rank for axis in axes]
    if len(set(places)) < len(places):
        return _refuse(call, Clash(Fault.AXIS, "puts two new axes at one place"))
    rest = iter(shape.lead)
    made = closed(new_axis() if i in places else next(rest) for i in range(rank))
    event = NewAxis(tuple(sorted(places)))
    return Outcome(call.make(made, dtype_of(call.tensor("x"))), event)


def _insert_open(call: Call, shape: Shape, axis: int) -> Outcome:
    """Into an open shape: at the front it must show the axes before it, at the end those behind."""
    neighbours = range(axis) if axis >= 0 else range(axis + 1, 0)
    shown = expose(shape, neighbours, call.facts)
    assert shown is not None
    items: list[Axis | Row] = list(Layout.of(shown).items)
    items.insert(axis if axis >= 0 else len(items) + axis + 1, new_axis())
    return Outcome(call.make(shape_of_items(items), dtype_of(call.tensor("x"))), NewAxis((axis,)))


def new_axis() -> Axis:
    """The axis of size 1 that ``unsqueeze`` and ``None`` put in."""
    return Axis(ONE, made="new")
