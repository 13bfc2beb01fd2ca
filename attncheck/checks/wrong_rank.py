"""An operation that wants another number of axes than its operand has."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks import plain
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Fault
from attncheck.rule import Rule

RULE = Rule("ATN104", "wrong-rank", "an operation that wants another number of axes", fix="unsafe")
ON = (Fault.RANK, Fault.AXIS)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a rank that does not fit, or an axis that is not there."""
    yield from plain.report(RULE, operation, view)
