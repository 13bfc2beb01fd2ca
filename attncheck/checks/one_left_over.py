"""A residual of which one side has an axis of 1 too many behind: ``f(x) + x[..., None]``.

Of (B, T, d) and (B, T, d, 1) each axis meets the one before its own. What comes out has an axis
more, and runs only where all these are one number. Two axes are not enough to tell: the sums of all
pairs of an (n, n) table with itself are written like that, and are meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Shape
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Elementwise
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor

#: How a branch is put on what it started from.
_JOINED = frozenset({"+", "-", "*"})
#: So many axes no table of pairs has, and so many of them are certainly the same on both sides.
_LEAST = 3
_LEAST_SAME = 2


@record
class OneLeftOver:
    """The operand with an axis of 1 too many, its shape, and that of the other one."""

    operand: Operand
    tensor: Tensor
    shape: Shape
    other: Shape


def one_left_over(operation: Operation, view: View) -> OneLeftOver | None:
    """The operand that has all axes of the other in their order and one of 1 behind them."""
    event, tensors = operation.event, list(operation.tensors())
    if not isinstance(event, Elementwise) or event.symbol not in _JOINED or len(tensors) != 2:
        return None
    for (_, shorter), (operand, longer) in (tensors, tensors[::-1]):
        short, long = view.shape(shorter), view.shape(longer)
        if short is None or long is None or long.row is not short.row or operand.node is None:
            continue
        if not short.closed and len(short.lead) != len(long.lead):
            continue
        if _has_one_more(short, long, view):
            return OneLeftOver(operand, longer, long, short)
    return None


def _has_one_more(short: Shape, long: Shape, view: View) -> bool:
    own, (*theirs, last) = short.tail, long.tail or (None,)
    if last is None or not last.is_one or len(own) != len(theirs) or len(own) < _LEAST:
        return False
    pairs = [(a.size, b.size) for a, b in zip(own, theirs, strict=True)]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    if not all(view.equal(a, b) for a, b in known):
        return False
    same = {a for a, _ in known if a.number is None}
    met = [(a.size, b.size) for a, b in zip(own, theirs[1:], strict=False)]
    return len(same) >= _LEAST_SAME and any(a in same and b in same and a != b for a, b in met)


def ones_left_over(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """A report for a sum of what only differs by an axis of 1 behind all others."""
    found = None if operation.clash is not None else view.remembered(one_left_over, operation)
    if found is None or found.operand.node is None:
        return
    met, own = found.other.tail[-2:]
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` lines up {found.other} with {found.shape} by position, not"
        f" by meaning: the axis of 1 behind moves each axis by one place, so that {met} meets"
        f" {own}, and what comes out has an axis more",
        Culprit(found.operand.node, found.tensor),
        found.other.sizes() if found.other.closed else None,
        f"without the axis of 1, so that each axis meets itself in {found.other}",
    )
