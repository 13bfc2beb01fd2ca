"""Operations that take the batch for something else, so that every sequence meets all others.

``np.dot(weights, values)`` of ``(B, T)`` and ``(B, T, d)`` has the batch twice, ``(B, B, d)``, and
so have ``weights @ values`` and tensordot; and Keras' attention takes a query of ``(B, d)`` for the
B queries of every sequence.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Shape
from attncheck.algebra.size import ONE
from attncheck.checks.mask_places import are_one
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Contraction
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

#: The operators that do so: products of all with all, and attention over lists.
DOTS = ("dot", "matmul", "tensordot")
ATTENTION = "list_attention"


def mixed_up(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each operation of a trace in which sequences meet each other's."""
    for operation in view.graph.operations:
        if operation.elsewhere or operation.clash is not None:
            continue
        if operation.kind in DOTS:
            yield from _all_with_all(rule, operation, view)
        elif operation.kind == ATTENTION:
            yield from _stretched(rule, operation, view)


def _stretched(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    query = next((each for each in operation.tensors() if each[0].name == "query"), None)
    sizes = None if query is None else view.sizes(query[1])
    if query is None or sizes is None or len(sizes) != 2 or query[0].node is None:
        return
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` takes (B, T, d) for the query: {text_of(sizes)} is lined"
        f" up with its last two axes, so that every sequence is attended to with the {sizes[0]}"
        " queries of all sequences, and nothing raises",
        Culprit(query[0].node, query[1]),
        (sizes[0], ONE, sizes[1]),
        "an axis of its own for the queries of each sequence, also where there is only one",
    )


def _all_with_all(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    event, made = operation.event, as_tensor(operation.output)
    if not isinstance(event, Contraction) or made is None or not _weighs(operation, view):
        return
    left, right = (view.shape(tensor) for _, tensor in operation.tensors())
    if left is None or right is None or not left.closed or not right.closed:
        return
    met = ([axis % 2 for axis in event.left_axes], [axis % 3 for axis in event.right_axes])
    if len(left.axes) != 2 or len(right.axes) != 3 or met != ([1], [1]):
        return
    result = view.shape(made)
    if result is None or len(result.axes) != 3:
        return  # Keras' Dot has the batch once
    if _of_one_batch(left, right, view):
        yield _report(rule, operation, (left, right), made, view)


def _weighs(operation: Operation, view: View) -> bool:
    """Whether an operation contracts the weights of an attention with something."""
    return any(operation is sum_.operation for site in view.sites for sum_ in site.sums)


def _of_one_batch(weights: Shape, values: Shape, view: View) -> bool:
    """Whether weights ``(B, T)`` count the sequences of the values ``(B, T, d)``.

    Weights of the values' own positions were made of these values, so that their other axis is the
    batch, unless it certainly has another size.
    """
    batch, own = weights.axes[0], values.axes[0]
    if are_one(batch, own):
        return True
    if batch.size is None or own.size is None or not are_one(weights.axes[1], values.axes[1]):
        return False
    return not view.facts.compare(batch.size, own.size).clashes


def _report(
    rule: Rule, operation: Operation, shapes: tuple[Shape, Shape], made: Tensor, view: View
) -> Report:
    weights, values = shapes
    return Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` meets {weights} with {values}: the weights of every"
        f" sequence with the values of every sequence, {view.text(made)}, where each has its own",
        Culprit(operation.node, made),
        (*weights.sizes()[:-1], *values.sizes()[-1:]),
        "the batch stands in both and is meant once, as an einsum has it",
    )
