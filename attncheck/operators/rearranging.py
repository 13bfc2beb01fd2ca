"""Axes named by a pattern: rearrange, repeat and reduce of einops.

All three split the axes of a tensor as the left side of a pattern says, and put axes together as
the right side says. An axis that stays whole keeps its identity; one that is merged with others is
remembered in the parts of the merged axis, and restored when that is split the same way.
Reference: einops.rearrange, einops.repeat, einops.reduce.
"""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass, field
from types import EllipsisType
from typing import TypeAlias

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.quotients import cancel_quotients
from attncheck.algebra.reshape import INFER, Reshaped, Wanted
from attncheck.algebra.reshape import reshape as reshape_axes
from attncheck.algebra.shape import COPIES, SCALAR, Axis, Row, Shape, closed, expand
from attncheck.algebra.size import ONE, ZERO, Quotient, Size, const, product
from attncheck.operators import patterns
from attncheck.operators.axes import Layout, axes_text, shape_of_items, split_ends, with_rank
from attncheck.operators.call import Call
from attncheck.operators.events import (
    Clash,
    Event,
    Expansion,
    Fault,
    Joining,
    NewAxis,
    Outcome,
    Permutation,
    Rearranging,
    Reduction,
)
from attncheck.operators.joining import stack
from attncheck.operators.operands import dtype_of, is_named_size, is_number
from attncheck.operators.patterns import Anonymous, Group, Malformed, Name, Pattern, Side
from attncheck.operators.reduction import dtype_after, kept_axis
from attncheck.operators.reshaping import new_axis
from attncheck.record import replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import Const, Int, Mapping, Sequence, as_size

#: The reductions that einops knows by name.
_REDUCTIONS = ("min", "max", "sum", "mean", "prod", "any", "all")

Lengths: TypeAlias = AbstractMapping[str, Size | None]


def rearrange(call: Call) -> Outcome:
    """Axes split, reordered and merged: ``x`` by ``pattern``, sizes of names in ``lengths``.

    The pattern has the same names on both sides. Clashes where einops refuses the pattern, where
    x has another number of axes, and where an axis is not as large as the names in it.
    """
    return _by_pattern(call, "rearrange")


def repeat_named(call: Call) -> Outcome:
    """Like `rearrange`, with new axes on the right: copies, as many as their length says."""
    return _by_pattern(call, "repeat")


def reduce_named(call: Call) -> Outcome:
    """Like `rearrange`, but the axes that are on the left only are reduced by ``reduction``."""
    reduction = call.value("reduction")
    if isinstance(reduction, Const) and reduction.value not in _REDUCTIONS:
        text = f"reduces by {reduction.value!r}, not by one of {', '.join(_REDUCTIONS)}"
        return Outcome(call.of_library("x").make(None), None, Clash(Fault.EINSUM, text))
    return _by_pattern(call, "reduce")


def _by_pattern(call: Call, kind: str) -> Outcome:
    call = call.of_library("x")
    operand, clash = _operand(call)
    if clash is not None:
        return Outcome(call.make(None), None, clash)
    lengths, dtype = lengths_of(call), dtype_of(operand)
    try:
        text = pattern_of(call)
        if text is None or lengths is None:
            return Outcome(call.make(None, dtype))
        pattern = patterns.read(text, tuple(lengths), kind)
    except Malformed as problem:
        return Outcome(call.make(None, dtype), None, Clash(Fault.EINSUM, str(problem)))
    shape = None if operand is None else operand.shape
    taken = take_apart(shape, pattern.left, lengths, call.facts)
    if isinstance(taken, Clash):
        return Outcome(call.make(None, dtype), None, taken)
    for name in pattern.right.names:
        if name not in taken.axes and not isinstance(name, EllipsisType):
            taken.axes[name] = Axis(_length(name, lengths), made=COPIES)
    if kind == "reduce":
        return _reduced(call, pattern, taken, dtype)
    event = _copies(pattern, taken) or _moves(call, pattern.right, taken)
    return Outcome(call.make(put_together(pattern.right, taken, call.facts), dtype), event)


