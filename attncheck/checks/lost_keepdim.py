"""A reduction without keepdim, put back against what it was reduced from."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.broadcasts import report
from attncheck.checks.elementwise_mistakes import Kind
from attncheck.checks.report import Report
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


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a reduced tensor that lines up with the wrong axis of its source."""
    yield from report(
        RULE,
        Kind.LOST_KEEPDIM,
        operation,
        view,
        "`{culprit}` lost the axis it was reduced over, so `{code}` lines it up with the wrong one",
    )
