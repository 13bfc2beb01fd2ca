"""Operations that only work if two axes of one tensor that nobody has seen are of one size.

``einsum("bid,bdj->bij", q, k)`` of a query and keys that both are ``(B, T, d)`` makes T equal to d.
Nobody has said that the two differ, so it may work; but the query has its d on another axis by what
it is, and there it meets none. Tensors of two axes are left alone: a matrix may be square.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from attncheck.algebra.broadcast import Broadcast, How
from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis, Shape, listed
from attncheck.algebra.size import Size, Symbol, of
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Attention, Contraction, Einsum
from attncheck.record import record, replace
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor

_LEAST_RANK = 3
#: Axes that meet as they are: both are of one size, or nobody knows that they are not.
_MET = frozenset({How.ASSUMED, How.MATCHED})
_MATRIX = 2


@record
class Meeting:
    """Two axes that an operation needs to be equal: of which operands, and their places there.

    Places are counted from the end: -1 is the last axis.
    """

    axes: tuple[Axis, Axis]
    operands: tuple[int, int]
    places: tuple[int, int]
    #: whether it is in the result, as a batch is, and not summed over
    kept: bool = False
    #: whether a product sums over it
    summed: bool = False
    #: whether the two were of one size before, or are by what else the operation needs
    known: bool = False

    def turned(self) -> Meeting:
        """The same with its sides exchanged."""
        return replace(
            self, axes=self.axes[::-1], operands=self.operands[::-1], places=self.places[::-1]
        )


@record
class Tie:
    """The operand whose axis was taken to be `wanted`, though another axis of it is that."""

    operand: int
    beside: int
    place: int
    unseen: Size
    wanted: Size
    summed: bool = False


def report(rule: Rule, operation: Operation, view: View, how: str) -> Iterator[Report]:
    """The report of `rule` if an operation ties two axes of an operand; `how` it pairs sizes."""
    found = tied(operation, view)
    operands = list(operation.tensors())
    node = None if found is None else operands[found.operand][0].node
    if found is None or node is None:
        return
    own, beside = operands[found.operand], operands[found.beside]
    how = "contracts" if found.summed else how
    unseen, wanted = (before(size, operation, view) for size in (found.unseen, found.wanted))
    said = [
        f"`{view.quote(operand.node)}` is {as_it_was(tensor, operation, view)}"
        for operand, tensor in sorted((own, beside), key=operands.index)
    ]
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` {how} {unseen} with {wanted}: {' and '.join(said)}",
        Culprit(node, own[1].with_shape(as_it_was(own[1], operation, view, apart=True))),
        None,
        f"its axes in an order in which its {wanted} meets that of `{view.quote(beside[0].node)}`",
        hidden=f"hidden while {unseen} == {wanted}",
    )


def before(size: Size, operation: Operation, view: View) -> Size:
    """A size as it was known before an operation needed it to be another one."""
    return view.facts.resolve_but(size, operation.bound)


def as_it_was(
    tensor: Tensor, operation: Operation, view: View, *, apart: bool = False
) -> Shape | None:
    """A tensor's shape as it was known before an operation needed sizes to be equal.

    With them `apart`, they are sizes of their own again, of which nothing is known.
    """
    shape = _as_made(tensor, view)
    if shape is None:
        return None
    own = {symbol: of(Symbol(symbol.name)) for symbol in operation.bound} if apart else {}

    def known(axis: Axis) -> Axis:
        if axis.size is None:
            return axis
        return replace(axis, size=before(axis.size, operation, view).replace(own.get))

    return Shape(tuple(map(known, shape.lead)), shape.row, tuple(map(known, shape.trail)))


def tied(operation: Operation, view: View) -> Tie | None:
    """The tie of an operation that works, or None."""
    if operation.clash is not None:
        return None
    meetings = list(_meetings(operation, view))
    if any(max(each.operands) >= len(list(operation.tensors())) for each in meetings):
        return None  # operands in a list are none of their own
    shapes = [_as_made(tensor, view) for _, tensor in operation.tensors()]
    for meeting in meetings:
        both = [each for each in meetings if {*each.operands} == {*meeting.operands}]
        for own in () if meeting.known else (meeting, meeting.turned()):
            found = _tie(own, both, shapes, view, operation.bound)
            if found is not None:
                return found
    return None


def _tie(
    meeting: Meeting,
    meetings: list[Meeting],
    shapes: list[Shape | None],
    view: View,
    bound: frozenset[Symbol] = frozenset(),
) -> Tie | None:
    own, opposite = (axis.size for axis in meeting.axes)
    shape = shapes[meeting.operands[0]]
    if own is None or opposite is None or shape is None:
        return None
    axes = shape.tail
    symbol = own.symbol
    if symbol is None:
        return None
    # Names that prose has for axes are no unseen sizes, and told of nothing but each other.
    told = symbol in bound and not symbol.table and symbol.value is None
    if not told and not _is_open(own, opposite, view):
        return None
    if own == opposite or opposite.number is not None:
        return None
    if any(each.found for size in (own, opposite) for each in size.symbols()):
        return None  # a size that has only got its variable's name may be any
    if len(axes) < _LEAST_RANK or symbol in opposite.symbols():
        return None
    for place, axis in enumerate(axes, start=-len(axes)):
        size = axis.size
        if place == meeting.places[0] or size is None or symbol in size.symbols():
            continue
        if meeting.summed and place >= -_MATRIX:
            continue  # a transpose would do: that is a mistake of its own
        if size != opposite or _is_met(meeting.operands[0], place, opposite, meetings, view):
            continue
        seen = not any(each.flexible for each in size.symbols())
        alone = meeting.kept and _is_alone(meeting.operands[0], place, meetings)
        if seen or alone or _is_crossed(meeting, meetings):
            return Tie(*meeting.operands, meeting.places[0], own, opposite, meeting.summed)
    return None


def _is_open(own: Size, opposite: Size, view: View) -> bool:
    """Whether nothing but the operation says that a size is another one."""
    unseen = any(symbol.flexible for symbol in own.symbols())
    return unseen or view.facts.compare(own, opposite) is Verdict.UNKNOWN


def _is_met(operand: int, place: int, size: Size, meetings: list[Meeting], view: View) -> bool:
    """Whether an axis meets one that certainly is of its size."""
    return any(
        own.operands[0] == operand
        and own.places[0] == place
        and own.axes[1].size is not None
        and view.facts.compare(own.axes[1].size, size) is Verdict.EQUAL
        and own.axes[1].size == size
        for each in meetings
        for own in (each, each.turned())
    )


def _is_alone(operand: int, place: int, meetings: list[Meeting]) -> bool:
    """Whether an axis meets none of another operand."""
    return not any(
        (own.operands[0], own.places[0]) == (operand, place)
        for each in meetings
        for own in (each, each.turned())
    )


def _is_crossed(meeting: Meeting, meetings: list[Meeting]) -> bool:
    """Whether the same two sizes meet the other way round too: ``(B, H)`` against ``(H, B)``."""
    return any(
        other.operands == meeting.operands
        and [axis.size for axis in other.axes] == [axis.size for axis in meeting.axes[::-1]]
        for other in meetings
    )


# -- which axes meet ------------------------------------------------------------------------------


def _as_made(tensor: Tensor, view: View) -> Shape | None:
    """A tensor's shape in the names of when it was made."""
    return None if tensor.shape is None else listed(tensor.shape, view.facts)


