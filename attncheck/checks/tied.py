"""Operations that only work if two axes of one tensor that nobody has seen are of one size.

``einsum("bid,bdj->bij", q, k)`` of a query and keys that both are ``(B, T, d)`` makes T equal to d.
Nobody has said that the two differ, so it may work; but the query has its d on another axis by what
it is, and there it meets none. Tensors of two axes are left alone: a matrix may be square.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from attncheck.algebra.broadcast import Broadcast, How
from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis, Shape, closed, listed
from attncheck.algebra.size import Size, Symbol, of
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Attention, Contraction, Einsum
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor

_LEAST_RANK = 3


@record
class Meeting:
    """Two axes that an operation needs to be equal: of which operands, and their places there."""

    axes: tuple[Axis, Axis]
    operands: tuple[int, int]
    places: tuple[int, int]

    def turned(self) -> Meeting:
        """The same with its sides exchanged."""
        return Meeting(self.axes[::-1], self.operands[::-1], self.places[::-1])


@record
class Tie:
    """The operand whose axis was taken to be `wanted`, though another axis of it is that."""

    operand: int
    beside: int
    place: int
    unseen: Size
    wanted: Size


def report(rule: Rule, operation: Operation, view: View, how: str) -> Iterator[Report]:
    """The report of `rule` if an operation ties two axes of an operand; `how` it pairs sizes."""
    found = tied(operation, view)
    operands = list(operation.tensors())
    node = None if found is None else operands[found.operand][0].node
    if found is None or node is None:
        return
    tensor = operands[found.operand][1]
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` {how} {found.unseen} with {found.wanted}:"
        f" {_shapes(found, operands, view)}",
        Culprit(node, _apart(tensor, found, view)),
        None,
        f"its axes in an order in which its {found.wanted} meets that of"
        f" `{view.quote(operands[found.beside][0].node)}`",
        hidden=f"hidden while {found.unseen} == {found.wanted}",
    )


def _shapes(found: Tie, operands: list[tuple[Operand, Tensor]], view: View) -> str:
    """Both operands with the shapes that they have by what they are."""
    tensors = [tensor for _, tensor in operands]
    tensors[found.operand] = _apart(tensors[found.operand], found, view)
    return " and ".join(
        f"`{view.quote(operands[index][0].node)}` is {view.text(tensors[index])}"
        for index in sorted((found.operand, found.beside))
    )


def _apart(tensor: Tensor, found: Tie, view: View) -> Tensor:
    """A tensor in which the size that was tied to another one is a size of its own again."""
    shape = view.shape(tensor)
    assert shape is not None
    own = replace(shape.axes[found.place], size=of(Symbol(str(found.unseen))))
    return tensor.with_shape(
        closed((*shape.axes[: found.place], own, *shape.axes[found.place + 1 :]))
    )


def tied(operation: Operation, view: View) -> Tie | None:
    """The tie of an operation that works, or None."""
    if operation.clash is not None:
        return None
    meetings = list(_meetings(operation, view))
    if any(max(each.operands) >= len(list(operation.tensors())) for each in meetings):
        return None  # operands in a list are none of their own
    shapes = [_as_made(tensor, view) for _, tensor in operation.tensors()]
    for meeting in meetings:
        for own in (meeting, meeting.turned()):
            found = _tie(own, meetings, shapes, view)
            if found is not None:
                return found
    return None


def _tie(
    meeting: Meeting, meetings: list[Meeting], shapes: list[Shape | None], view: View
) -> Tie | None:
    own, opposite = (axis.size for axis in meeting.axes)
    shape = shapes[meeting.operands[0]]
    if own is None or opposite is None or shape is None or not shape.closed:
        return None
    symbol = own.symbol
    if symbol is None or not _is_open(own, opposite, view):
        return None
    if own == opposite or opposite.number is not None:
        return None
    if any(each.found for size in (own, opposite) for each in size.symbols()):
        return None  # a size that has only got its variable's name may be any
    if len(shape.axes) < _LEAST_RANK or symbol in opposite.symbols():
        return None
    for place, axis in enumerate(shape.axes):
        size = axis.size
        if place == meeting.places[0] or size is None or symbol in size.symbols():
            continue
        if size != opposite or _is_met(meeting.operands[0], place, opposite, meetings, view):
            continue
        if not any(each.flexible for each in size.symbols()) or _is_crossed(meeting, meetings):
            return Tie(*meeting.operands, meeting.places[0], own, opposite)
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
    elif isinstance(event, Attention):
        for pair, spread in zip(itertools.pairwise(range(3)), event.batch, strict=False):
            if spread is not None:
                yield from _leading(operation, spread, pair, view)


def _letters(event: Einsum) -> Iterator[Meeting]:
    if len(event.inputs) != 2 or any("..." in letters for letters in event.inputs):
        return
    for letter, left, right in event.met:
        places = tuple(letters.index(letter) for letters in event.inputs)
        yield Meeting((left, right), (0, 1), (places[0], places[1]))


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
        if pairing.left is None or pairing.right is None or pairing.how is not How.ASSUMED:
            continue
        places = (index - count + ranks[0], index - count + ranks[1])
        yield Meeting((pairing.left, pairing.right), operands, places)
