"""Pools over the features of layers that put them last, as if their channels stood first.

``GlobalAveragePooling1D(data_format="channels_first")`` averages the last axis. What an attention,
a recurrent layer or a `Conv1D` gives is (batch, steps, features), so that its features are averaged
and its steps are left, and the next layer takes these for features.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report, Sizes
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import (
    Attention,
    Einsum,
    Expansion,
    NewAxis,
    Permutation,
    Rearranging,
    Recurrence,
    Reduction,
    Reshaping,
    Selection,
)
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.value import NONE, Const, Value

_LAST, _FIRST = Const("channels_last"), Const("channels_first")
#: After these another axis may be the last one.
_TURNING = (Permutation, Rearranging, Reshaping, Einsum)
#: Layers that take axis 1 for steps and give features on the last one.
_OF_STEPS = (Attention, Recurrence)
_OF_STEPS_KINDS = frozenset({"convolve_last", "embedding"})
#: What makes a sequence of one number a step.
_PUT_BACK = (*_TURNING, Expansion, NewAxis, Selection)
_MOST_STEPS = 40


@record
class PooledFeatures:
    """The layer whose features are pooled, and the sizes of what is given to the pool."""

    layer: Operation
    sizes: Sizes


def pooled_features(operation: Operation, view: View) -> PooledFeatures | None:
    """The layer whose features a pool over channels that stand first reduces, or None."""
    source = operation.source
    sizes = None if source is None else view.sizes(source)
    if operation.kind != "pooled" or source is None or sizes is None or len(sizes) != 3:
        return None
    if not isinstance(operation.event, Reduction) or _format(operation) != _FIRST:
        return None
    layer = _layer_of_steps(operation, view)
    if layer is None or _is_put_back(operation, view):
        return None
    return PooledFeatures(layer, sizes)


def _is_put_back(pool: Operation, view: View) -> bool:
    """Whether what is pooled, or is computed of it, is laid beside a sequence again.

    A number for each step may be what scores the steps, as the squeeze of an excitation is.
    """
    return any(
        isinstance(later.event, _PUT_BACK) or len(list(later.tensors())) > 1
        for later in view.graph.derived(pool)
    )


def _format(made: Operation) -> Value:
    """Where an operation is told that its channels are."""
    return next((each.value for each in made.operands if each.name == "data_format"), NONE)


def _layer_of_steps(pool: Operation, view: View) -> Operation | None:
    """The first layer behind a pool that gives (batch, steps, features), if no axis moves since."""
    found: Operation | None = None
    waiting, seen = [pool], set[int]()
    while waiting:
        for _, tensor in waiting.pop(0).tensors():
            for made in view.graph.known_makers(tensor):
                if made.number in seen:
                    continue
                seen.add(made.number)
                turned = isinstance(made.event, _TURNING) or _format(made) not in (NONE, _LAST)
                if turned or len(seen) > _MOST_STEPS:
                    return None
                if isinstance(made.event, _OF_STEPS) or made.kind in _OF_STEPS_KINDS:
                    found = found or made
                else:
                    waiting.append(made)
    return found


def over_features(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each pool that leaves the steps of a sequence and reduces its features."""
    for operation in view.graph.operations:
        found = None if operation.elsewhere else view.remembered(pooled_features, operation)
        if found is None:
            continue
        operand, tensor = next(operation.tensors())
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` reduces the last axis of {view.text(tensor)}, the"
            f" features that `{view.quote(found.layer.node)}` gives, as if these were the steps:"
            " what is left has a number for each step, and the next layer takes it for features",
            None if operand.node is None else Culprit(operand.node, tensor),
            (found.sizes[0], found.sizes[2]),
            "one number for each feature, over all steps",
        )
