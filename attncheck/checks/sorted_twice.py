"""Rows that are put into an order once more where they were to be put back.

A batch that was sorted by ``order`` is in the caller's order again by ``order.argsort()``. By
``order`` once more it is in a third one, and every shape is right.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.shape import Tag
from attncheck.checks.report import Culprit, Report
from attncheck.checks.unrestored import followed, ordered_by, orders_and_backs, taking
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_integer, as_tensor


@record
class SortedTwice:
    """What takes rows by an order, and what has taken them by the same one before."""

    again: Operation
    first: Operation
    rows: Tensor
    order: cst.CSTNode


def sorted_twice(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each tensor that was put into one order twice."""
    for found in view.once(twice_sorted):
        operation = found.again
        operand = next(each for each, _ in operation.tensors())
        order = view.quote(found.order)
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` takes rows by `{order}` that"
            f" `{view.quote(found.first.node)}` has put into this order before: row i belongs to"
            " another sequence than the caller's row i; the shapes are right, so nothing raises",
            None if operand.node is None else Culprit(operand.node, found.rows),
            None,
            f"rows taken by the order of `{order}`, which undoes it",
            hidden="hidden while the batch comes sorted",
        )


def twice_sorted(view: View) -> list[SortedTwice]:
    """The operations that put rows into an order in which they are."""
    orders, backs = orders_and_backs(view)
    takes, restoring = list(taking(orders, view)), list(taking(backs, view))
    found: list[SortedTwice] = []
    for at, first in enumerate(takes):
        made = [again for again in takes[at + 1 :] if ordered_by(again) == ordered_by(first)]
        if not made or len(ordered_by(first)) != 1 or _is_order(first, orders):
            continue
        sorted_, _ = followed([first], restoring, view)
        for again in made:
            order, rows = _order_written(again), again.source
            if order is None or rows is None or not rows.made_by <= sorted_:
                continue
            if _is_one_axis(first, again, view) and again not in [each.again for each in found]:
                found.append(SortedTwice(again, first, rows, order))
    return found


def _is_order(operation: Operation, orders: set[int]) -> bool:
    """Whether what is put into an order is one itself: two orders that follow each other."""
    return operation.source is None or bool(operation.source.made_by & orders)


def _is_one_axis(first: Operation, again: Operation, view: View) -> bool:
    """Whether the rows that are taken are those that were put into an order, along one axis.

    Of attention over keys that were sorted, the queries' axis is left as it was.
    """
    tags = [
        _tag(as_tensor(first.output), _axis(first), view),
        _tag(again.source, _axis(again), view),
    ]
    return tags[0] is not None and tags[0] == tags[1]


def _tag(tensor: Tensor | None, axis: int | None, view: View) -> Tag | None:
    """Where an axis was born, counted from the front."""
    shape = view.shape(tensor)
    if shape is None or axis is None or not 0 <= axis < len(shape.lead):
        return None
    return shape.lead[axis].tag


def _axis(operation: Operation) -> int | None:
    """The axis along which an operation takes rows by a list of numbers."""
    if operation.kind == "index_select":
        axis = next((each.value for each in operation.operands if each.name == "axis"), None)
        return None if axis is None else as_integer(axis)
    places = [place for place, _ in _indices(operation)]
    return places[0] if len(places) == 1 else None


def _order_written(operation: Operation) -> cst.CSTNode | None:
    """The expression of the order that rows are taken by."""
    if operation.kind == "index_select":
        return next((each.node for each in operation.operands if each.name == "index"), None)
    values = [value for _, value in _indices(operation)]
    return values[0] if len(values) == 1 else None


def _indices(operation: Operation) -> Iterator[tuple[int, cst.BaseExpression]]:
    """What brackets hold but slices, each with the axis that it is for."""
    node = operation.node
    for place, element in enumerate(node.slice if isinstance(node, cst.Subscript) else ()):
        if isinstance(element.slice, cst.Index):
            yield place, element.slice.value
