"""Means over the positions of a sequence that count its padding: zeros, but divided by.

``(states * mask).mean(1)`` weighs each position with ``mask / T``, weights that sum to less than
one, and to the less the more the longest sequence of the batch pads the others. What is divided
later on, or scaled to one length as cosines are, is left alone: there it makes no difference.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.attention import behind
from attncheck.checks.entries import Entry, entry_of
from attncheck.checks.report import Culprit, Report
from attncheck.checks.terms import axis_from_end
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.meaning.marks import Kind
from attncheck.operators.events import (
    COPYING,
    MOVES,
    Attention,
    Contraction,
    Einsum,
    Elementwise,
    Loss,
    Recurrence,
    Reduction,
)
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.softmaxes import MOST_STEPS
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

#: What gives states: of positions whose mean is taken, and not their share in a loss.
_LAYERS = frozenset({"embedding", "linear_layer", "layer_norm", "encoder_layer", "encoder"})
_MAKING = (Attention, Recurrence, Contraction, Einsum)
#: Elementwise steps after which states still are states.
_ACTIVATIONS = frozenset(
    {"+", "dropout", "relu", "gelu", "silu", "elu", "leaky_relu", "tanh", "sigmoid"}
)
#: What makes up for any factor.
_RESCALING = frozenset({"normalize", "layer_norm", "layer_norm_last", "rms_norm", "group_norm"})


@record
class PaddedMean:
    """A mean over positions, and the mask that has made padding 0 before it."""

    mask: Operand
    tensor: Tensor
    #: whether what was masked is the product of states and mask as they are
    product: bool


def padded_means(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each mean over positions of which a mask has made some 0."""
    for operation in view.graph.operations:
        found = None if operation.elsewhere else view.remembered(padded_mean, operation)
        output = as_tensor(operation.output)
        if found is None or output is None:
            continue
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` divides by all positions, the padded ones among them,"
            f" of which `{view.quote(found.mask.node)}` has made nothing but zeros: a sequence's"
            " mean is the smaller the more the longest sequence of its batch pads it",
            Culprit(operation.node, output),
            view.sizes(output),
            "the same shape, the sum divided by how many positions the mask keeps",
            named=True,
            local=True,
        )


def padded_mean(operation: Operation, view: View) -> PaddedMean | None:
    """The mask of the states that a mean over positions is taken of, or None."""
    event, source = operation.event, operation.source
    if not isinstance(event, Reduction) or event.kind != "mean" or source is None:
        return None
    entry = _masked(source, view)
    scores = None if entry is None else as_tensor(entry.scores.value)
    if entry is None or scores is None or not _hides_padding(entry, view):
        return None
    place = _from_end(event, source, view)
    mask = view.shape(entry.mask_tensor)
    if place is None or place == 0 or mask is None:
        return None
    features, positions = axis_from_end(mask, 0), axis_from_end(mask, place)
    if features is None or positions is None or not features.is_one or positions.size is None:
        return None
    if positions.is_one or not _are_states(scores, view) or _is_made_up_for(operation, entry, view):
        return None
    return PaddedMean(entry.mask, entry.mask_tensor, entry.how == "product")


def _masked(source: Tensor, view: View) -> Entry | None:
    """The mask that a tensor has been multiplied by, or filled with 0 under."""
    made = view.graph.maker(source)
    while made is not None and made.kind in COPYING and made.source is not None:
        made = view.graph.maker(made.source)
    entry = None if made is None else entry_of(made, view)
    if entry is None:
        return None
    fills = entry.how in ("fill", "choice") and entry.number == 0
    return entry if fills or entry.how == "product" else None


def _hides_padding(entry: Entry, view: View) -> bool:
    """Whether a mask tells padding from what is none, and leaves the latter."""
    mark = view.meanings.mark(entry.mask_tensor)
    if mark is None or mark.is_constant or mark.jointly:
        return False
    if any(claim.kind is not Kind.PADDING for claim in mark.claims):
        return False
    kept = entry.how == "product" or (entry.put is not None and entry.put.name == "y")
    return (mark.visible, mark.hidden) == ((1, 0) if kept else (0, 1))


def _from_end(event: Reduction, source: Tensor, view: View) -> int | None:
    """How many axes lie behind the one of which the mean is taken."""
    if event.axes is None or len(event.axes) != 1:
        return None
    (axis,), shape = event.axes, view.shape(source)
    if axis < 0:
        return -1 - axis
    return None if shape is None or not shape.closed else len(shape.axes) - 1 - axis


def _are_states(tensor: Tensor, view: View) -> bool:
    """Whether a layer has made a tensor, at most with an activation behind it."""
    for _ in range(MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None:
            return False
        if isinstance(made.event, _MAKING) or made.kind in _LAYERS:
            return True
        activation = isinstance(made.event, Elementwise) and made.event.symbol in _ACTIVATIONS
        passes = isinstance(made.event, MOVES) or made.kind in COPYING
        if not (activation or passes) or made.source is None:
            return False
        tensor = made.source
    return False


def _is_made_up_for(operation: Operation, entry: Entry, view: View) -> bool:
    """Whether what comes of a mean is divided, scaled to one length, or counted again."""
    own = {operation.number}
    for made in view.graph.derived(operation, until=_MAKING):
        symbol = made.event.symbol if isinstance(made.event, Elementwise) else None
        tensors = [tensor for _, tensor in made.tensors()]
        others = [tensor for tensor in tensors if tensor.made_by.isdisjoint(own)]
        own.add(made.number)
        if isinstance(made.event, Loss) or not _RESCALING.isdisjoint({symbol, made.kind}):
            return True
        if symbol == "/" and len(tensors) > 1:
            return True
        if symbol == "*" and any(_is_made_of(each, entry.mask_tensor, view) for each in others):
            return True
    return False


def _is_made_of(tensor: Tensor, mask: Tensor, view: View) -> bool:
    return any(made.number in mask.made_by for made in behind(view.graph, tensor))
