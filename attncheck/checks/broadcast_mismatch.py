"""Elementwise sizes that cannot broadcast."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.broadcasts import Kind, report
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise
from attncheck.rule import Rule

RULE = Rule(
    "ATN110",
    "broadcast-mismatch",
    "elementwise sizes that cannot broadcast",
)
ON = (Elementwise,)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report sizes that neither agree nor are 1."""
    yield from report(
        RULE,
        Kind.MISMATCH,
        operation,
        view,
        "`{code}` {clash}",
    )
