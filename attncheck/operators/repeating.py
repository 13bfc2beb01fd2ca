"""Elements repeated, put in another order, or left as they are.

``expand`` and ``broadcast_to`` stretch axes of size 1; ``repeat`` and ``tile`` lay copies side by
side; ``repeat_interleave`` repeats each element in place. An axis that is repeated remembers in
its parts whether the copies stand outside or inside.
"""

from __future__ import annotations

from attncheck.algebra.facts import Facts
from attncheck.algebra.reshape import pieces
from attncheck.algebra.shape import COPIES, SCALAR, Axis, Row, Shape, closed
from attncheck.algebra.size import ONE, Size
from attncheck.evidence.roles import Role
from attncheck.operators.axes import axes_text, locate, shape_of_items, unknown_axis
from attncheck.operators.call import Call
from attncheck.operators.contraction import element_count
from attncheck.operators.events import Clash, Expansion, Fault, Outcome
from attncheck.operators.operands import dtype_of, operand_shape
from attncheck.record import replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import Const, Int, Library, Scalar, Sequence, Value


def _make(call: Call, shape: Shape | None, kind: str) -> Outcome:
    return Outcome(call.make(shape, dtype_of(call.tensor("x"))), Expansion(kind))


def _refuse(call: Call, clash: Clash, kind: str) -> Outcome:
    return Outcome(call.make(None, dtype_of(call.tensor("x"))), Expansion(kind), clash)


# -- stretching ------------------------------------------------------------------------------------


def expand(call: Call) -> Outcome:
    """Axes of size 1 stretched, and axes put in front, to ``sizes``; in torch -1 keeps a size."""
    return _stretch(call, call.sizes("sizes"), "expand")


def expand_like(call: Call) -> Outcome:
    """Axes stretched to the sizes of another tensor."""
    other = call.shape("other")
    if other is None or not other.closed:
        return _make(call, other, "expand_as")
    return _stretch(call, list(other.sizes()), "expand_as")


def _stretch(call: Call, sizes: list[Size | None] | None, kind: str) -> Outcome:
    shape = operand_shape(call, "x")
    if sizes is None:
        return _make(call, None, kind)
    keeps = [size is not None and size.number == -1 for size in sizes]
    if shape is None or not shape.closed:
        axes = [Axis(None if keep else size) for size, keep in zip(sizes, keeps, strict=True)]
        return _make(call, closed(_known_tail(axes, keeps, shape)), kind)
    missing = len(sizes) - len(shape.lead)
    if missing < 0:
        text = f"stretches {shape} to {axes_text(len(sizes))}"
        return _refuse(call, Clash(Fault.RANK, text), kind)
    if any(keeps) and (call.like_numpy or any(keeps[:missing])):
        text = f"asks for the size -1 where {shape} has no axis"
        return _refuse(call, Clash(Fault.AXIS, text), kind)
    axes = [Axis(size, made=COPIES) for size in sizes[:missing]]
    for axis, size, keep in zip(shape.lead, sizes[missing:], keeps[missing:], strict=True):
        if keep or axis.size == size:
            axes.append(axis)
            continue
        clash = _stretch_clash(call, shape, axis, size)
        if clash is not None:
            return _refuse(call, clash, kind)
        axes.append(axis if _same(call, axis, size) else Axis(size, made=_stretched(axis)))
    return _make(call, closed(axes), kind)


def _stretched(axis: Axis) -> str | None:
    """What a stretched axis counts: copies, where it certainly was a single element."""
    return COPIES if axis.is_one else None


def _known_tail(axes: list[Axis], keeps: list[bool], shape: Shape | None) -> list[Axis]:
    """`axes` with the open shape's last ones where a size is kept."""
    trail = () if shape is None else shape.trail
    for behind, axis in enumerate(reversed(trail[-len(axes) :] if axes else ()), start=1):
        if keeps[-behind]:
            axes[-behind] = axis
    return axes


def _stretch_clash(call: Call, shape: Shape, axis: Axis, size: Size | None) -> Clash | None:
    if axis.is_one or axis.size is None or size is None:
        return None
    verdict = call.facts.compare(axis.size, size)
    if not verdict.clashes or any(symbol.flexible for symbol in axis.size.symbols()):
        return None
    text = f"stretches {shape}: {axis} becomes {size}"
    return Clash(Fault.BROADCAST, text, 0, axis.size, size, verdict)


