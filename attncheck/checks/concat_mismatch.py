"""Tensors that are joined must agree on every other axis."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks import plain
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Fault
from attncheck.rule import Rule

RULE = Rule("ATN106", "concat-mismatch", "tensors joined whose other sizes differ", fix="unsafe")
ON = (Fault.JOIN,)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report joined tensors whose other sizes differ."""
    yield from plain.report(RULE, operation, view)
