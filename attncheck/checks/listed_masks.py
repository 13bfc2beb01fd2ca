"""Masks in a list beside the inputs that they belong to, given in the wrong order.

Keras' attention takes ``mask=[query_mask, value_mask]`` for ``[query, value]``: with the query's a
step of the output is set to 0, with the value's a step is hidden.
Source: keras.layers.Attention.call.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.checks.batches import ATTENTION
from attncheck.checks.mask_places import are_one
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Attention
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor


def exchanged(operation: Operation, view: View) -> list[tuple[Operand, Tensor]]:
    """The masks of query and value if each has the other one's positions; else none."""
    masks = [each for each in operation.tensors() if each[0].name == "mask"]
    event = operation.event
    if operation.kind != ATTENTION or not isinstance(event, Attention) or len(masks) != 2:
        return []
    axes: list[Axis] = []
    for operand, tensor in masks:
        shape = view.shape(tensor)
        if operand.node is None or shape is None or not shape.closed or len(shape.axes) != 2:
            return []
        axes.append(shape.axes[1])
    for axis, own, other in zip(
        axes, (event.query, event.key), (event.key, event.query), strict=True
    ):
        if _is_one(axis, own, view) or not _is_one(axis, other, view):
            return []
    return masks


def _is_one(left: Axis, right: Axis, view: View) -> bool:
    """Whether two axes count the same positions, as far as births and sizes tell."""
    return are_one(left, right) or view.equal(left.size, right.size)


def report(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """The report of `rule` about the two masks of an attention in each other's place."""
    masks = exchanged(operation, view)
    if not masks:
        return
    (first, tensor), (second, _) = masks
    given = {operand.name: view.shape(each) for operand, each in operation.tensors()}
    query, value = (given.get(name) for name in ("query", "value"))
    if first.node is None or query is None or value is None:
        return
    sizes = query.sizes()[:2]
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` takes its masks in the order of its inputs, the query's"
        f" first, but `{view.quote(first.node)}` {view.text(tensor)} is of the value's positions,"
        f" and `{view.quote(second.node)}` of the query's",
        Culprit(first.node, tensor),
        sizes,
        "one number for each position of the query; the value's mask, which hides keys, is second",
        hidden=f"hidden while {sizes[1]} == {value.sizes()[1]}",
    )
