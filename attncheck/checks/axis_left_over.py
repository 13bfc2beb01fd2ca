"""A residual whose branch comes back with an axis more than it started from: heads left apart.

``x + f(x)`` of (..., T, d) and (..., T, heads, d) lines up T with the heads, and the batch with T:
where the last layer of the branch should have taken the heads together with their features, it has
projected those of each head.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis, Shape
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Elementwise
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor

#: How a branch is put on what it started from.
_JOINED = frozenset({"+", "-", "*"})


@record
class LeftOver:
    """The operand with an axis too many, its shape, that of the other one, and the axis."""

    operand: Operand
    tensor: Tensor
    shape: Shape
    other: Shape
    axis: Axis


def axis_left_over(operation: Operation, view: View) -> LeftOver | None:
    """The operand that has all axes of the other in their order and one more before the last."""
    event, tensors = operation.event, list(operation.tensors())
    if not isinstance(event, Elementwise) or event.symbol not in _JOINED or len(tensors) != 2:
        return None
    for (_, shorter), (operand, longer) in (tensors, tensors[::-1]):
        short, long = view.shape(shorter), view.shape(longer)
        if short is None or long is None or long.row is not short.row:
            continue
        axis = _between(short, long, view)
        if axis is not None and operand.node is not None:
            return LeftOver(operand, longer, long, short, axis)
    return None


def _between(short: Shape, long: Shape, view: View) -> Axis | None:
    """The axis of one shape that stands before its last and is not in the other, or None."""
    own, theirs = short.tail, long.tail
    if len(own) < 2 or len(theirs) != len(own) + 1:
        return None
    pairs = list(zip(own[:-1], theirs, strict=False))
    if not short.closed:
        pairs += zip(short.lead, long.lead, strict=False)
        if len(short.lead) != len(long.lead):
            return None
    *_, axis, last = theirs
    if axis.size is None or axis.is_one or last.is_one:
        return None
    if any(view.equal(axis.size, each.size) for each in own[-2:]):
        return None
    return axis if all(_is_same(*pair, view) for pair in pairs) else None


def _is_same(left: Axis, right: Axis, view: View) -> bool:
    """Whether two axes certainly are one axis of one tensor, and of more than one place."""
    if left.tag is None or left.tag != right.tag or left.is_one:
        return False
    return view.equal(left.size, right.size)


def left_over(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """A report for a sum that runs only where the axis too many meets one of its own size."""
    found = None if operation.clash is not None else view.remembered(axis_left_over, operation)
    if found is None or found.operand.node is None:
        return
    met, closed = found.other.tail[-2], found.shape.closed
    wanted = (*found.other.sizes()[:-1], found.shape.axes[-1].size) if closed else None
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` lines up {found.other} with {found.shape} by position, not"
        f" by meaning: {met} meets {found.axis}, though both have the axis {met}",
        Culprit(found.operand.node, found.tensor),
        wanted,
        f"without the axis {found.axis}, which {found.other} does not have",
    )
