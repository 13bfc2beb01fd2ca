"""An operation that wants another number of axes than its operand has."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks import plain, stacked_dots
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Contraction, Fault
from attncheck.rule import Rule

RULE = Rule("ATN104", "wrong-rank", "an operation that wants another number of axes", fix="unsafe")
_FAULTS = (Fault.RANK, Fault.AXIS)
ON = (*_FAULTS, Contraction)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a rank that does not fit, an axis that is not there, or a dot of two stacks."""
    if operation.clash is None:
        yield from stacked_dots.over_stacks(RULE, operation, view)
    elif operation.clash.fault in _FAULTS:
        yield from plain.report(RULE, operation, view)
