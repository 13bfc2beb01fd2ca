"""Masks of what belongs together that compare the sequences of a batch, and not their positions.

Position i of a packed sequence sees position j where both are of one document:
``ids[:, None, :] == ids[:, :, None]`` of ids (B, T). ``ids[:, None, :] == ids[None, :, :]`` is
(B, B, T) and compares position j of one sequence with position j of the other; beside scores or a
triangle of (T, T) it runs for a batch of 1, where it is true everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.algebra.size import ONE, Size
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.runs import are_one
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import COMPARISONS, Elementwise, NewAxis, Selection
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_MOST_STEPS = 4


@record
class Compared:
    """The side of a comparison that has its axis of 1 in front, and the sizes of what it is of."""

    operand: Operand
    tensor: Tensor
    batch: Size
    positions: Size


def compared_rows(operation: Operation, view: View) -> Compared | None:
    """How a comparison of a matrix with itself crosses its rows, where its columns are wanted."""
    event, sides = operation.event, list(operation.tensors())
    if not isinstance(event, Elementwise) or event.symbol not in COMPARISONS or len(sides) != 2:
        return None
    for (_, crossed), (operand, tensor) in (sides, sides[::-1]):
        ours, theirs = (_with_axis(each, view) for each in (crossed, tensor))
        if ours is None or theirs is None or (ours[1], theirs[1]) != (1, 0):
            continue
        batch, positions = theirs[2]
        if batch is None or positions is None or not are_one(ours[0], theirs[0]):
            continue
        if operand.node is not None and _is_beside_square(operation, batch, positions, view):
            return Compared(operand, tensor, batch, positions)
    return None


def _with_axis(
    tensor: Tensor, view: View
) -> tuple[Tensor, int, tuple[Size | None, Size | None]] | None:
    """The matrix that a tensor is with one axis of 1 more, the place of that, and its own sizes."""
    made, shape = view.graph.maker(tensor), view.shape(tensor)
    whole = None if made is None else view.sizes(made.source)
    if made is None or made.source is None or shape is None or not shape.closed:
        return None
    if not isinstance(made.event, NewAxis | Selection) or whole is None or len(whole) != 2:
        return None
    axes = list(enumerate(shape.axes))
    new = [place for place, axis in axes if axis.made is not None and axis.is_one]
    kept = tuple(axis.size for place, axis in axes if place not in new)
    if len(new) != 1 or kept != whole or ONE in kept:
        return None
    return made.source, new[0], (whole[0], whole[1])


def _is_beside_square(operation: Operation, batch: Size, positions: Size, view: View) -> bool:
    """Whether what a comparison gives goes with something that has as many rows as columns.

    Then these are positions, and the batch lies where the rows of positions are.
    """
    waiting = [operation]
    for _ in range(_MOST_STEPS):
        if not waiting:
            return False
        made = waiting.pop()
        for later in view.graph.users(made):
            if isinstance(later.event, NewAxis | Selection):
                waiting.append(later)
            elif isinstance(later.event, Elementwise):
                axes = [_last_two(tensor, view) for _, tensor in later.tensors()]
                known = [pair for pair in axes if pair is not None]
                if any(_crosses(pair, batch, positions, view) for pair in known) and any(
                    _is_square(pair, batch, view) for pair in known
                ):
                    return True
    return False


def _last_two(tensor: Tensor, view: View) -> tuple[Axis, Axis] | None:
    shape = view.shape(tensor)
    if shape is None or len(shape.tail) < 2:
        return None
    return shape.tail[-2], shape.tail[-1]


def _crosses(pair: tuple[Axis, Axis], batch: Size, positions: Size, view: View) -> bool:
    """Whether two axes are those of the batch and of the positions."""
    return view.equal(pair[0].size, batch) and view.equal(pair[1].size, positions)


def _is_square(pair: tuple[Axis, Axis], batch: Size, view: View) -> bool:
    """Whether two axes are of one size, which is not that of the batch."""
    same = view.equal(pair[0].size, pair[1].size) and not pair[0].is_one
    return same and not view.equal(pair[0].size, batch)


def report(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """A report for a mask of (B, B, T) where one of (B, T, T) is wanted."""
    found = view.remembered(compared_rows, operation)
    if found is None or found.operand.node is None:
        return
    batch, positions = found.batch, found.positions
    made = view.text(as_tensor(operation.output))
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` gives {made}: it compares each sequence with each other"
        f" one, position by position, and is used where {positions} positions meet {positions};"
        " with a batch of 1 the sequence is compared with itself, and nothing is hidden",
        Culprit(found.operand.node, found.tensor),
        (batch, positions, ONE),
        f"so that the comparison gives {text_of((batch, positions, positions))}, of each position"
        " with each other one",
        hidden=f"hidden while {batch} == 1",
    )
