"""Cosines over an axis that one side has been given for the other's positions.

``F.cosine_similarity(memory, key.unsqueeze(1))`` of (B, N, d) and (B, 1, d) is told to compare over
axis 1, its default. There the key is one number, N times: what is compared is each feature with a
constant, and not each position with the key (Graves et al. 2014, "Neural Turing Machines", section
3.3.1).
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.broadcast import How, Pairing
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Loss
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.value import as_tensor

#: How one side is stretched along an axis, and which operand that is.
_STRETCHED = {How.LEFT_STRETCHED: 0, How.RIGHT_STRETCHED: 1}


@record
class ComparedCopies:
    """A comparison over axis ``axis``, along which an operand has one number: that operand."""

    operand: Operand
    axis: int
    pairings: tuple[Pairing, ...]


def compared_copies(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of comparisons with copies of one number."""
    for operation in view.graph.operations:
        found = view.remembered(copies_compared, operation)
        made = as_tensor(operation.output)
        if found is None or found.operand.node is None or made is None:
            continue
        over = found.pairings[found.axis].result
        sizes = tuple(pairing.result.size for pairing in found.pairings[:-1])
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` compares over axis {found.axis} ({over}), where"
            f" `{view.quote(found.operand.node)}` has one number, repeated: each feature is"
            " compared with a constant, and no vector of features with another",
            Culprit(operation.node, made),
            sizes,
            f"vectors compared over their features, the last axis: a number for each place of axis"
            f" {found.axis}",
        )


def copies_compared(operation: Operation, view: View) -> ComparedCopies | None:
    """The operand that has an axis of 1, made to meet the other's, where both are compared."""
    event = operation.event
    if not isinstance(event, Loss) or event.axis is None or operation.clash is not None:
        return None
    spread, pairs = event.broadcast, list(operation.tensors())
    if spread is None or spread.shape is None or not spread.shape.closed or len(pairs) != 2:
        return None
    pairings = spread.pairings
    if operation.elsewhere or len(pairings) != spread.shape.rank or event.axis < 0:
        return None
    pairing = pairings[event.axis]
    side = _STRETCHED.get(pairing.how)
    if side is None or pairings[-1] is pairing or not _are_vectors(pairings[-1], view):
        return None
    axis = (pairing.left, pairing.right)[side]
    if axis is None or not axis.made:
        return None
    return ComparedCopies(pairs[side][0], event.axis, pairings)


def _are_vectors(last: Pairing, view: View) -> bool:
    """Whether both sides have features along the last axis: neither is stretched along it."""
    if last.left is None or last.right is None:
        return False
    return last.how in (How.MATCHED, How.ASSUMED) and not last.result.is_one
