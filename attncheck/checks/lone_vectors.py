"""Products of a table for each sequence with one vector for each, which are taken for a matrix.

``states @ last`` of ``(B, T, H)`` and ``(B, H)`` contracts H with the batch: the rows of one
matrix, the same for all sequences, where every sequence has a vector of its own. As a column,
``(B, H, 1)``, it meets none but its own sequence (Luong et al. 2015, section 3.1, for a batch).
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.algebra.size import ONE
from attncheck.checks.constructed import layer_of
from attncheck.checks.mask_places import are_one
from attncheck.checks.report import Culprit, Report, Sizes, text_of
from attncheck.checks.tied import as_it_was
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Contraction
from attncheck.record import record
from attncheck.rule import Rule

#: The axes of the table of each sequence, and of the vector of each.
_RANKS = [3, 2]


@record
class Lone:
    """The table's and the vectors' sizes, as they were before the product needed any to agree."""

    table: Sizes
    vectors: Sizes
    #: whether nothing but the product says that the batch is as large as a vector
    forced: bool


def lone_vectors(operation: Operation, view: View) -> Lone | None:
    """The vectors of the sequences of a batch that a product takes for one matrix, or None."""
    event, tensors = operation.event, [tensor for _, tensor in operation.tensors()]
    if not isinstance(event, Contraction) or len(tensors) != 2 or layer_of(operation) is not None:
        return None
    table, vectors = (as_it_was(tensor, operation, view) for tensor in tensors)
    if table is None or vectors is None or not (table.closed and vectors.closed):
        return None
    if [len(table.axes), len(vectors.axes)] != _RANKS:
        return None
    if [axis % 3 for axis in event.left_axes] != [2] or [a % 2 for a in event.right_axes] != [0]:
        return None
    batch, _, features = table.axes
    own, width = vectors.axes
    if not are_one(batch, own) or are_one(features, own) or own.is_one:
        return None
    if not _of_one_size(features, width) or (_of_one_size(features, own) and own.size is not None):
        return None
    return Lone(table.sizes(), vectors.sizes(), operation.clash is None)


def _of_one_size(left: Axis, right: Axis) -> bool:
    return left.size is not None and left.size == right.size


def report(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """The report of `rule` about vectors that a product takes for one matrix."""
    found = view.remembered(lone_vectors, operation)
    nodes = [operand.node for operand, _ in operation.tensors()]
    if found is None or nodes[1] is None:
        return
    tensor = list(operation.tensors())[1][1]
    (batch, *_), (_, width) = found.table, found.vectors
    shape = as_it_was(tensor, operation, view, apart=True) if found.forced else tensor.shape
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` multiplies {text_of(found.table)} by"
        f" {text_of(found.vectors)} as by one matrix: it contracts {width} with the batch, {batch},"
        f" though each row of `{view.quote(nodes[1])}` is one sequence's own vector",
        Culprit(nodes[1], tensor.with_shape(shape)),
        (batch, width, ONE),
        "a column for each sequence, so that each of its positions gets one number:"
        f" {text_of(found.table)} @ {text_of((batch, width, ONE))}",
        hidden=f"hidden while {batch} == {width}" if found.forced else "",
    )