def _meetings(operation: Operation, view: View) -> Iterator[Meeting]:
    event = operation.event
    if isinstance(event, Einsum):
        yield from _letters(event)
    elif isinstance(event, Contraction) and event.batch is not None:
        yield from _leading(operation, event.batch, (0, 1), view)
        yield from _summed(operation, event, view)
    elif isinstance(event, Attention):
        for pair, spread in zip(itertools.pairwise(range(3)), event.batch, strict=False):
            if spread is not None:
                yield from _leading(operation, spread, pair, view)
        # A value for each key: the weights are summed over.
        keys = event.positions.left, event.positions.right
        yield Meeting(keys, (1, 2), (-_MATRIX, -_MATRIX), summed=True)


def _summed(operation: Operation, event: Contraction, view: View) -> Iterator[Meeting]:
    """The axes that a product of two stacks of matrices sums over."""
    shapes = [_as_made(tensor, view) for _, tensor in operation.tensors()]
    if len(event.pairs) != 1 or any(shape is None or not shape.closed for shape in shapes):
        return
    (pair,) = event.pairs
    axes = (event.left_axes, event.right_axes)
    ranks = [0 if shape is None else len(shape.axes) for shape in shapes]
    if len(ranks) == 2 and all(len(each) == 1 for each in axes):
        left, right = (each[0] % rank - rank for each, rank in zip(axes, ranks, strict=True))
        yield Meeting((pair.left, pair.right), (0, 1), (left, right), summed=True)


def _letters(event: Einsum) -> Iterator[Meeting]:
    if len(event.inputs) != 2:
        return
    for letter, left, right in event.met:
        places = [letters.index(letter) - len(letters) for letters in event.inputs]
        if all("..." not in letters[at:] for letters, at in zip(event.inputs, places, strict=True)):
            kept = letter in event.output
            yield Meeting((left, right), (0, 1), (places[0], places[1]), kept)


def _leading(
    operation: Operation, spread: Broadcast, operands: tuple[int, int], view: View
) -> Iterator[Meeting]:
    """The axes in front of the last two, which are lined up at their ends."""
    tensors = [_as_made(tensor, view) for _, tensor in operation.tensors()]
    shapes = [tensors[index] if index < len(tensors) else None for index in operands]
    if any(shape is None or not shape.closed for shape in shapes):
        return
    ranks = [0 if shape is None else len(shape.axes) - 2 for shape in shapes]
    count = len(spread.pairings)
    if count != max(ranks):
        return
    for index, pairing in enumerate(spread.pairings):
        if pairing.left is None or pairing.right is None or pairing.how not in _MET:
            continue
        place = index - count - 2
        known = pairing.how is How.MATCHED
        if known and min(ranks) < -place - 2:
            continue  # one side has no such axis: it was met by another operand's
        made = [shape.axes[place] for shape in shapes if known and shape is not None]
        axes = (made[0], made[1]) if known else (pairing.left, pairing.right)
        yield Meeting(axes, operands, (place, place), kept=True, known=known)
