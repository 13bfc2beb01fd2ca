"""Elementwise sizes that cannot broadcast, and operands of one layer that do not agree."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks import plain
from attncheck.checks.broadcasts import report
from attncheck.checks.classes_last import classes_last
from attncheck.checks.elementwise_mistakes import Kind
from attncheck.checks.layouts import turned
from attncheck.checks.loss_broadcast import spreads
from attncheck.checks.mask_arguments import exchanged
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.checks.written import misfit
from attncheck.graph import Operation
from attncheck.operators.events import Attention, Contraction, Einsum, Elementwise, Fault
from attncheck.rule import Rule

RULE = Rule(
    "ATN110",
    "broadcast-mismatch",
    "elementwise sizes that cannot broadcast",
)
ON = (Elementwise, Fault.AGREEMENT, Fault.BROADCAST)
#: Other rules tell of their batches.
_PRODUCTS = (Attention, Contraction, Einsum)


def check_trace(view: View) -> Iterator[Report]:
    """Report losses that take the positions of what a layer gives for its classes."""
    yield from classes_last(RULE, view)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report sizes that neither agree nor are 1; a layer's operands have to agree.

    So have a loss's, what an axis is expanded to, and what is assigned to a part of a tensor.
    """
    clash, event = operation.clash, operation.event
    if clash is not None and clash.fault is Fault.AGREEMENT:
        if turned(operation, view) is None and exchanged(operation, view) is None:
            yield from plain.report(RULE, operation, view)
        return
    if clash is not None and operation.kind == "write":
        yield from misfit(RULE, operation, view)
        return
    if clash is not None and not isinstance(event, Elementwise):
        told = isinstance(event, _PRODUCTS) or spreads(operation, view)
        if clash.fault is Fault.BROADCAST and not told:
            yield from plain.report(RULE, operation, view)
        return
    yield from report(
        RULE,
        Kind.MISMATCH,
        operation,
        view,
        "`{code}` {clash}",
    )
