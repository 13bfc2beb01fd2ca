"""One score for a whole batch: the dot product of states that were flattened together.

``torch.dot`` takes two vectors; of ``(B, H)`` flattened to ``(B*H,)`` it gives the sum of the
scores of all sequences, and every sequence attends by that. Of a single sequence it is right, so
that only a batch which certainly has more is told: a recurrent layer says which axis it is, and a
number, or what the code calls it, that it is not 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.attention import Site
from attncheck.checks.layouts import Birth, birth_of
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import (
    MOVES,
    Elementwise,
    Joining,
    Recurrence,
    Reduction,
    Reshaping,
)
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.table import table_symbol
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import Sequence, Value, as_tensor

_MOST_STEPS = 24
_BATCH = "batch_size"
#: The product of two vectors.
_DOT = "vector_dot"
_FACTORS = 2
#: The axes of states of a batch: sequences and features.
_BATCHED = 2


@record
class OneScore:
    """A score of a whole batch: the two factors as they were before, and the batch."""

    factors: tuple[Operand, ...]
    batch: Axis


def one_score(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of scores that sum over a batch."""
    told = set[object]()
    for site in view.sites if view.once(_batches) else ():
        for operation in _numbers(site, view):
            found = view.remembered(over_batch, operation)
            output = as_tensor(operation.output)
            if found is None or output is None or operation.elsewhere or operation.node in told:
                continue
            told.add(operation.node)
            factors = " and ".join(f"`{view.quote(each.node)}`" for each in found.factors)
            yield Report(
                rule,
                operation,
                operation.node,
                f"`{view.quote(operation.node)}` sums over the batch ({found.batch}) as well as"
                f" over the features of {factors}: one number for all sequences, which then attend"
                " by the same weights; the weights are stretched over the batch, so nothing raises",
                Culprit(operation.node, output),
                (found.batch.size,),
                "a score for each sequence: products summed over the last axis, the features",
                hidden="hidden while the batch has one sequence",
            )


def _batches(view: View) -> frozenset[Birth]:
    """The axes that a recurrent layer takes for the batch, by their births."""
    found = set[Birth | None]()
    for operation in view.graph.operations:
        event, shape = operation.event, view.shape(operation.source)
        if not isinstance(event, Recurrence) or event.batch is None or shape is None:
            continue
        if shape.closed and event.batch < len(shape.axes):
            found.add(birth_of(shape.axes[event.batch]))
    return frozenset(birth for birth in found if birth is not None)


def _numbers(site: Site, view: View) -> Iterator[Operation]:
    """The sums to one number that scores are put together of."""
    waiting, seen = [site.scores_in], set[int]()
    while waiting and len(seen) < _MOST_STEPS:
        for made in view.graph.known_makers(waiting.pop(0)):
            if made.number in seen:
                continue
            seen.add(made.number)
            if made.kind == _DOT or isinstance(made.event, Reduction):
                yield made
            elif isinstance(made.event, (*MOVES, Elementwise, Joining)):
                waiting += [each for operand in made.operands for each in _tensors(operand.value)]


def _tensors(value: Value) -> list[Tensor]:
    """A tensor, or those of a list, of which one stands for all where a loop has filled it."""
    if type(value) is Sequence:
        items = value.items if value.items is not None else (value.element,)
        return [each for item in items for each in _tensors(item)]
    tensor = as_tensor(value)
    return [] if tensor is None else [tensor]


def over_batch(operation: Operation, view: View) -> OneScore | None:
    """The factors of a sum of products over all axes, and the batch among these."""
    if operation.clash is not None:
        return None
    product: Operation | None = operation
    if operation.kind != _DOT:
        event, source = operation.event, operation.source
        product = None if source is None else view.graph.maker(source)
        if not isinstance(event, Reduction) or event.kind != "sum" or not _is_number(operation):
            return None
        if product is None or not isinstance(product.event, Elementwise):
            return None
        if product.event.symbol != "*":
            return None
    assert product is not None
    pairs = [_unflattened(operand, tensor, view) for operand, tensor in product.tensors()]
    batches = [_batch(tensor, view) for _, tensor in pairs]
    if len(pairs) != _FACTORS or batches[0] is None or batches[1] is None:
        return None
    return OneScore(tuple(operand for operand, _ in pairs), batches[0])


def _is_number(operation: Operation) -> bool:
    output = as_tensor(operation.output)
    shape = None if output is None else output.shape
    return shape is not None and shape.closed and not shape.axes


def _unflattened(operand: Operand, tensor: Tensor, view: View) -> tuple[Operand, Tensor]:
    """A factor before it was flattened."""
    made = view.graph.maker(tensor)
    shape = view.shape(tensor)
    if made is None or not isinstance(made.event, Reshaping) or shape is None or shape.rank != 1:
        return operand, tensor
    return next(made.tensors(), (operand, tensor))


def _batch(tensor: Tensor, view: View) -> Axis | None:
    """The axis of a tensor of several that is a batch of more than one sequence."""
    shape = view.shape(tensor)
    if shape is None or not shape.closed or len(shape.axes) < _BATCHED:
        return None
    births = view.once(_batches)
    batch = [axis for axis in shape.axes if birth_of(axis) in births]
    return batch[0] if len(batch) == 1 and _has_many(batch[0], tensor, view) else None


def _has_many(axis: Axis, tensor: Tensor, view: View) -> bool:
    """Whether an axis is longer than 1, by its number or by what the code calls it."""
    if axis.size is None:
        return False
    number = axis.size.evaluate(view.numbers)
    if number is not None:
        return number > 1
    symbol = axis.size.symbol
    named = symbol is not None and table_symbol(symbol.name) == _BATCH
    return named and tensor.evidence < Evidence.NAME
