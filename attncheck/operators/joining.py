"""Joining: cat, stack and NumPy's variants.

A join demands equal ranks and, off its axis, equal sizes: that binds what is unknown in one operand
to what is known in another, and a contradiction is a clash that names both sizes and the axis.
"""

from __future__ import annotations

from collections.abc import Callable

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.quotients import cancel_quotients
from attncheck.algebra.shape import COPIES, Axis, Shape, bind_row, expand
from attncheck.algebra.size import ONE, ZERO, Quotient, Size, const
from attncheck.operators.axes import with_rank
from attncheck.operators.call import Call, normalise_axis
from attncheck.operators.events import Clash, Fault, Joining, Outcome
from attncheck.operators.repeating import repeated
from attncheck.operators.seats import Seat, axis_clash, leading, rank_clash, seat, trailing
from attncheck.operators.splitting import sum_of
from attncheck.record import record, replace
from attncheck.values.tensor import Tensor, widest
from attncheck.values.value import Const, Int, Sequence, Value, as_tensor


@record
class _Group:
    """The tensors to join, and how often their list is repeated.

    A list that a loop has filled is one tensor, as often as the loop ran (None: not known).
    ``copies`` says that all of them are one and the same: ``[x] * n``.
    """

    tensors: list[Tensor]
    times: Size | None = ONE
    copies: bool = False

    @property
    def shapes(self) -> list[Shape | None]:
        """The shapes of the tensors."""
        return [tensor.shape for tensor in self.tensors]

    @property
    def dtype(self) -> str | None:
        """The dtype that joining gives."""
        return widest(tensor.dtype for tensor in self.tensors)

    def repeated(self, size: Size | None) -> Size | None:
        """The size that the whole list has where one run of it has `size`."""
        return None if size is None or self.times is None else size * self.times


def concatenate(call: Call) -> Outcome:
    """Join along an axis they have: ``xs`` (..., a, ...) and (..., b, ...) to (..., a+b, ...).

    Clashes where ranks, or sizes off the axis, differ. NumPy flattens if the axis is None.
    """
    counted = _of_sizes(call, _listed(call.value("xs")))
    if counted is not None:
        return Outcome(counted)
    flatten = "axis" in call.arguments and not call.given("axis") and call.like_numpy
    axis = call.integer("axis") if call.given("axis") else 0
    group = _operands(call)
    if group is None:
        shape = None if flatten or axis is None else _beside_unknown(call, axis)
        return Outcome(call.make(shape), Joining("cat", axis))
    if flatten:
        total = group.repeated(sum_of(_count(shape) for shape in group.shapes))
        return Outcome(call.make(Shape((Axis(total),)), group.dtype), Joining("cat", None))
    if axis is None:
        return Outcome(call.make(None), Joining("cat", None))
    dtype = group.dtype
    if call.library == "torch":
        tensors = [tensor for tensor in group.tensors if not _legacy_empty(tensor)]
        group = replace(group, tensors=tensors or group.tensors[:1])
    return _concatenate(call, group, axis, Joining("cat", axis), dtype)


def _beside_unknown(call: Call, axis: int) -> Shape | None:
    """What joining gives where of some tensors nothing is known: they have the others' sizes."""
    known = _one_that_is_known(call)
    place = None if known is None else normalise_axis(axis, len(known.lead))
    if known is None or place is None:
        return None
    return Shape((*known.lead[:place], Axis(None), *known.lead[place + 1 :]))


def _one_that_is_known(call: Call) -> Shape | None:
    """The shape of the first tensor of which all axes are known, and which torch does not skip."""
    found = [each for each in call.tensors("xs") or () if each is not None]
    if call.library == "torch":
        found = [each for each in found if not _legacy_empty(each)]
    shapes = [None if each.shape is None else expand(each.shape, call.facts) for each in found]
    return next((shape for shape in shapes if shape is not None and shape.closed), None)


