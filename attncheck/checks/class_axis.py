"""Probabilities over another axis than the classes that a layer gives one score each.

A dense layer puts its outputs on the last axis. Softmax over another one may weigh positions by the
scores that the layer gives them; its logarithm is what a loss over classes takes. Where one of the
outputs is chosen, of the experts of a router for each token (Shazeer et al. 2017, "Outrageously
Large Neural Networks", section 2.1), they are what has to share the probability.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report
from attncheck.checks.sources import root_of
from attncheck.checks.unshaped import least_rank
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Attention, Reduction, Softmax
from attncheck.rule import Rule
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import as_integer, as_tensor

_LAYER = "linear_layer"
#: What leaves the layer's scores where they are.
_KEEPING = frozenset({"dropout", "identity", "divide", "multiply"})
_MOST_STEPS = 4


def off_the_classes(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """A report for a softmax over another axis than the outputs of the layer before it.

    They are classes for its logarithm, and where one of them is chosen afterwards.
    """
    event, scores = operation.event, operation.source
    if not isinstance(event, Softmax) or event.axis is None or event.implicit or scores is None:
        return
    layer = _layer(scores, view)
    if layer is None or _is_one(layer, view):
        return
    if operation.spelling.lower().replace("_", "").endswith("logsoftmax"):
        chosen, words = None, "gives the scores of the classes along the last axis"
    else:
        chosen = _choice(operation, view)
        if chosen is None:
            return
        words = f"puts what `{view.quote(chosen.node)}` chooses from along the last axis"
    shape = view.shape(scores)
    batched = event.axis == 1 and not (shape is not None and shape.closed)
    batched = batched and chosen is not None and _is_of_batch(layer, view)
    if not batched and _is_last(event.axis, scores, view):
        return
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` normalises axis {event.axis}, but"
        f" `{view.quote(layer.node)}` {words}: the probabilities of one position do not sum to one",
        Culprit(operation.node, scores),
        view.sizes(scores),
        "the same shape, with the last axis summing to one in probabilities",
        axis=-1,
        local=True,
        named=batched,
    )


def _choice(softmax: Operation, view: View) -> Operation | None:
    """What chooses along the last axis of probabilities; None if anything else weighs with them."""
    site, probabilities = view.site_of(softmax.number), as_tensor(softmax.output)
    if site is None or site.sums or probabilities is None:
        return None
    for user in view.graph.users(softmax):
        axis = _chosen_axis(user)
        shape = view.shape(probabilities)
        rank = None if shape is None else shape.rank
        if axis is not None and user.source is probabilities and not user.elsewhere:
            return user if axis == -1 or (rank is not None and axis == rank - 1) else None
    return None


def _chosen_axis(operation: Operation) -> int | None:
    """The axis along which an operation picks elements for being large, or by chance."""
    event = operation.event
    if isinstance(event, Reduction):
        single = event.kind in ("max", "argmax") and len(event.axes or ()) == 1
        return event.axes[0] if single and event.axes is not None else None
    if operation.kind not in ("topk", "multinomial"):
        return None
    given = next((each for each in operation.operands if each.name == "axis"), None)
    return -1 if given is None else as_integer(given.value)


def _is_of_batch(layer: Operation, view: View) -> bool:
    """Whether what a layer is given is what a library's attention is given a projection of.

    That takes a batch: three axes at least.
    """
    root = "" if layer.source is None else root_of(layer.source)
    for operation in view.graph.operations:
        given = operation.source if isinstance(operation.event, Attention) else None
        made = None if given is None else view.graph.maker(given)
        if made is not None and made.kind == _LAYER and made.source is not None:
            return bool(root) and root_of(made.source) == root
    return False


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
