"""Contradictions that an operation explains by itself: the clash's own words are the message."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report, Sizes, hidden_while
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor


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
    operand, tensor = blamed(operation) or (None, None)
    culprit = None
    if operand is not None and operand.node is not None and tensor is not None:
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


def blamed(operation: Operation) -> tuple[Operand, Tensor] | None:
    """The operand that an operation's clash blames, of those that are tensors."""
    tensors = list(operation.tensors())
    if operation.clash is None or not tensors:
        return None
    return tensors[min(operation.clash.operand, len(tensors) - 1)]


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
