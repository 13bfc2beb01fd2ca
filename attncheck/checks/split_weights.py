"""Weights of a library's attention that are split along the batch, beside outputs split in time.

torch's MultiheadAttention gives its output in the layout of its queries, ``(T, B, d)`` unless it
was made batch first, and its weights always batch first, ``(B, T, S)`` (torch.nn's
MultiheadAttention, "Outputs"). Who turns both round, and splits both along axis 1, takes the
sequences of the weights apart and not their steps. That steps were meant is told by the output,
which is split into as many parts along the queries; a batch that is split into two halves, and the
output with it, is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.attention import same_axis
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.meaning.elements import operand_of
from attncheck.operators.events import Attention, Permutation
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import Sequence, Value, as_integer, as_size, as_tensor

#: The operators that cut an axis into parts, and what says into which.
_SPLITS = {"chunk": "count", "split": "size", "tensor_split": "parts"}


@record
class SplitWeights:
    """Weights that are split along their batch: the layer, the operand as written, its maker."""

    layer: Operation
    operand: Operand
    weights: Tensor
    #: what has turned the weights round before they were split, if anything has
    turned: Operation | None
    beside: Operation

    @property
    def queries(self) -> int:
        """The axis of the queries: the one before that of the keys, with heads or without."""
        shape = self.weights.shape
        return 1 if shape is None else len(shape.axes) - 2


def split_weights(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of weights whose batch is split where their steps are meant."""
    for operation in view.graph.operations:
        found = view.remembered(split_on_batch, operation)
        if found is None:
            continue
        written = found.operand if found.turned is None else next(found.turned.tensors())[0]
        node = written.node or operation.node
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` splits the weights of `{view.quote(found.layer.node)}`"
            f" along the batch: they are {view.text(found.weights)}, batch first whatever the"
            f" layout of the output is, which `{view.quote(found.beside.node)}` splits along the"
            " queries; nothing raises, but each part has the weights of other sequences",
            Culprit(node, found.weights),
            view.sizes(found.weights),
            f"split along axis {found.queries}, the queries, so that each part of the output has"
            " its weights",
            local=True,
        )


def split_on_batch(operation: Operation, view: View) -> SplitWeights | None:
    """The weights that an operation splits along their batch, if the output is split in time."""
    cut = _cut(operation, view)
    if cut is None or operation.elsewhere or operation.clash is not None:
        return None
    operand, tensor = next(operation.tensors())
    weights, turned = _before(tensor, view)
    layer = view.graph.maker(weights)
    shape = view.shape(weights)
    if layer is None or shape is None or not shape.closed or not _are_weights(weights, layer):
        return None
    batch, queries = shape.axes[0], shape.axes[-2]
    axis, parts = cut
    if batch.is_one or not same_axis(axis, batch) or same_axis(batch, queries):
        return None
    for other in view.graph.operations:
        along = _cut(other, view) if other is not operation else None
        if along is None or other.place.function != operation.place.function:
            continue
        if same_axis(along[0], queries) and _are_as_many(along[1], parts, view):
            return SplitWeights(layer, operand, weights, turned, other)
    return None


def _cut(operation: Operation, view: View) -> tuple[Axis, Value] | None:
    """The axis that an operation cuts into parts, and their number or size."""
    name = _SPLITS.get(operation.kind)
    shape = view.shape(operation.source) if name is not None else None
    given, along = operand_of(operation, name or ""), operand_of(operation, "axis")
    axis = 0 if along is None else as_integer(along.value)
    if shape is None or not shape.closed or axis is None or given is None:
        return None
    inside = -len(shape.axes) <= axis < len(shape.axes)
    return (shape.axes[axis], given.value) if inside else None


def _are_as_many(left: Value, right: Value, view: View) -> bool:
    """Whether two numbers certainly are one: an argument is the number that it is."""
    return left is right or view.equal(as_size(left), as_size(right))


def _before(tensor: Tensor, view: View) -> tuple[Tensor, Operation | None]:
    """A tensor before it was turned round, and what has done so."""
    made = view.graph.maker(tensor)
    if made is None or not isinstance(made.event, Permutation) or made.source is None:
        return tensor, None
    return made.source, made


def _are_weights(tensor: Tensor, layer: Operation) -> bool:
    """Whether a tensor is the second thing that an attention layer gives."""
    made = layer.output
    if not isinstance(layer.event, Attention) or type(made) is not Sequence or not made.items:
        return False
    return len(made.items) > 1 and tensor.shape is not None and as_tensor(made.items[1]) == tensor