def _same(call: Call, axis: Axis, size: Size | None) -> bool:
    if axis.size is None or size is None:
        return False
    return call.facts.equal(axis.size, size)


# -- copies ----------------------------------------------------------------------------------------


def repeat(call: Call) -> Outcome:
    """The repeat of torch: whole copies along each axis; at least as many counts as axes."""
    shape, counts = operand_shape(call, "x"), call.sizes("counts")
    if shape is not None and shape.closed and counts is not None and len(counts) < len(shape.lead):
        text = f"repeats {axes_text(len(counts))} of {shape}, fewer than it has"
        return _refuse(call, Clash(Fault.RANK, text), "repeat")
    return _copies(call, shape, counts, "repeat")


def tile(call: Call) -> Outcome:
    """Whole copies along the last axes, or along new ones in front."""
    return _copies(call, operand_shape(call, "x"), call.sizes("counts"), "tile")


def _copies(
    call: Call, shape: Shape | None, counts: list[Size | None] | None, kind: str
) -> Outcome:
    if counts is None:
        return _make(call, None, kind)
    if shape is None or not shape.closed:
        return _make(call, _of_any_rank(shape, counts, kind, call.facts), kind)
    rank = max(len(shape.lead), len(counts))
    axes = (Axis(ONE),) * (rank - len(shape.lead)) + shape.lead
    times = [ONE] * (rank - len(counts)) + counts
    made = closed(
        repeated(axis, count, call.facts, outside=True)
        for axis, count in zip(axes, times, strict=True)
    )
    merging = [c for axis, c in zip(axes, times, strict=True) if c != ONE and not axis.is_one]
    value = call.make(made, dtype_of(call.tensor("x")))
    event = Expansion(kind, merging[0], True) if len(merging) == 1 else Expansion(kind)
    return Outcome(value, event)


def _of_any_rank(shape: Shape | None, counts: list[Size | None], kind: str, facts: Facts) -> Shape:
    """Copies of a tensor whose axes nobody can list: its last ones are those with the counts.

    There are no more of them for torch's repeat, which takes a count for each axis; a tile may have
    others in front, and has axes that are known if they are the last.
    """
    known = () if shape is None else shape.trail[-len(counts) :] if counts else ()
    missing = len(counts) - len(known)
    made = [_copied(count) for count in counts[:missing]]
    if kind == "repeat":
        return closed([*made, *map(_copied, counts[missing:])])
    made += [
        repeated(axis, count, facts, outside=True)
        for axis, count in zip(known, counts[missing:], strict=True)
    ]
    return Shape((), Row("tiled", born=False), tuple(made))


def _copied(count: Size | None) -> Axis:
    """Copies of an axis of which nothing is known but that it is there."""
    if count is None or count == ONE:
        return Axis(None)
    return Axis(None, parts=(Axis(count, made=COPIES), Axis(None)))


def repeated(axis: Axis, count: Size | None, facts: Facts, *, outside: bool) -> Axis:
    """An axis repeated `count` times: all of it again and again (outside), or each element."""
    if count == ONE:
        return axis
    if axis.size is None or count is None:
        return Axis(None)
    copies = Axis(count, made=COPIES)
    if axis.is_one:
        return copies
    parts = pieces((copies, axis) if outside else (axis, copies), facts)
    return Axis(axis.size * count, parts=parts)


def repeat_interleave(call: Call) -> Outcome:
    """Each element repeated in place along ``axis``, or, without it, of the flattened tensor."""
    shape = operand_shape(call, "x")
    kind = "repeat_interleave"
    if shape is None or unknown_axis(call):
        return _make(call, None, kind)
    axis = call.integer("axis")
    if not call.given("axis"):
        shape, axis = closed([Axis(element_count(shape))]), 0
    if axis is None:
        return _make(call, None, kind)
    if shape == SCALAR and axis in (0, -1):
        if call.library == "torch":
            # Refused for one of the two numbers, which one depends on the count.
            return _make(call, None, kind)
        shape = closed([Axis(ONE)])
    found = locate(shape, (axis,), call.facts)
    if isinstance(found, Clash):
        return _refuse(call, found, kind)
    layout, (index,) = found
    count = None if isinstance(call.value("counts"), Tensor) else call.size("counts")
    items = list(layout.items)
    items[index] = repeated(layout.axis(index), count, call.facts, outside=False)
    event = Expansion(kind, count, None if layout.axis(index).is_one else False)
    return Outcome(call.make(shape_of_items(items), dtype_of(call.tensor("x"))), event)


