"""One axis of one tensor cut in two orders, and pieces of both cuts that meet.

Features read as (heads, d_head) for the keys and as (d_head, heads) for the values give each head
the values of other features than it was scored by. Which order is right is for training to decide
where two projections are split, so only an axis counts that both were cut from.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis, Cut
from attncheck.checks import reshape_not_transpose
from attncheck.checks.orders import meeting
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Rearranging, Reshaping
from attncheck.record import record
from attncheck.values.value import as_tensor

_CUTS = (Rearranging, Reshaping)
#: An axis that is cut in two can only be cut otherwise in the other order.
_PAIR = 2


@record
class CutTwice:
    """The later of two cuts of one axis into the same sizes, in another order than the earlier one.

    ``cuts`` are the earlier and the later one, ``first`` is what made the earlier one, and
    ``meeting`` where the pieces meet. ``places`` are the axes of the later result that would have
    to change places.
    """

    operation: Operation
    first: Operation
    cuts: tuple[Cut, Cut]
    meeting: Operation
    places: tuple[int, int]


def check_trace(view: View) -> Iterator[Report]:
    """Report views that cut an axis in another order than that of the pieces that theirs meet."""
    for found in view.once(cut_twice):
        operation = found.operation
        operand, tensor = next(operation.tensors(), (None, None))
        if operation.elsewhere or operand is None or operand.node is None or tensor is None:
            continue
        earlier, later = (text_of(cut.sizes) for cut in found.cuts)
        yield Report(
            reshape_not_transpose.RULE,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` cuts as {later} the axis that"
            f" `{view.quote(found.first.node)}` cuts as {earlier}, and both meet in"
            f" `{view.quote(found.meeting.node)}`: pieces of one size hold other elements of the"
            " axis, and nothing raises",
            Culprit(operand.node, tensor),
            None,
            f"cut as {earlier} as well, and then transposed",
            moved=found.places,
        )


def cut_twice(view: View) -> list[CutTwice]:
    """The cuts of a trace that contradict an earlier one of the same axis, each once."""
    found: dict[int, CutTwice] = {}
    for operation in view.graph.operations:
        for left, right in meeting(operation, _is_piece):
            assert left.piece is not None and right.piece is not None
            (one, at), (other, to) = left.piece, right.piece
            if at == to or not _are_exchanged(one, other, view):
                continue
            known = view.once(_cuttings)
            if one not in known or other not in known:
                continue
            first, second = sorted((one, other), key=lambda cut: known[cut][0].number)
            later, places = known[second]
            twice = CutTwice(later, known[first][0], (first, second), operation, places)
            found.setdefault(later.number, twice)
    return list(found.values())


def _cuttings(view: View) -> dict[Cut, tuple[Operation, tuple[int, int]]]:
    """What made each cut in two, and which axes of what it gives are the pieces."""
    known: dict[Cut, tuple[Operation, tuple[int, int]]] = {}
    for operation in view.graph.operations:
        shape = view.shape(as_tensor(operation.output))
        if not isinstance(operation.event, _CUTS) or shape is None or not shape.closed:
            continue
        places = {axis.piece: at for at, axis in enumerate(shape.axes) if axis.piece is not None}
        for cut, _ in places:
            if len(cut.sizes) == _PAIR and (cut, 0) in places and (cut, 1) in places:
                known.setdefault(cut, (operation, (places[cut, 0], places[cut, 1])))
    return known


def _is_piece(axis: Axis) -> bool:
    return axis.piece is not None


def _are_exchanged(one: Cut, other: Cut, view: View) -> bool:
    """Whether one axis was cut into the same two sizes in either order."""
    if one.whole.tag is None or one.whole.tag != other.whole.tag:
        return False
    if len(one.sizes) != _PAIR or len(other.sizes) != _PAIR or view.equal(*one.sizes):
        return False
    return all(map(view.equal, one.sizes, reversed(other.sizes)))