def _operand(call: Call) -> tuple[Tensor | None, Clash | None]:
    """The tensor that is given; a list of tensors is stacked along a new first axis."""
    value = call.arguments["x"]
    if is_number(value) and not is_named_size(value):
        return None, Clash(Fault.RANK, "takes a tensor, not a number")
    if not isinstance(value, Sequence):
        return call.tensor("x"), None
    stacked = stack(replace(call, arguments={"xs": value, "axis": Int(ZERO)}))
    return stacked.value if isinstance(stacked.value, Tensor) else None, stacked.clash


def pattern_of(call: Call) -> str | None:
    """The pattern, None if it is not known; raises Malformed if it is no text."""
    value = call.arguments["pattern"]
    if is_number(value) or isinstance(value, Tensor | Sequence):
        raise Malformed("takes a text as its pattern")
    return call.text("pattern")


def lengths_of(call: Call) -> dict[str, Size | None] | None:
    """The lengths that are given for names, None for one that is not known.

    None instead of them all where there may be others. A negative one is no length: what einops
    makes of it depends on where it stands.
    """
    given = call.arguments.get("lengths")
    if not isinstance(given, Mapping) or given.open:
        return None
    lengths: dict[str, Size | None] = {}
    for name, value in given.items:
        size = as_size(value)
        number = None if size is None else size.number
        negative = number is not None and number < 0
        lengths[str(name)] = None if size is None or negative else call.facts.resolve(size)
    return lengths


def _length(name: Name, lengths: Lengths) -> Size | None:
    if isinstance(name, Anonymous):
        return const(name.size)
    return lengths.get(name) if isinstance(name, str) else None


# -- the left side ---------------------------------------------------------------------------------


@dataclass(slots=True)
class Taken:
    """The axes of a tensor by the names of a pattern.

    ``middle`` is what ``...`` stands for: no axes where the pattern has none, None where it is not
    known. ``splits`` is what became of the axes that hold several names. Where the tensor's number
    of axes is known it is ``rank``, and ``places`` says in which of them a name is.
    """

    middle: Shape | None
    axes: dict[Name, Axis] = field(default_factory=dict)
    splits: list[Reshaped] = field(default_factory=list)
    rank: int | None = None
    places: dict[Name, tuple[int, ...]] = field(default_factory=dict)

    def split(self, group: Group, axis: Axis, lengths: Lengths, facts: Facts) -> Clash | None:
        """Take one axis as the names of a group; a clash if their sizes do not make it up."""
        wanted = [_wanted(name, lengths) for name in group]
        if len(wanted) < 2:
            return self._whole(group, axis, wanted[0] if wanted else ONE, facts)
        outcome = reshape_axes(closed([axis]), wanted, facts)
        self.splits.append(outcome)
        self.axes.update(zip(group, outcome.shape.axes, strict=True))
        if not outcome.count.clashes:
            self._divided(axis, wanted, facts)
            return None
        names = " ".join(map(patterns.name_text, group))
        given = [f"{n} = {lengths[n]}" for n in group if isinstance(n, str) and n in lengths]
        text = ", ".join((f"splits an axis of size {axis} into ({names})", *given))
        return Clash(Fault.SPLIT, text, 0, outcome.before, outcome.after, outcome.count)

    @staticmethod
    def _divided(axis: Axis, wanted: list[Wanted], facts: Facts) -> None:
        """Learn that the lengths which are given divide an axis: einops makes sure of it."""
        given = [size for size in wanted if isinstance(size, Size)]
        if axis.size is not None and len(given) == len(wanted) - 1 and INFER in wanted:
            facts.divides(product(given), axis.size, "a pattern splits it")

    def _whole(self, group: Group, axis: Axis, wanted: Wanted, facts: Facts) -> Clash | None:
        size = wanted if isinstance(wanted, Size) else None
        for name in group:
            self.axes[name] = axis if axis.size is not None else replace(axis, size=size)
        if size is None or axis.size is None:
            return None
        verdict = facts.force(axis.size, size, "the length in a pattern")
        if not verdict.clashes:
            return None
        said = f"{patterns.name_text(group[0])} = {size}" if group else "an axis of size 1"
        text = f"takes an axis of size {axis} for {said}"
        return Clash(Fault.SPLIT, text, 0, axis.size, size, verdict)