# -- the same elements -----------------------------------------------------------------------------


def flip(call: Call) -> Outcome:
    """The elements in reverse order along ``axis``, or along all axes."""
    number = call.library == "torch" and call.shape("x") == SCALAR
    if number and call.integers("axis") in ((0,), (-1,)):
        return Outcome(call.make(SCALAR, dtype_of(call.tensor("x"))))
    return _reordered(call)


def roll(call: Call) -> Outcome:
    """The elements moved along ``axis``, those that leave at the end coming in at the front."""
    return _reordered(call)


def _reordered(call: Call) -> Outcome:
    shape, axes = operand_shape(call, "x"), call.integers("axis")
    value = call.make(shape, dtype_of(call.tensor("x")))
    if shape is None or axes is None:
        return Outcome(value)
    found = locate(shape, axes, call.facts)
    if isinstance(found, Clash):
        return Outcome(call.make(None, value.dtype), None, found)
    return Outcome(call.make(shape_of_items(found[0].items), value.dtype))


def learned(call: Call) -> Outcome:
    """A tensor as a parameter of a module, which training fills."""
    outcome = identity(call)
    if type(outcome.value) is not Tensor:
        return outcome
    return replace(outcome, value=replace(outcome.value, role=Role.PARAMETER))


def identity(call: Call) -> Outcome:
    """A copy, a detached view, another device: the tensor, with its axes and their marks.

    A dtype in ``dtype`` or among ``targets`` (or the table's ``kind``) is that of the result;
    ``becomes`` is the library whose tensor the result is. A number, or a tuple of sizes, that
    TensorFlow casts stays what it is: sizes are tensors there.
    """
    tensor, value = call.tensor("x"), call.arguments.get("x")
    if call.library == "tensorflow" and isinstance(value, Int | Scalar | Const | Sequence):
        return Outcome(value)
    library = call.text("becomes") or call.library
    if tensor is None:
        return Outcome(replace(call.make(operand_shape(call, "x")), library=library))
    dtype = call.text("kind") or _asked_dtype(call, tensor.dtype)
    made = replace(tensor, library=library, dtype=dtype, operation=None)
    return Outcome(made)


def contiguous(call: Call) -> Outcome:
    """The ascontiguousarray of numpy: the array, with at least one axis."""
    outcome = identity(call)
    if call.shape("x") != SCALAR or not isinstance(outcome.value, Tensor):
        return outcome
    return Outcome(outcome.value.with_shape(closed([Axis(ONE)])))


def _asked_dtype(call: Call, dtype: str | None) -> str | None:
    """The dtype among the arguments; the tensor's own if no argument can be one."""
    targets = call.arguments.get("targets")
    values = [call.arguments.get("dtype"), targets]
    if isinstance(targets, Sequence):
        values += targets.items or ()
    for value in values:
        if value is None or isinstance(value, Sequence):
            continue
        if isinstance(value, Tensor):
            return value.dtype
        named = dtype_named(value)
        if named is not None:
            return named
        if not isinstance(value, Const):
            dtype = None
    return dtype


_KINDS = (
    ("float", ("float", "double", "half")),
    ("int", ("int", "uint", "long", "short")),
    ("bool", ("bool",)),
)


def dtype_named(value: Value) -> str | None:
    """The category of a dtype (``torch.bfloat16``, ``np.int64``, ``"float32"``), or None."""
    if isinstance(value, Library):
        name = value.path.rpartition(".")[2]
    elif isinstance(value, Const) and isinstance(value.value, str):
        name = value.value
    else:
        return None
    for kind, prefixes in _KINDS:
        if name.removeprefix("b").startswith(prefixes) or name.startswith(prefixes):
            return kind
    return None
