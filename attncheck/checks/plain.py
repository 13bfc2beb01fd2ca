"""Contradictions that an operation explains by itself: the clash's own words are the message."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report, Sizes, hidden_while
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.rule import Rule


def report(
    rule: Rule,
    operation: Operation,
    view: View,
    expected: Sizes | None = None,
    derivation: str = "",
) -> Iterator[Report]:
    """A report that says what the operation's clash says, blaming the operand that it blames."""
    clash = operation.clash
    if clash is None:
        return
    tensors = list(operation.tensors())
    culprit = None
    if tensors:
        operand, tensor = tensors[min(clash.operand, len(tensors) - 1)]
        if operand.node is not None:
            culprit = Culprit(operand.node, tensor)
    message = f"`{view.quote(operation.node)}` {clash.text}"
    yield Report(
        rule,
        operation,
        operation.node,
        message,
        culprit,
        expected,
        derivation or clash.text,
        hidden=hidden_while(operation, view.facts),
    )
