"""Contracted sizes differ, and one transpose is what makes them agree."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.products import Kind, report
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Fault
from attncheck.rule import Rule

RULE = Rule(
    "ATN102",
    "transposed-operand",
    "contracted sizes differ, and one transpose (or swapping the operands) makes them agree",
)
ON = (Fault.CONTRACTION,)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a product of which one operand stands the wrong way round."""
    yield from report(
        RULE,
        Kind.TRANSPOSED,
        operation,
        view,
        "`{code}` {clash}",
    )