def _of_sizes(call: Call, tuples: tuple[Value | None, ...]) -> Sequence | None:
    """The tuple that tuples of sizes make, which TensorFlow keeps in tensors."""
    if call.library != "tensorflow" or not _listed(call.value("xs")):
        return None
    found: list[Value] = []
    for each in tuples:
        if type(each) is not Sequence or each.items is None:
            return None
        found += each.items
    return Sequence(tuple(found)) if all(type(size) is Int for size in found) else None


def _listed(value: Value | None) -> tuple[Value, ...]:
    """The items of a list of known items; none of anything else."""
    return (value.items or ()) if type(value) is Sequence else ()


def append(call: Call) -> Outcome:
    """numpy.append: concatenate ``x`` and ``y``, both flattened if there is no axis."""
    pair = Sequence((call.arguments["x"], call.arguments["y"]))
    axis = call.value("axis") or Const(None)
    arguments: dict[str, Value] = {"xs": pair, "axis": axis}
    return concatenate(replace(call, arguments=arguments))


def stack(call: Call) -> Outcome:
    """Join along a new axis: n times (a, b) to (n, a, b) for ``axis`` 0.

    Clashes where shapes differ, or the axis is out of range.
    """
    counted = _of_sizes(call, (call.value("xs"),))
    if counted is not None:
        return Outcome(counted)
    axis = call.integer("axis") if call.given("axis") else 0
    if axis is None:
        return Outcome(call.make(None), Joining("stack", None))
    group = _operands(call)
    if group is None:
        return Outcome(call.make(None), Joining("stack", axis))
    shapes, clash = _alike(group.shapes, None, call, "stacks")
    if clash is not None or shapes is None:
        return Outcome(call.make(None, group.dtype), Joining("stack", axis), clash)
    count = group.repeated(const(len(shapes)))
    new = Axis(count, made=COPIES if group.copies else None)
    return _stacked(call, _merged(shapes, call.facts), axis, new, group.dtype)


def _stacked(call: Call, shape: Shape, axis: int, new: Axis, dtype: str | None) -> Outcome:
    rank = shape.rank
    event = Joining("stack", axis)
    if rank is not None:
        place = normalise_axis(axis, rank + 1)
        if place is None:
            text = f"stacks tensors of {shape} along axis {axis}"
            return Outcome(call.make(None, dtype), event, Clash(Fault.AXIS, text))
        event = Joining("stack", place)
        shape = Shape((*shape.lead[:place], new, *shape.lead[place:]))
        return Outcome(call.make(shape, dtype), event)
    if 0 <= axis <= len(shape.lead):
        grown = Shape((*shape.lead[:axis], new, *shape.lead[axis:]), shape.row, shape.trail)
    elif axis < 0 and -axis - 1 <= len(shape.trail):
        place = len(shape.trail) + axis + 1
        trail = (*shape.trail[:place], new, *shape.trail[place:])
        grown = Shape(shape.lead, shape.row, trail)
    else:
        return Outcome(call.make(None, dtype), event)
    return Outcome(call.make(grown, dtype), event)


def hstack(call: Call) -> Outcome:
    """Join side by side: vectors end to end, others along axis 1."""
    return _stack_columns(call, lambda rank: 0 if rank <= 1 else 1, _at_least_1d, "hstack")


def vstack(call: Call) -> Outcome:
    """Join below each other: vectors become rows."""
    return _stack_columns(call, lambda _: 0, _at_least_2d, "vstack")


def dstack(call: Call) -> Outcome:
    """Join along a third axis, which vectors and matrices are given first."""
    return _stack_columns(call, lambda _: 2, _at_least_3d, "dstack")


def column_stack(call: Call) -> Outcome:
    """Join along axis 1; vectors become columns first."""
    return _stack_columns(call, lambda _: 1, _as_columns, "column_stack")


