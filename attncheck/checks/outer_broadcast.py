"""A vector against a column of the same axis: a table nobody asked for."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Shape
from attncheck.checks.broadcasts import Kind, report
from attncheck.checks.mask_places import are_one
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Contraction, Elementwise
from attncheck.rule import Rule
from attncheck.values.value import as_tensor

RULE = Rule(
    "ATN201",
    "outer-broadcast",
    "(T,) against (T, 1): a vector became a matrix",
)
ON = (Elementwise, Contraction)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a vector that became a matrix, and batches that are multiplied all with all."""
    if isinstance(operation.event, Contraction):
        yield from _of_batches(operation, view)
        return
    yield from report(
        RULE,
        Kind.OUTER,
        operation,
        view,
        "`{code}` meets {left} with {right}: every element with every other, a table that nobody"
        " asked for",
    )


def _of_batches(operation: Operation, view: View) -> Iterator[Report]:
    """``np.dot(weights, values)`` of batches: the weights of each sequence with all values."""
    event, made = operation.event, as_tensor(operation.output)
    assert isinstance(event, Contraction)
    if event.style != "dot" or made is None or operation.clash is not None:
        return
    if not any(operation is sum_.operation for site in view.sites for sum_ in site.sums):
        return
    left, right = (view.shape(tensor) for _, tensor in operation.tensors())
    if left is None or right is None or not left.closed or not right.closed:
        return
    if len(left.axes) != 2 or len(right.axes) != 3 or not _of_one_batch(left, right, view):
        return
    message = (
        f"`{view.quote(operation.node)}` meets {left} with {right}: the weights of every sequence"
        f" with the values of every sequence, {view.text(made)}, where each has its own"
    )
    sizes = (*left.sizes()[:-1], *right.sizes()[-1:])
    derivation = "the batch stands in both and is meant once, as einsum and matmul have it"
    yield Report(
        RULE, operation, operation.node, message, Culprit(operation.node, made), sizes, derivation
    )


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
