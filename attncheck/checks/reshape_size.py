"""A reshape to another number of elements, or a split into parts that do not add up."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks import plain
from attncheck.checks.heads import head_split
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Fault
from attncheck.rule import Rule

RULE = Rule("ATN105", "reshape-size", "element counts of a reshape differ", fix="unsafe")
ON = (Fault.COUNT, Fault.SPLIT)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report element counts that differ, but for a split into heads, which is ATN108."""
    if head_split(operation, view) is None:
        yield from plain.report(RULE, operation, view)