def _stack_columns(
    call: Call, axis_of: Callable[[int], int], prepare: Callable[[Shape], Shape], kind: str
) -> Outcome:
    group = _operands(call)
    if group is None:
        return Outcome(call.make(None), Joining(kind, None))
    shapes = [shape for shape in group.shapes if shape is not None and shape.rank is not None]
    if len(shapes) < len(group.tensors):
        return Outcome(call.make(None, group.dtype), Joining(kind, None))
    prepared = [prepare(shape) for shape in shapes]
    axis = axis_of(len(prepared[0].axes))
    tensors = [
        tensor.with_shape(shape) for tensor, shape in zip(group.tensors, prepared, strict=True)
    ]
    group = replace(group, tensors=tensors)
    return _concatenate(call, group, axis, Joining(kind, axis), group.dtype)


_NEW = Axis(ONE, made="new")


def _at_least_1d(shape: Shape) -> Shape:
    return shape if shape.lead else Shape((_NEW,))


def _at_least_2d(shape: Shape) -> Shape:
    missing = 2 - len(shape.lead)
    return Shape((_NEW,) * missing + shape.lead) if missing > 0 else shape


def _at_least_3d(shape: Shape) -> Shape:
    axes = shape.lead
    if len(axes) == 0:
        return Shape((_NEW, _NEW, _NEW))
    if len(axes) == 1:
        return Shape((_NEW, axes[0], _NEW))
    return Shape((*axes, _NEW)) if len(axes) == 2 else shape


def _as_columns(shape: Shape) -> Shape:
    return Shape((*(shape.lead or (_NEW,)), _NEW)) if len(shape.lead) < 2 else shape


def _operands(call: Call) -> _Group | None:
    """The tensors to join; None if they are not known. A NumPy array is a list of its rows."""
    value = call.arguments.get("xs")
    if type(value) is Sequence and value.items is None:
        element = Call(call.facts, {"x": value.element}, call.library, "").tensor("x")
        copies = value.copy is value.element
        return None if element is None else _Group([element], value.length, copies)
    if value is not None and as_tensor(value) is not None:
        return _rows(call.tensor("xs"), call.facts) if call.like_numpy else None
    found = call.tensors("xs")
    if not found:
        return None
    tensors = [item for item in found if item is not None]
    if len(tensors) < len(found):
        return None
    return _Group(tensors, copies=len(found) > 1 and _one(value))


def _one(value: Value | None) -> bool:
    """Whether every item of a list is the same object."""
    items = value.items if type(value) is Sequence and value.items is not None else ()
    return len({id(item) for item in items}) == 1


def _rows(tensor: Tensor | None, facts: Facts) -> _Group | None:
    """The tensors that iterating over a tensor gives."""
    if tensor is None or tensor.shape is None:
        return None
    first = seat(tensor.shape, 0, facts)
    return None if first is None else _Group([tensor.with_shape(first.put())], first.axis.size)


def _concatenate(
    call: Call, group: _Group, axis: int, event: Joining, dtype: str | None
) -> Outcome:
    shapes, clash = _alike(group.shapes, axis, call, "joins")
    if clash is not None:
        return Outcome(call.make(None, dtype), event, clash)
    if shapes is None:
        return Outcome(call.make(_beside_unknown(call, axis), dtype), event)
    seats = [seat(shape, axis, call.facts) for shape in shapes]
    known = [found for found in seats if found is not None]
    if len(known) < len(seats):
        clash = axis_clash(shapes[0], axis, call.facts)
        return Outcome(call.make(None, dtype), event, clash)
    if shapes[0].closed:
        event = Joining(event.kind, known[0].index)
    merged = _merged([found.shape for found in known], call.facts)
    axes = [found.axis for found in known]
    if group.copies:
        times = group.repeated(const(len(axes)))
        joined = repeated(axes[0], times, call.facts, outside=True)
    else:
        joined = _joined_axis(axes, group, call.facts)
    return Outcome(call.make(Seat(merged, known[0].index).put(joined), dtype), event)


