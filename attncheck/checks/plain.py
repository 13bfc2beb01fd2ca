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


def paired(operation: Operation, view: View) -> tuple[Sizes | None, str]:
    """The blamed operand's sizes with the batch axis that the other operand has."""
    clash, tensors = operation.clash, [tensor for _, tensor in operation.tensors()]
    assert clash is not None
    sizes = view.sizes(tensors[min(clash.operand, len(tensors) - 1)]) if tensors else None
    batch = () if sizes is None else sizes[:-2]
    places = [place for place, size in enumerate(batch) if size == clash.right]
    if sizes is None or not places:
        return None, ""
    wanted = (*sizes[: places[-1]], clash.left, *sizes[places[-1] + 1 :])
    return wanted, f"so that the batch axes agree, {clash.left} on both sides"
