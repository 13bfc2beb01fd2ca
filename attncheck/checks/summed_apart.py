"""Two operands of an einsum of which each is summed over features of its own.

``"bth,bd->bt"`` sums the keys over h and the state over d, and multiplies the two sums: no feature
of the one meets its own of the other, and the score is no dot product. With one letter it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Einsum
from attncheck.operators.patterns import DOTS
from attncheck.rule import Rule

_PAIR = 2


def summed_apart(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """The report of scores whose query and keys are each summed by themselves."""
    found = apart(operation, view)
    if found is None or not any(site.scores is operation for site in view.sites):
        return
    operand, tensor = list(operation.tensors())[1]
    if operand.node is None:
        return
    one, other = found
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` sums `{one}` and `{other}` each by itself and multiplies"
        " the sums: no feature of the query meets its own of the keys, and whatever the sizes are,"
        " nothing raises",
        Culprit(operand.node, tensor),
        view.sizes(tensor),
        f"one letter for `{one}` and `{other}`, so that the score is a dot product",
        local=True,
    )


def apart(operation: Operation, view: View) -> tuple[str, str] | None:
    """The two letters that are summed in one operand each, if these may be of one size."""
    event, tensors = operation.event, [tensor for _, tensor in operation.tensors()]
    if not isinstance(event, Einsum) or operation.clash is not None or operation.elsewhere:
        return None
    if len(event.inputs) != _PAIR or len(tensors) != _PAIR or any(DOTS in e for e in event.inputs):
        return None
    own: list[list[str]] = []
    for index, letters in enumerate(event.inputs):
        others = {*event.output, *event.inputs[1 - index]}
        own.append([letter for letter in letters if letter not in others])
    if [len(letters) for letters in own] != [1, 1]:
        return None
    if {*event.inputs[0]} & {*event.inputs[1]} - {*event.output}:
        return None  # they are compared over other letters
    sizes = []
    for letters, (letter,), tensor in zip(event.inputs, own, tensors, strict=True):
        known = view.sizes(tensor)
        sizes.append(known[letters.index(letter)] if known and len(known) == len(letters) else None)
    first, second = sizes
    differ = first is not None and second is not None and view.facts.compare(first, second).clashes
    return None if differ else (own[0][0], own[1][0])