def _joined_axis(axes: list[Axis], group: _Group, facts: Facts) -> Axis:
    """The axis that several make end to end: of their birth if they share one."""
    if len(axes) == 1 and group.times == ONE:
        return axes[0]
    tags = {axis.tag for axis in axes}
    total = group.repeated(sum_of(axis.size for axis in axes))
    if total is not None:
        total = _whole(facts.resolve(total), facts)
    return Axis(total, tag=tags.pop() if len(tags) == 1 else None)


def _whole(total: Size, facts: Facts) -> Size:
    """A sum of parts as what was cut into them: ``d // 2 + d // 2`` is d, once it was halved."""
    quotients = [atom for atom in total.atoms() if type(atom) is Quotient]
    if not quotients or not all(
        facts.divisible(each.numerator, each.denominator) is Verdict.EQUAL for each in quotients
    ):
        return total
    return cancel_quotients(total)


def _alike(
    shapes: list[Shape | None], axis: int | None, call: Call, verb: str
) -> tuple[list[Shape] | None, Clash | None]:
    """The shapes made equal in rank and, except on `axis`, in size; or why they cannot be.

    (None, None) where not enough is known to say.
    """
    known: list[Shape] = []
    unknown = False
    for operand, shape in enumerate(shapes):
        if shape is None:
            unknown = True
            continue
        if not known:
            known.append(expand(shape, call.facts))
            continue
        pair, clash = _align(known[0], shape, axis, call, (verb, operand))
        if clash is not None:
            return None, clash
        if pair is None:
            unknown = True
        else:
            known.append(pair[1])
    if unknown or not known:
        return None, None
    # What later operands have shown counts for the earlier ones as well.
    return [expand(shape, call.facts) for shape in known], None


def _align(
    left: Shape, right: Shape, axis: int | None, call: Call, where: tuple[str, int]
) -> tuple[tuple[Shape, Shape] | None, Clash | None]:
    """Make two shapes agree off `axis`, binding rows and flexible sizes."""
    facts, (verb, operand) = call.facts, where
    left, right = expand(left, facts), expand(right, facts)
    text = f"{verb} {left} and {right}" + ("" if axis is None else f" along axis {axis}")
    paired = _same_layout(left, right, axis, facts)
    if isinstance(paired, Clash):
        return None, replace(paired, text=f"{text}: the ranks differ", operand=operand)
    if paired is None:
        return None, None
    left, right = paired
    skip = _joined(left, axis)
    pairs = zip(left.lead + left.trail, right.lead + right.trail, strict=True)
    for index, (a, b) in enumerate(pairs):
        if index in skip or a.size is None or b.size is None:
            continue
        verdict = facts.force(a.size, b.size, text)
        if verdict is Verdict.UNKNOWN and index == 0 and _is_one_of_several(a, b):
            verdict = Verdict.DISTINCT
        if verdict.clashes:
            place = f"axis {index}" if left.closed else "an axis"
            reason = f"{text}: {a.size} meets {b.size} on {place}"
            return None, Clash(Fault.JOIN, reason, operand, a.size, b.size, verdict)
    return (expand(left, facts), expand(right, facts)), None


def _is_one_of_several(left: Axis, right: Axis) -> bool:
    """Whether one axis is 1 and the other one that the code names: joining repeats nothing.

    ``cat([cls_token, x], 1)`` of a token (1, 1, d) works for a batch of one only. Who puts an axis
    of 1 in for it knows that there is no more than one.
    """
    one, other = (left, right) if left.is_one else (right, left)
    symbol = None if other.size is None else other.size.symbol
    if not one.is_one or one.made is not None or symbol is None:
        return False
    return not (symbol.flexible or symbol.found)


def _joined(shape: Shape, axis: int | None) -> tuple[int, ...]:
    """The numbers of the axes that are joined, or may be."""
    if axis is None:
        return ()
    count = shape.at_least
    index = axis if axis >= 0 else axis + count
    return (index, *Seat(shape, index).doubtful) if 0 <= index < count else (index,)


