"""Contracted sizes differ, and no transpose mends it."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks import lone_vectors, plain, tied
from attncheck.checks.mask_places import is_of_mask
from attncheck.checks.products import Kind, report
from attncheck.checks.repeated_positions import repeated_positions
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Attention, Contraction, Fault
from attncheck.rule import Rule

RULE = Rule(
    "ATN101",
    "matmul-mismatch",
    "contracted sizes differ",
    fix="unsafe",
)
ON = (Fault.CONTRACTION, Fault.BROADCAST, Contraction, Attention)


def check_trace(view: View) -> Iterator[Report]:
    """Report keys that are repeated along their positions for the heads of the queries."""
    yield from repeated_positions(RULE, view)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a product that contracts two different sizes, or pairs two different batches."""
    clash = operation.clash
    if view.remembered(lone_vectors.lone_vectors, operation) is not None:
        yield from lone_vectors.report(RULE, operation, view)
        return
    if clash is None:
        yield from tied.report(RULE, operation, view, "pairs the batch axes")
        return
    if clash.fault is Fault.BROADCAST:
        if isinstance(operation.event, Contraction | Attention) and not is_of_mask(operation):
            yield from plain.report(RULE, operation, view, *plain.paired(operation, view))
        return
    yield from report(
        RULE,
        Kind.MISMATCH,
        operation,
        view,
        "`{code}` {clash}",
    )
