"""Tensors of different ranks in one: pack and unpack of einops; and the sizes that a pattern names.

The ``*`` of a pattern stands for any number of axes, merged into one: ``pack([x, y], "b * d")``.
Reference: einops.pack, einops.unpack, einops.parse_shape.
"""

from __future__ import annotations

from dataclasses import dataclass

from attncheck.algebra.facts import Facts
from attncheck.algebra.reshape import INFER, Wanted
from attncheck.algebra.reshape import reshape as reshape_axes
from attncheck.algebra.shape import Axis, Row, Shape, closed
from attncheck.algebra.size import Size, const, product
from attncheck.operators.axes import axes_text, split_ends, with_rank
from attncheck.operators.call import Call
from attncheck.operators.events import Clash, Fault, Outcome
from attncheck.operators.joining import concatenate
from attncheck.operators.operands import dtype_of
from attncheck.operators.patterns import Malformed, check_name, read_side
from attncheck.operators.rearranging import pattern_of, take_apart
from attncheck.operators.reshaping import split_clash, wanted_sizes
from attncheck.operators.seats import rank_clash, resized
from attncheck.operators.splitting import sum_of
from attncheck.record import replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import UNKNOWN, Int, Mapping, Sequence, ShapeOf, Value


def _around_star(text: str) -> tuple[int, int]:
    """How many axes a pattern names before ``*`` and behind it; raises Malformed."""
    names = text.split()
    if names.count("*") == 0:
        raise Malformed("has no * in its pattern")
    for name in names:
        if names.count(name) > 1:
            raise Malformed(f"has {name} twice in its pattern")
        if name != "*":
            check_name(name)
    before = names.index("*")
    return before, len(names) - before - 1


# -- pack ------------------------------------------------------------------------------------------


def pack(call: Call) -> Outcome:
    """``xs`` joined along the ``*`` of ``pattern``, and for each tensor the axes that it stood for.

    Clashes where a tensor has too few axes, or other sizes than the first beside the ``*``.
    """
    call = call.of_library("xs")
    tensors, unknown = call.tensors("xs"), Sequence((call.make(None), UNKNOWN))
    try:
        text = pattern_of(call)
        if text is None:
            return Outcome(unknown)
        front, back = _around_star(text)
    except Malformed as problem:
        return Outcome(unknown, None, Clash(Fault.EINSUM, str(problem)))
    flat: list[Value] = []
    inner: list[Value] = []
    for operand, tensor in enumerate(tensors or ()):
        if tensor is None:
            return Outcome(unknown)
        taken = _flattened(tensor, front, back, call.facts)
        if isinstance(taken, Clash):
            return Outcome(unknown, None, replace(taken, operand=operand))
        flat.append(tensor.with_shape(taken[0]))
        inner.append(taken[1])
    if not flat:
        return Outcome(unknown)
    arguments: dict[str, Value] = {"xs": Sequence(tuple(flat)), "axis": Int(const(front))}
    joined = concatenate(replace(call, arguments=arguments))
    value = Sequence((joined.value, Sequence(tuple(inner), mutable=True)))
    return Outcome(value, joined.event, joined.clash)


def _flattened(tensor: Tensor, front: int, back: int, facts: Facts) -> tuple[Shape, Value] | Clash:
    """A tensor's shape with the axes of ``*`` merged, and these axes' sizes."""
    if tensor.shape is None:
        return closed(Axis(None) for _ in range(front + 1 + back)), UNKNOWN
    ends = split_ends(tensor.shape, front, back, facts)
    if ends is None:
        return rank_clash(tensor.shape, f"at least {axes_text(front + back)} by its pattern")
    lead, middle, trail = ends
    if not middle.closed:
        return closed((*lead, Axis(None), *trail)), ShapeOf(middle)
    sizes = Sequence(tuple(Int(size) for size in middle.sizes()))
    merged = reshape_axes(middle, [INFER], facts).shape
    return closed((*lead, *merged.axes, *trail)), sizes


# -- unpack ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Piece:
    """The axes that one unpacked tensor has for the ``*``: the sizes asked for, or a shape."""

    wanted: list[Wanted] | None = None
    shape: Shape | None = None

    @property
    def inferred(self) -> bool:
        """Whether the number of elements is what the others leave."""
        return self.wanted is not None and INFER in self.wanted

    @property
    def count(self) -> Size | None:
        """The number of elements along the ``*``; None if not known."""
        sizes = [size for size in self.wanted or () if isinstance(size, Size)]
        known = self.wanted is not None and len(sizes) == len(self.wanted)
        return product(sizes) if known else None


