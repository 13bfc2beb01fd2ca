"""Means over the positions of a sequence that divide by what a whole batch counts.

``(states * mask[:, :, None]).sum(1) / mask.sum()`` weighs the positions of a sequence with
``mask / mask.sum()``, weights that sum to 1 over all sequences of the batch together: the longer
the others are, the smaller a sequence's mean is.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import COPYING, Elementwise, NewAxis, Reduction, Selection
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_integer, as_tensor

#: The axis of positions, behind that of the batch.
_POSITIONS = 1
_MOST_STEPS = 6


@record
class WholeCount:
    """A sum of all elements of a mask, and the mask."""

    counted: Operation
    mask: Tensor


def pooled_means(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each masked mean of features that divides by the sum of the whole mask."""
    for operation in view.graph.operations:
        found = None if operation.elsewhere else whole_count(operation, view)
        operand = None if found is None else next(found.counted.tensors())[0]
        if found is None or operand is None or operand.node is None:
            continue
        mask = view.quote(operand.node)
        yield Report(
            rule,
            operation,
            found.counted.node,
            f"`{view.quote(found.counted.node)}` counts what `{mask}` has in the whole batch, and"
            f" `{view.quote(operation.node)}` divides the sum of each sequence by it: the weights"
            f" `{mask} / {view.quote(found.counted.node)}` sum to 1 over all sequences together",
            Culprit(operand.node, found.mask),
            None,
            "each sequence's sum divided by its own count, along the positions",
            axis=_POSITIONS,
        )


def whole_count(operation: Operation, view: View) -> WholeCount | None:
    """The count that a masked mean over axis 1 divides by, if it is one of the whole mask."""
    event = operation.event
    if not isinstance(event, Elementwise) or event.symbol != "/" or len(operation.operands) != 2:
        return None
    total, counted = (as_tensor(each.value) for each in operation.operands)
    made = None if counted is None else view.graph.maker(counted)
    summed = None if total is None else view.graph.maker(total)
    if made is None or summed is None or made.elsewhere or made.source is None:
        return None
    whole = isinstance(made.event, Reduction) and made.event.kind == "sum" and _axis(made) is None
    if not whole or summed.kind != "reduce" or _axis(summed) != _POSITIONS:
        return None
    product = None if summed.source is None else view.graph.maker(summed.source)
    if product is None or product.kind != "multiply" or made.event != _of_all(made):
        return None
    masks = [_without_new_axes(tensor, view) for _, tensor in product.tensors()]
    fits = any(mask is not None and mask == made.source for mask in masks)
    return WholeCount(made, made.source) if fits else None


def _axis(made: Operation) -> int | None:
    given = (operand.value for operand in made.operands if operand.name == "axis")
    return next(map(as_integer, given), None)


def _of_all(made: Operation) -> Reduction | None:
    """A reduction as it is if it is one over all axes, and keeps none of them."""
    event = made.event
    return event if isinstance(event, Reduction) and event.axes is None else None


def _without_new_axes(tensor: Tensor, view: View) -> Tensor | None:
    """What was given axes of 1 behind its own; None for what is as it was made."""
    made, found = view.graph.maker(tensor), None
    for _ in range(_MOST_STEPS):
        if made is None or made.source is None:
            break
        if isinstance(made.event, NewAxis) or (
            isinstance(made.event, Selection) and None in made.event.kept
        ):
            found = made.source
        elif made.kind not in COPYING:
            break
        made = view.graph.maker(made.source)
    return found
