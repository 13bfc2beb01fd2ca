"""Einsum subscripts that do not fit the operands."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks import diagonals, plain, tied
from attncheck.checks.claimed_letters import claimed_letters
from attncheck.checks.products import diagnose
from attncheck.checks.report import Report
from attncheck.checks.summed_apart import summed_apart
from attncheck.checks.summed_batch import summed_batches
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Einsum, Fault
from attncheck.rule import Rule

RULE = Rule(
    "ATN107",
    "einsum-mismatch",
    "subscripts against ranks or sizes, or an output letter without a source",
    fix="unsafe",
)
ON = (Fault.EINSUM, Einsum)


def check_trace(view: View) -> Iterator[Report]:
    """Report scores that are summed over the batch."""
    yield from summed_batches(RULE, view)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report subscripts against ranks or sizes, and letters for two axes that are not one."""
    if operation.clash is None:
        yield from diagonals.of_weights(RULE, operation, view)
        yield from summed_apart(RULE, operation, view)
        yield from claimed_letters(RULE, operation, view)
        yield from tied.report(RULE, operation, view, "uses one letter for")
    elif not any(_is_product(each, operation, view) for each in view.graph.operations):
        yield from plain.report(RULE, operation, view)


def _is_product(other: Operation, operation: Operation, view: View) -> bool:
    """Whether what fails is told as a product, this time or another that it runs."""
    if other.node is not operation.node or other.clash is None:
        return False
    return view.remembered(diagnose, other) is not None