def _wanted(name: Name, lengths: Lengths) -> Wanted:
    if isinstance(name, str) and name not in lengths:
        return INFER
    return _length(name, lengths)


def take_apart(shape: Shape | None, side: Side, lengths: Lengths, facts: Facts) -> Taken | Clash:
    """The axes of a tensor by their names; a clash if it has not these axes, or not these sizes."""
    ends = _ends(shape, side, facts)
    if isinstance(ends, Clash):
        return ends
    front, middle, back = ends
    before, behind = side.around
    taken = Taken(middle)
    for group, axis in zip(before + behind, front + back, strict=True):
        clash = taken.split(group, axis, lengths, facts)
        if clash is not None:
            return clash
    if middle is not None and middle.closed:
        inner = len(middle.axes)
        taken.rank = len(before) + inner + len(behind)
        taken.places[...] = tuple(range(len(before), len(before) + inner))
        for place, group in enumerate(before + behind):
            own = place if place < len(before) else place + inner
            taken.places.update((name, (own,)) for name in group)
    return taken


_Ends: TypeAlias = tuple[tuple[Axis, ...], Shape | None, tuple[Axis, ...]]


def _ends(shape: Shape | None, side: Side, facts: Facts) -> _Ends | Clash:
    """The axes before ``...``, what it stands for, and the axes behind it."""
    before, behind = side.around
    count = len(before) + len(behind)
    front, back = (Axis(None),) * len(before), (Axis(None),) * len(behind)
    if ... not in side.groups:
        made = None if shape is None else with_rank(shape, count, facts)
        if isinstance(made, Clash):
            return _rank_clash(axes_text(count), shape)
        return (front if made is None else made.axes), SCALAR, ()
    if shape is None:
        return front, None, back
    ends = split_ends(shape, len(before), len(behind), facts)
    return _rank_clash(f"at least {axes_text(count)}", shape) if ends is None else ends


def _rank_clash(wanted: str, shape: Shape | None) -> Clash:
    return Clash(Fault.RANK, f"names {wanted} in its pattern, but is given {shape}")


# -- the right side --------------------------------------------------------------------------------


def put_together(side: Side, taken: Taken, facts: Facts, blank: Axis | None = None) -> Shape | None:
    """The shape that a side makes of axes by name; None where ``...`` is not known.

    ``blank`` is the axis of size 1 that an empty group is.
    """
    items: list[Axis | Row] = []
    for group in side.groups:
        if not isinstance(group, EllipsisType):
            items.append(_merged(group, taken, facts) if group else blank or new_axis())
        elif taken.middle is None:
            return None
        else:
            items += Layout.of(taken.middle).items
    return expand(shape_of_items(items), facts)


def _merged(group: Group, taken: Taken, facts: Facts) -> Axis:
    """The one axis that the names of a group make."""
    axes: list[Axis] = []
    for name in group:
        if not isinstance(name, EllipsisType):
            axes.append(taken.axes[name])
        elif taken.middle is None or not taken.middle.closed:
            return Axis(None)
        else:
            axes += taken.middle.axes
    if len(axes) == 1:
        return axes[0]
    merged = reshape_axes(closed(axes), [INFER], facts).shape.axes[0]
    return merged if merged.size is None else replace(merged, size=_even(merged.size, facts))


