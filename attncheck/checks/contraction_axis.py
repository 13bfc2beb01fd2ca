"""Weights contracted over an axis that softmax did not normalise."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.attention import Site, WeightedSum, same_axis
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.checks.weights import mismatch
from attncheck.graph import Operation
from attncheck.operators.events import Contraction, Einsum
from attncheck.rule import Rule
from attncheck.values.value import as_tensor

RULE = Rule("ATN302", "contraction-axis", "weights contracted over an axis that was not normalised")
ON = (Contraction, Einsum)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a weighted sum over the queries of weights that are normalised over the keys."""
    if operation.clash is not None:
        return
    for site in view.sites:
        for sum_ in site.sums:
            if sum_.operation is not operation:
                continue
            if _is_summed_alone(site, sum_, view):
                yield _alone(site, sum_, view)
                return
            found = mismatch(site, sum_, view)
            if found is None or found.keys != found.normalised:
                continue
            operand, tensor = list(operation.tensors())[sum_.weights]
            if operand.node is None:
                continue
            sizes = view.sizes(tensor)
            axes = ("the axis of the queries", "the keys")
            if not found.tells:
                shape = view.sizes(as_tensor(site.softmax.output)) or ()
                axes = (str(shape[found.contracted]), str(shape[found.normalised]))
            message = (
                f"`{view.quote(operation.node)}` sums the weights over {axes[0]}; they are"
                f" normalised over {axes[1]}"
            )
            wanted = None if sizes is None else (*sizes[:-2], sizes[-1], sizes[-2])
            yield Report(
                RULE,
                operation,
                operation.node,
                message,
                Culprit(operand.node, tensor),
                wanted,
                "so that the axis that softmax normalised is the one that the sum contracts",
            )
            return


def _is_summed_alone(site: Site, sum_: WeightedSum, view: View) -> bool:
    """Whether an einsum sums the weights over the normalised axis, and nothing else with them.

    What it gives is the same for any weights: those of one query sum to one.
    """
    event, shape = sum_.operation.event, view.shape(as_tensor(site.softmax.output))
    if not isinstance(event, Einsum) or shape is None or not shape.closed or site.axis is None:
        return False
    weights = list(sum_.operation.tensors())[sum_.weights][1].shape
    letters = event.inputs[sum_.weights]
    if weights is None or not weights.closed or len(letters) != len(weights.axes):
        return False
    if len(event.inputs) < 2 or not -len(shape.axes) <= site.axis < len(shape.axes):
        return False
    normalised = shape.axes[site.axis]
    if normalised.is_one:
        return False
    others = {
        letter
        for index, each in enumerate(event.inputs)
        for letter in each
        if index != sum_.weights
    }
    return any(
        same_axis(axis, normalised) and letter not in others and letter not in event.output
        for letter, axis in zip(letters, weights.axes, strict=True)
    )


def _alone(site: Site, sum_: WeightedSum, view: View) -> Report:
    operand, tensor = list(sum_.operation.tensors())[sum_.weights]
    operation = sum_.operation
    weights = "the weights" if operand.node is None else f"`{view.quote(operand.node)}`"
    return Report(
        RULE,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` sums {weights} over the axis that softmax normalised with"
        " nothing beside it: that gives 1, whatever the weights are, and nothing is attended to",
        Culprit(operation.node if operand.node is None else operand.node, tensor),
        view.sizes(tensor),
        "one letter for the keys' axis of the weights and of the values, so that each value is"
        " multiplied by its own weight",
    )
