"""Log-probabilities over another axis than the classes that a layer gives one score each.

A dense layer puts its outputs on the last axis. Softmax over another one may weigh positions by the
scores that the layer gives them; its logarithm is what a loss over classes takes.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report
from attncheck.checks.unshaped import least_rank
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Softmax
from attncheck.rule import Rule
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import as_tensor

_LAYER = "linear_layer"
#: What leaves the layer's scores where they are.
_KEEPING = frozenset({"dropout", "identity", "divide", "multiply"})
_MOST_STEPS = 4


def off_the_classes(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """A report for a log-softmax over another axis than the outputs of the layer before it."""
    event, scores = operation.event, operation.source
    if not isinstance(event, Softmax) or event.axis is None or event.implicit or scores is None:
        return
    if not operation.spelling.lower().replace("_", "").endswith("logsoftmax"):
        return
    layer = _layer(scores, view)
    if layer is None or _is_last(event.axis, scores, view) or _is_one(layer, view):
        return
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` normalises axis {event.axis}, but"
        f" `{view.quote(layer.node)}` gives the scores of the classes along the last axis: the"
        " probabilities of one position do not sum to one",
        Culprit(operation.node, scores),
        view.sizes(scores),
        "the same shape, with the last axis summing to one in probabilities",
        axis=-1,
        local=True,
    )


def _layer(tensor: Tensor, view: View) -> Operation | None:
    """The dense layer that made scores."""
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None or made.kind == _LAYER:
            return made
        source = made.source if made.kind in _KEEPING else None
        if source is None:
            return None
        tensor = source
    return None


def _is_last(axis: int, scores: Tensor, view: View) -> bool:
    """Whether an axis is the last one, or may be."""
    shape = view.shape(scores)
    if shape is not None and shape.closed:
        rank = len(shape.axes)
        # Without a batch, which is there by convention only, it would be the last one.
        unbatched = scores.evidence is Evidence.NAME and axis == rank - 2
        return not rank or axis % rank == rank - 1 or unbatched
    return axis == -1 or (axis >= 0 and axis + 1 >= least_rank(scores, view))


def _is_one(layer: Operation, view: View) -> bool:
    """Whether a layer gives one score only, or it is not known how many."""
    shape = view.shape(as_tensor(layer.output))
    if shape is None or not (shape.trail or shape.closed):
        return shape is not None
    return not shape.tail or shape.tail[-1].is_one