def _even(size: Size, facts: Facts) -> Size:
    """A product in which what was divided is multiplied again, if the division came out even."""
    divisions = [atom for atom in size.atoms() if isinstance(atom, Quotient)]
    even = all(
        facts.divisible(each.numerator, each.denominator) is Verdict.EQUAL for each in divisions
    )
    return cancel_quotients(size) if divisions and even else size


# -- what was done ---------------------------------------------------------------------------------


def _moves(call: Call, side: Side, taken: Taken) -> Event:
    """The event of axes that are moved: a plainer one where nothing else is done to them."""
    if isinstance(call.arguments.get("x"), Sequence):
        return Joining("stack", None)
    sources = _sources(side, taken)
    if sources is None or taken.splits or any(len(source) > 1 for source in sources):
        return Rearranging(tuple(taken.splits), sources)
    order = tuple(place for source in sources for place in source)
    if sorted(order) == list(range(taken.rank or 0)):
        if len(order) == len(sources) and list(order) != sorted(order):
            return Permutation(order, "rearrange")
        if len(order) < len(sources) and list(order) == sorted(order):
            return NewAxis(tuple(place for place, source in enumerate(sources) if not source))
    return Rearranging((), sources)


def _sources(side: Side, taken: Taken) -> tuple[tuple[int, ...], ...] | None:
    """For each axis of the result the axes of the tensor that it holds; None if not known."""
    if taken.rank is None:
        return None
    sources: list[tuple[int, ...]] = []
    for group in side.groups:
        if isinstance(group, EllipsisType):
            sources += ((place,) for place in taken.places[...])
        else:
            sources.append(tuple(p for name in group for p in taken.places.get(name, ())))
    return tuple(sources)


def _copies(pattern: Pattern, taken: Taken) -> Expansion | None:
    """The event of new axes; of one alone it says how its copies lie in the axis it is merged into.

    None if the pattern has no new axes.
    """
    new = [name for name in pattern.right.names if name not in pattern.left.names]
    if len(new) != 1:
        return Expansion("repeat") if new else None
    groups = (group for group in pattern.right.groups if not isinstance(group, EllipsisType))
    group = next(group for group in groups if new[0] in group)
    others = [n for n in group if n != new[0] and not (n in taken.axes and taken.axes[n].is_one)]
    if not others or new[0] not in (group[0], group[-1]):
        return Expansion("repeat")
    return Expansion("repeat", taken.axes[new[0]].size, new[0] == group[0])


def _reduced(call: Call, pattern: Pattern, taken: Taken, dtype: str | None) -> Outcome:
    """The outcome of a reduction over the names that are on the left only."""
    kind, middle = call.text("reduction"), taken.middle
    lost = [name for name in pattern.left.names if name not in pattern.right.names]
    if ... in lost and middle == SCALAR:
        lost.remove(...)
    made = put_together(pattern.right, taken, call.facts, kept_axis() if lost else None)
    if not lost:
        return Outcome(call.make(made, dtype), _moves(call, pattern.right, taken))
    if kind is None:
        # A function of one's own may do anything to the axes that it is given.
        return Outcome(call.make(None))
    after = dtype_after(kind, dtype)
    if lost == [...] and (middle is None or not middle.closed) and after != dtype:
        # There may be nothing to reduce.
        after = None
    return Outcome(call.make(made, after), _reduction(call, kind, pattern, taken))


def _reduction(call: Call, kind: str, pattern: Pattern, taken: Taken) -> Reduction | None:
    """The event of a reduction of whole axes that leaves the others as they are, else None."""
    sources = _sources(pattern.right, taken)
    if sources is None or taken.splits or isinstance(call.arguments.get("x"), Sequence):
        return None
    rank = taken.rank or 0
    axes = tuple(place for place in range(rank) if not any(place in s for s in sources))
    kept = tuple((place,) for place in range(rank) if place not in axes)
    if sources == kept:
        return Reduction(kind, axes, keepdims=False)
    if sources == tuple(() if place in axes else (place,) for place in range(rank)):
        return Reduction(kind, axes, keepdims=True)
    return None
