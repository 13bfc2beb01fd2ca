"""Axes that line up by position only: right as long as two sizes are one number."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.batches import mixed_up
from attncheck.checks.broadcasts import Kind, report
from attncheck.checks.displaced import stretched
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise, Expansion
from attncheck.rule import Rule

RULE = Rule(
    "ATN202",
    "misaligned-broadcast",
    "axes that line up by position and not by meaning",
)
ON = (Elementwise, Expansion)


def check_trace(view: View) -> Iterator[Report]:
    """Report batches that are taken for something else."""
    yield from mixed_up(RULE, view)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report axes of different meaning that meet."""
    if isinstance(operation.event, Expansion):
        yield from stretched(RULE, operation, view)
        return
    yield from report(
        RULE,
        Kind.MISALIGNED,
        operation,
        view,
        "`{code}` lines up {left} with {right} by position, not by meaning",
    )
