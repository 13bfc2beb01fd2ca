"""Contracted sizes differ, and no transpose mends it."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.products import Kind, report
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Fault
from attncheck.rule import Rule

RULE = Rule(
    "ATN101",
    "matmul-mismatch",
    "contracted sizes differ",
    fix="unsafe",
)
ON = (Fault.CONTRACTION,)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a product that contracts two different sizes."""
    yield from report(
        RULE,
        Kind.MISMATCH,
        operation,
        view,
        "`{code}` {clash}",
    )