def _same_layout(
    left: Shape, right: Shape, axis: int | None, facts: Facts
) -> tuple[Shape, Shape] | Clash | None:
    """Two shapes of equal rank with the same axes listed, `axis` among them.

    A clash if the ranks differ; None where they cannot be told to be equal or not.
    """
    rank = left.rank if left.rank is not None else right.rank
    if rank is not None:
        a, b = (_with_rank(shape, rank, facts) for shape in (left, right))
        if isinstance(a, Clash):
            return a
        if isinstance(b, Clash):
            return b
        return None if a is None or b is None else (a, b)
    if left.row is right.row:
        same = len(left.lead) == len(right.lead) and len(left.trail) == len(right.trail)
        return (left, right) if same else None
    front, back = (0, 0) if axis is None else (axis + 1, -axis)
    lead = max(len(left.lead), len(right.lead), front)
    trail = max(len(left.trail), len(right.trail), back)
    a, b = (_grow(shape, lead, trail, facts) for shape in (left, right))
    if a is None or b is None or b.row is None:
        return None
    bind_row(b.row, Shape((), a.row), facts)
    return a, expand(b, facts)


def _with_rank(shape: Shape, rank: int, facts: Facts) -> Shape | Clash | None:
    made = with_rank(shape, rank, facts)
    return replace(made, fault=Fault.JOIN) if isinstance(made, Clash) else made


def _grow(shape: Shape, lead: int, trail: int, facts: Facts) -> Shape | None:
    """The shape with so many axes at both ends; None where these may be the same ones."""
    grown = leading(shape, lead, facts)
    return None if grown is None else trailing(grown, trail, facts)


def _merged(shapes: list[Shape], facts: Facts) -> Shape:
    """One shape for several that agree: each axis from the first that knows its size."""
    first = expand(shapes[0], facts)
    columns = zip(*(shape.lead + shape.trail for shape in shapes), strict=True)
    merged = tuple(_merge(column) for column in columns)
    split = len(first.lead)
    return Shape(merged[:split], first.row, merged[split:])


def _merge(axes: tuple[Axis, ...]) -> Axis:
    sized = [axis for axis in axes if axis.size is not None] or [axes[0]]
    # What a class token is copied for is the batch of what it is joined with.
    known = next((axis for axis in sized if not _are_copies(axis)), sized[0])
    marks = [axis.normalised for axis in axes]
    normalised = frozenset[int]().union(*marks) if all(marks) else frozenset[int]()
    return known if known.normalised == normalised else replace(known, normalised=normalised)


def _are_copies(axis: Axis) -> bool:
    return any(each.made == COPIES for each in (axis, *axis.parts))


def _legacy_empty(tensor: Tensor) -> bool:
    """Whether torch.cat skips the tensor: one of shape (0,) joins with anything."""
    shape = tensor.shape
    return shape is not None and shape.rank == 1 and shape.lead[0].size == ZERO


def _count(shape: Shape | None) -> Size | None:
    if shape is None or shape.row is not None:
        return None
    total = ONE
    for axis in shape.lead:
        if axis.size is None:
            return None
        total = total * axis.size
    return total


def block_diagonal(call: Call) -> Outcome:
    """torch.block_diag: matrices (a, b), (c, d) to (a+c, b+d)."""
    event = Joining("block_diag", None)
    value = call.arguments.get("xs")
    if type(value) is Tensor:
        call = replace(call, arguments={"xs": Sequence((value,))})
    group = _operands(call)
    if group is None:
        return Outcome(call.make(None), event)
    rows: Size | None = ZERO
    columns: Size | None = ZERO
    for operand, shape in enumerate(group.shapes):
        if shape is None or shape.rank is None:
            return Outcome(call.make(None), event)
        if shape.rank > 2:
            return Outcome(call.make(None), event, rank_clash(shape, "matrices", operand))
        height, width = (ONE, ONE, *shape.sizes())[-2:]
        rows, columns = sum_of((rows, height)), sum_of((columns, width))
    blocks = Shape((Axis(group.repeated(rows)), Axis(group.repeated(columns))))
    return Outcome(call.make(blocks, group.dtype), event)
