"""States copied for each position along the batch, where an axis of positions is wanted.

``repeat(state, T, axis=0)`` of (B, d) is (B*T, d): it cannot stand beside a memory of (B, T, e). An
axis of 1 behind the batch is what is to be repeated.
"""

from __future__ import annotations

from attncheck.algebra.shape import COPIES
from attncheck.checks.report import Culprit, Report, Sizes
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.record import record
from attncheck.values.tensor import Tensor


@record
class CopiedRows:
    """What was repeated along its batch, the repetition, and the sizes that were wanted."""

    operand: Operand
    tensor: Tensor
    made: Operation
    expected: Sizes


def copied_rows(operation: Operation, view: View) -> CopiedRows | None:
    """The operand whose batch holds the positions that another has on an axis of their own."""
    given = list(operation.tensors())
    if operation.clash is None or len(given) != 2:
        return None
    for (operand, tensor), (_, beside) in (given, given[::-1]):
        made, shape, other = view.maker(tensor), view.shape(tensor), view.sizes(beside)
        if made is None or made.kind != "repeat_interleave" or shape is None or other is None:
            continue
        if not shape.closed or len(other) != len(shape.axes) + 1:
            continue
        first, *rest = shape.axes
        if len(first.parts) != 2 or first.parts[1].made != COPIES:
            continue
        batch, count = (part.size for part in first.parts)
        if view.equal(batch, other[0]) and view.equal(count, other[1]):
            return CopiedRows(operand, tensor, made, (batch, count, *(axis.size for axis in rest)))
    return None


def blaming_copies(report: Report, found: CopiedRows) -> Report:
    """The report with what was repeated to blame."""
    node = found.operand.node
    report.culprit = report.culprit if node is None else Culprit(node, found.tensor)
    report.expected = found.expected
    report.derivation = "with the copies on an axis of their own, behind the batch"
    return report
