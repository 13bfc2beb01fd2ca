"""Reading the mark of a tensor: backwards through the operations that made it.

What an operation does to elements is done to the mark's two values; what only moves elements
leaves them. A claim about causality holds for the last two axes: it is lost where these move away.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from attncheck.algebra.facts import Facts
from attncheck.graph import Graph, Operand, Operation
from attncheck.meaning import elements
from attncheck.meaning.elements import operand_of
from attncheck.meaning.marks import Claim, Kind, Mark, combine, constant
from attncheck.meaning.positions import MOVING, Positions, moved
from attncheck.meaning.sources import Sources
from attncheck.operators.events import (
    MOVES,
    Creation,
    Elementwise,
    Event,
    Expansion,
    Joining,
    Permutation,
    Reduction,
    Selection,
    Triangle,
)
from attncheck.values.tensor import Tensor
from attncheck.values.value import Const, Sequence, Slice, as_integer

_DEEPEST = 40
#: Reductions after which an element is still marked if all that it comes from are.
_GATHERED = frozenset({"any", "all", "max", "min", "amax", "amin"})
_FILLED = {"ones": 1.0, "ones_like": 1.0, "zeros": 0.0, "zeros_like": 0.0}
_FILLED |= {f"new_{name}": value for name, value in (("ones", 1.0), ("zeros", 0.0))}
#: Operations that write one number over all elements.
_WRITTEN = {"zero_": 0.0, "zeros_": 0.0, "ones_": 1.0}


class Meanings:
    """The marks of the tensors of a trace, each read once.

    ``making`` is the graph in which the object was made whose method is traced, if there is one.
    """

    def __init__(self, graph: Graph, facts: Facts, making: Graph | None = None) -> None:
        self._graph, self._facts, self._making = graph, facts, making
        graphs = (graph,) if making is None else (graph, making)
        self.positions = Positions(graphs, facts)
        self._sources = Sources(graphs, self.positions, self.mark)
        self._marks: dict[int, Mark | None] = {}
        self._depth = 0

    def mark(self, tensor: Tensor) -> Mark | None:
        """What the elements of a tensor say, or None where that is not known.

        Of a tensor that a branch decides: what those of all branches say.
        """
        marks = [self._made(made) for made in self.positions.makers(tensor)]
        first = marks[0]
        agree = first is not None and all(each and each.agrees(first) for each in marks[1:])
        return first if agree else None

    def _made(self, made: Operation | None) -> Mark | None:
        if made is None:
            return None
        if made.number not in self._marks:
            if self._depth > _DEEPEST:
                return None
            self._depth += 1
            self._marks[made.number] = self._of_operation(made)
            self._depth -= 1
        return self._marks[made.number]

    def supposing(self, made: Operation, mark: Mark) -> Meanings:
        """The marks of the same tensors if what one operation gives had `mark`."""
        other = Meanings(self._graph, self._facts, self._making)
        other._marks[made.number] = mark
        return other

    def mark_of(self, operand: Operand | None) -> Mark | None:
        """The mark of an operand, also of a number."""
        if operand is None:
            return None
        if isinstance(operand.value, Tensor):
            return self.mark(operand.value)
        number = elements.number_of(operand)
        return None if number is None else constant(number)

    def _of_operation(self, made: Operation) -> Mark | None:
        reader = _BY_KIND.get(made.kind) or _BY_EVENT.get(type(made.event))
        mark = None if reader is None else reader(self, made)
        return mark if mark is not None else self._sources.mark(made)

    def triangle(self, made: Operation) -> Claim | None:
        """What a triangle of one value lets see, or None."""
        return self._sources.triangle(made)


# -- elements --------------------------------------------------------------------------------------


def _elementwise(meanings: Meanings, made: Operation) -> Mark | None:
    event = made.event
    assert isinstance(event, Elementwise)
    if event.symbol == "dropout":
        return None
    if event.symbol == "invert":
        return _inverted(meanings, made)
    unary, binary = elements.UNARY.get(event.symbol), elements.BINARY.get(event.symbol)
    if unary is not None:
        return _computed(meanings, made, unary, ("x",))
    if binary is not None and operand_of(made, "alpha") is None:
        return _computed(meanings, made, binary, ("x", "y"))
    return None


def _computed(
    meanings: Meanings, made: Operation, function: Callable[..., float], names: tuple[str, ...]
) -> Mark | None:
    marks = [meanings.mark_of(operand_of(made, name)) for name in names]
    known = [mark for mark in marks if mark is not None]
    return combine(function, known) if len(known) == len(names) else None


def _inverted(meanings: Meanings, made: Operation) -> Mark | None:
    """``~mask``: of a boolean one; of numbers it is no negation."""
    operand = operand_of(made, "x")
    if operand is None or not isinstance(operand.value, Tensor) or operand.value.dtype != "bool":
        return None
    return _computed(meanings, made, elements.UNARY["logical_not"], ("x",))


def _masked_fill(meanings: Meanings, made: Operation) -> Mark | None:
    return _computed(meanings, made, elements.fill, ("x", "mask", "value"))


def _assigned(meanings: Meanings, made: Operation) -> Mark | None:
    """``mask[future] = -inf``."""
    return _computed(meanings, made, elements.fill, ("x", "key", "y"))


def _where(meanings: Meanings, made: Operation) -> Mark | None:
    return _computed(meanings, made, elements.choose, ("condition", "x", "y"))


# -- copies and moves ------------------------------------------------------------------------------


def _copied(meanings: Meanings, made: Operation) -> Mark | None:
    """A copy or a cast: to bool, the truth of the elements."""
    mark = meanings.mark_of(operand_of(made, "x"))
    output = made.output
    if mark is None or not isinstance(output, Tensor):
        return mark
    return combine(bool, [mark]) if output.dtype == "bool" else mark


def _moved(meanings: Meanings, made: Operation) -> Mark | None:
    """Elements in other places; a causal claim only stays where the last two axes do."""
    source = moved(made)
    mark = None if source is None else meanings.mark(source)
    if source is None or mark is None or mark.causal() is None:
        return mark
    event = made.event
    if isinstance(event, Permutation):
        return _permuted(mark, event)
    if not _keeps_matrix(meanings, made, source):
        return None
    return _cut(mark, made) if isinstance(event, Selection) else mark


def _permuted(mark: Mark, event: Permutation) -> Mark | None:
    rank = len(event.order)
    last = tuple(place % rank for place in event.order[-2:]) if rank else ()
    if last == (rank - 2, rank - 1):
        return mark
    return turned(mark) if last == (rank - 1, rank - 2) else None


def turned(mark: Mark) -> Mark | None:
    """A causal mark with queries and keys exchanged: what was seen is what is not seen now.

    ``j <= i + reach`` becomes ``j >= i - reach``.
    """
    if len(mark.claims) != 1:
        return None
    (claim,) = mark.claims
    reach = None if claim.reach is None else -claim.reach - 1
    claim = replace(claim, reach=reach, sees_itself=not claim.sees_itself)
    return Mark(mark.hidden, mark.visible, (claim,))


def _keeps_matrix(meanings: Meanings, made: Operation, source: Tensor) -> bool:
    """Whether the last two axes of what was moved still are the last two, or parts of them."""
    before, after = (meanings.positions.shape(value) for value in (source, made.output))
    if before is None or after is None or not before.closed or not after.closed:
        return False
    if len(before.axes) < 2 or len(after.axes) < 2:
        return False
    if isinstance(made.event, Selection):
        rank = len(before.axes)
        return made.event.kept[-2:] == (rank - 2, rank - 1)
    return all(
        one.size is not None and one.size == other.size
        for one, other in zip(before.axes[-2:], after.axes[-2:], strict=True)
    )


def _cut(mark: Mark, made: Operation) -> Mark:
    """A part of a causal mask: from its first row and column on, it is one itself."""
    key = operand_of(made, "key")
    value = None if key is None else key.value
    items = value.items if type(value) is Sequence and value.items is not None else (value,)
    cuts = [item for item in items if type(item) is Slice]
    whole = all(_from_start(cut.lower) and _from_start(cut.step, 1) for cut in cuts)
    rows, columns = ([*cuts, None, None] if len(cuts) < 2 else cuts)[-2:]
    square = len(cuts) >= 2 and rows is not None and columns is not None
    same = square and rows.upper == columns.upper  # type: ignore[union-attr]
    if whole and (same or not any(cut.upper for cut in cuts[-2:])):
        return mark
    return mark.without_reach()


def _from_start(bound: object, start: int = 0) -> bool:
    if bound is None or bound == Const(None):
        return True
    return as_integer(bound) == start  # type: ignore[arg-type]


def _joined(meanings: Meanings, made: Operation) -> Mark | None:
    """Marks side by side, and beside them what is visible or hidden throughout."""
    marks = [meanings.mark(tensor) for _, tensor in made.tensors()]
    known = [mark for mark in marks if mark is not None]
    telling = [mark for mark in known if not mark.is_constant]
    if len(known) < len(marks) or not known:
        return None
    if not telling:
        return known[0] if len({mark.visible for mark in known}) == 1 else None
    first = telling[0]
    values = {first.visible, first.hidden}
    for mark in known:
        fits = mark.visible in values if mark.is_constant else _says_same(mark, first)
        if not fits:
            return None
    claims = tuple(dict.fromkeys(claim for mark in telling for claim in mark.claims))
    return Mark(first.visible, first.hidden, claims).without_reach()


def _says_same(mark: Mark, other: Mark) -> bool:
    return (mark.visible, mark.hidden) == (other.visible, other.hidden)


def _reduced(meanings: Meanings, made: Operation) -> Mark | None:
    """``(features == 0).all(-1)``: of padding, which is the same for all features."""
    assert isinstance(made.event, Reduction)
    operand = next(made.tensors(), None)
    mark = None if operand is None else meanings.mark(operand[1])
    if mark is None or made.event.kind not in _GATHERED or mark.causal() is not None:
        return None
    return mark


# -- constants and triangles -----------------------------------------------------------------------


def _created(meanings: Meanings, made: Operation) -> Mark | None:
    assert isinstance(made.event, Creation)
    known = _FILLED.get(made.event.kind)
    if known is not None:
        return constant(known)
    for name in ("value", "filler"):
        number = elements.number_of(operand_of(made, name))
        if number is not None and made.event.kind.startswith(("full", "new_full")):
            return constant(number)
    return None


def _written_over(meanings: Meanings, made: Operation) -> Mark | None:
    name = made.spelling.rpartition(".")[2]
    if name in _WRITTEN:
        return constant(_WRITTEN[name])
    number = elements.number_of(operand_of(made, "value") or operand_of(made, "val"))
    return constant(number) if name in ("fill_", "constant_") and number is not None else None


def _triangle(meanings: Meanings, made: Operation) -> Mark | None:
    """``tril(x, d)`` keeps ``j <= i + d`` of a constant, ``triu(x, d)`` keeps ``j >= i + d``."""
    event = made.event
    assert isinstance(event, Triangle)
    filled = meanings.mark_of(operand_of(made, "x"))
    if filled is None or not filled.is_constant or filled.visible == 0:
        return None
    claim = meanings.triangle(made)
    if claim is None:
        return None
    value = filled.visible
    return Mark(value, 0.0, (claim,)) if event.kind == "tril" else Mark(0.0, value, (claim,))


def _subsequent(meanings: Meanings, made: Operation) -> Mark | None:
    """Of torch's generate_square_subsequent_mask: 0 and -inf."""
    return Mark(0.0, -math.inf, (Claim(Kind.CAUSAL, made, 0),))


_Reader = Callable[[Meanings, Operation], Mark | None]
_BY_KIND: dict[str, _Reader] = {
    "masked_fill": _masked_fill,
    "where": _where,
    "assign": _assigned,
    "identity": _copied,
    "array": _copied,
    "new_array": _copied,
    "written_over": _written_over,
    "causal_mask": _subsequent,
    **dict.fromkeys(MOVING, _moved),
}
_BY_EVENT: dict[type[Event] | type[None], _Reader] = {
    **dict.fromkeys(MOVES, _moved),
    Expansion: _moved,
    Elementwise: _elementwise,
    Creation: _created,
    Triangle: _triangle,
    Joining: _joined,
    Reduction: _reduced,
}
