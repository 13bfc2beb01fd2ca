"""A vector against a column of the same axis: a table nobody asked for."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.broadcasts import report
from attncheck.checks.elementwise_mistakes import Kind
from attncheck.checks.gathered_columns import gathered_columns
from attncheck.checks.report import Report
from attncheck.checks.stretched_scores import stretched_scores
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise
from attncheck.rule import Rule

RULE = Rule(
    "ATN201",
    "outer-broadcast",
    "(T,) against (T, 1): a vector became a matrix",
)
ON = (Elementwise,)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a vector that became a matrix."""
    yield from report(
        RULE,
        Kind.OUTER,
        operation,
        view,
        "`{code}` meets {left} with {right}: every element with every other, a table that nobody"
        " asked for",
    )


def check_trace(view: View) -> Iterator[Report]:
    """Report scores that a mask spreads over the keys, and features spread over all others."""
    yield from stretched_scores(RULE, view)
    yield from gathered_columns(RULE, view)
