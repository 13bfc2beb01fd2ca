"""A reduction without keepdim, put back against what it was reduced from."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.broadcasts import report
from attncheck.checks.centred_advantages import centred_advantages
from attncheck.checks.elementwise_mistakes import Kind
from attncheck.checks.report import Culprit, Report
from attncheck.checks.twin_reductions import lost_by_twin
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise
from attncheck.rule import Rule

RULE = Rule(
    "ATN203",
    "lost-keepdim",
    "a reduction without keepdim, put back against what it was reduced from",
)
ON = (Elementwise,)


def check_trace(view: View) -> Iterator[Report]:
    """Report means over a batch that are taken off each of its states."""
    yield from centred_advantages(RULE, view)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a reduced tensor that lines up with the wrong axis of its source."""
    yield from report(
        RULE,
        Kind.LOST_KEEPDIM,
        operation,
        view,
        "`{culprit}` lost the axis it was reduced over, so `{code}` lines it up with the wrong one",
    )
    twin = lost_by_twin(operation, view) if operation.clash is None else None
    if twin is not None:
        yield from _unlike_its_twin(operation, view, *twin)


def _unlike_its_twin(
    operation: Operation, view: View, index: int, twin: Operation
) -> Iterator[Report]:
    """The report of a reduction whose twin in the same function keeps its axis."""
    operand, reduced = list(operation.tensors())[index]
    if operand.node is None:
        return
    yield Report(
        RULE,
        operation,
        operation.node,
        f"`{view.quote(operand.node)}` lost the axis it was reduced over, which"
        f" `{view.quote(twin.node)}`, {view.place(twin.node)}, keeps:"
        f" `{view.quote(operation.node)}` lines it up with another one, unless there is no other",
        Culprit(operand.node, reduced),
        None,
        "with the reduced axis kept as 1, so that it lines up with what it came from",
        named=True,  # of a vector both would do
    )
