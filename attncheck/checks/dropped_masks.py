"""A mask that is applied, and the masked tensor let go: ``scores.masked_fill(mask, -1e9)`` alone.

Without an underscore at its end a method of torch gives a new tensor and leaves its own as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.dropped_results import is_alone
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.rule import Rule
from attncheck.values.value import as_tensor


def dropped_masks(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of masks whose effect nobody keeps."""
    for operation in view.graph.operations:
        if operation.kind != "masked_fill" or operation.elsewhere:
            continue
        if not is_alone(operation, ("masked_fill",)):
            continue
        mask = next((each for each in operation.operands if each.name == "mask"), None)
        tensor = None if mask is None else as_tensor(mask.value)
        if mask is None or tensor is None or mask.node is None:
            continue
        code = view.quote(operation.node)
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{code}` gives a new tensor with `{view.quote(mask.node)}` applied, and nothing keeps"
            " it: what was to be masked stays as it was, and nothing is hidden",
            Culprit(mask.node, tensor),
            view.sizes(tensor),
            "applied to what is read afterwards: what this gives has to be kept",
            local=True,
        )
