"""Weights contracted over an axis that softmax did not normalise."""

from __future__ import annotations

from collections.abc import Iterator

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