def unpack(call: Call) -> Outcome:
    """The tensors that were packed: ``x`` cut along the ``*``, into pieces of these ``shapes``.

    Clashes where x has another number of axes, and where the pieces do not make up the axis.
    """
    call = call.of_library("x")
    shapes, shape, dtype = call.value("shapes"), call.shape("x"), dtype_of(call.tensor("x"))
    unknown = Sequence(None, element=call.make(None, dtype))
    try:
        text = pattern_of(call)
        if text is None:
            return Outcome(unknown)
        front, back = _around_star(text)
    except Malformed as problem:
        return Outcome(unknown, None, Clash(Fault.EINSUM, str(problem)))
    rank = front + 1 + back
    made = None if shape is None else with_rank(shape, rank, call.facts)
    if isinstance(made, Clash):
        return Outcome(unknown, None, made)
    if not isinstance(shapes, Sequence) or shapes.items is None:
        return Outcome(unknown)
    axes = (Axis(None),) * rank if made is None else made.axes
    pieces = _pieces(shapes.items, call.facts)
    cut = pieces if isinstance(pieces, Clash) else _cut(axes[front], pieces, call.facts)
    if isinstance(cut, Clash):
        return Outcome(unknown, None, cut)
    whole = (
        Shape((*axes[:front], *inner.lead), inner.row, (*inner.trail, *axes[front + 1 :]))
        if inner.row is not None
        else closed((*axes[:front], *inner.lead, *axes[front + 1 :]))
        for inner in cut
    )
    return Outcome(Sequence(tuple(call.make(each, dtype) for each in whole), mutable=True))


def _pieces(shapes: tuple[Value, ...], facts: Facts) -> list[_Piece] | Clash:
    pieces: list[_Piece] = []
    for value in shapes:
        if isinstance(value, ShapeOf):
            pieces.append(_Piece(shape=value.shape))
            continue
        listed = value if isinstance(value, Sequence) else Sequence(None)
        wanted = wanted_sizes(Call(facts, {"sizes": listed}, "", "").sizes("sizes"))
        if isinstance(wanted, Clash):
            return wanted
        pieces.append(_Piece(wanted))
    if sum(piece.inferred for piece in pieces) > 1:
        return Clash(Fault.COUNT, "leaves the size of more than one tensor to be inferred")
    return pieces


def _cut(axis: Axis, pieces: list[_Piece], facts: Facts) -> list[Shape] | Clash:
    """The axes of each piece of one axis, or why they do not make it up."""
    others = sum_of(piece.count for piece in pieces if not piece.inferred)
    rest = None if axis.size is None or others is None else facts.resolve(axis.size) - others
    if rest is not None and not any(piece.inferred for piece in pieces):
        assert axis.size is not None and others is not None
        counts = ", ".join(str(piece.count) for piece in pieces)
        verdict = facts.force(axis.size, others, "the pieces make up the axis")
        if verdict.clashes:
            text = f"unpacks an axis of {axis} into pieces of ({counts})"
            return Clash(Fault.SPLIT, text, 0, axis.size, others, verdict)
    made: list[Shape] = []
    for piece in pieces:
        size = rest if piece.inferred else piece.count
        number = None if size is None else size.number
        part = resized(axis, None if number is not None and number < 0 else size, facts)
        if piece.wanted is None:
            made.append(piece.shape or Shape((), Row("unpacked", born=False)))
            continue
        outcome = reshape_axes(closed([axis if len(pieces) == 1 else part]), piece.wanted, facts)
        clash = split_clash(part, piece.wanted, outcome)
        if clash is not None:
            return clash
        made.append(outcome.shape)
    return made


# -- sizes by name ---------------------------------------------------------------------------------


def parse_shape(call: Call) -> Outcome:
    """A dict of the sizes of ``x`` by their names in ``pattern``; ``_`` is left out."""
    unknown = Mapping((), open=True)
    try:
        text = pattern_of(call)
        if text is None:
            return Outcome(unknown)
        side = read_side(text, underscores=True)
        if any(group is not ... and (len(group) > 1 or ... in group) for group in side.groups):
            raise Malformed("merges axes in its pattern")
    except Malformed as problem:
        return Outcome(unknown, None, Clash(Fault.EINSUM, str(problem)))
    taken = take_apart(call.shape("x"), side, {}, call.facts)
    if isinstance(taken, Clash):
        return Outcome(unknown, None, taken)
    sizes = ((name, axis.size) for name, axis in taken.axes.items() if isinstance(name, str))
    return Outcome(Mapping(tuple((name, Int(size)) for name, size in sizes if name != "_")))
