"""What works in the first round of a loop and not in the next: a name that has changed its rank."""

from __future__ import annotations

from attncheck.attention import behind
from attncheck.checks.report import sizes_of, text_of
from attncheck.checks.view import View
from attncheck.graph import Carried, Operation


def carried_into(operation: Operation, view: View) -> Carried | None:
    """What the loop carries on that an operation fails for; None if the first round fails, too."""
    if not operation.carried:
        return None
    made = {each.number for _, tensor in operation.tensors() for each in behind(view.graph, tensor)}
    return next((each for each in operation.carried if each.tensor.operation in made), None)


def in_later_rounds(operation: Operation, view: View) -> str:
    """From when on an operation fails, and why it did not before, in words; or nothing."""
    carried = carried_into(operation, view)
    if carried is None:
        return ""
    return (
        f"from the second round of the loop on, where `{carried.name}` is"
        f" {view.text(carried.tensor)}: it begins as {text_of(sizes_of(carried.began))}"
    )
