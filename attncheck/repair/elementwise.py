"""Elementwise operations that do not fit: the culprit turned round, or given the axis it lacks."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.crossed import Crossed, crossed
from attncheck.checks.put_in_order import order_of
from attncheck.checks.report import Culprit, Report, Sizes
from attncheck.checks.view import View
from attncheck.graph import Operand
from attncheck.operators.events import Loss, Permutation
from attncheck.repair.batches import BATCHES
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.losses import classes_second
from attncheck.repair.mapped import other_axes
from attncheck.repair.masks import for_each_head
from attncheck.repair.products import flip
from attncheck.repair.ranks import dropped
from attncheck.repair.sizes import other_sizes
from attncheck.repair.unmerged import with_axes_of_other
from attncheck.repair.unrepeated import with_copies
from attncheck.repair.wording import (
    bracketed,
    flipped,
    index_with_axes,
    permuted,
    with_axis_of_one,
)
from attncheck.repair.written import cut_to_part
from attncheck.values.tensor import Tensor


def elementwise(report: Report, view: View) -> Iterator[Candidate]:
    """Turn the culprit round, or give it the axis it lacks; else axes of 1, to be refused."""
    tensors = list(report.operation.tensors())
    culprit = report.culprit
    if culprit is None:
        return
    if report.operation.kind == "write":
        yield from cut_to_part(report, view)
        return
    if report.operation.kind == "unstacked":
        yield from other_axes(report.operation)
        return
    if isinstance(report.operation.event, Loss):
        yield from classes_second(report, view)
        return
    if report.operation.kind in BATCHES:
        yield from BATCHES[report.operation.kind](report, view)
        return
    yield from with_axes_of_other(report, view)
    yield from for_each_head(report, view)
    yield from with_copies(report, view)
    pairs = crossed(report.operation, view)
    if pairs is not None:
        yield from _all_pairs(pairs, tensors, view)
        return
    sizes = view.sizes(culprit.tensor)
    turned = _is_turned(sizes, report.expected)
    if turned:
        yield from flip(view, culprit.node, culprit.tensor, result_too=True)
        yield from _flip_maker(view, culprit.tensor)
    elif sizes is not None and report.expected is not None:
        yield from _given_axes(culprit, sizes, report.expected, view)
    yield from _unpermuted(culprit, report.expected, view)
    order = None if turned else order_of(sizes or (), report.expected or ())
    if order is not None:
        text = permuted(view, culprit.node, culprit.tensor, order)
        yield edit(culprit.node, text, "put its axes in the order of the other's")
    yield from dropped(report, view)
    yield from _multiplied(report, view)
    for operand, tensor in tensors:
        if operand.node is None or operand.node is culprit.node:
            continue
        yield from flip(view, operand.node, tensor, result_too=True)
        if turned and (other := view.sizes(tensor)) is not None:
            text = with_axis_of_one(view, operand.node, tensor, len(other), len(other))
            yield edit(operand.node, text, "give it an axis of 1", broadcasts=True)
    yield from other_sizes(report, view)


def _given_axes(culprit: Culprit, sizes: Sizes, expected: Sizes, view: View) -> Iterator[Candidate]:
    """The axes that an operand lacks, one or several of them, which are all of 1 or it is none."""
    for axis in range(len(sizes) + 1):
        if (*sizes[:axis], *expected[axis : axis + 1], *sizes[axis:]) == expected:
            text = with_axis_of_one(view, culprit.node, culprit.tensor, axis, len(sizes))
            yield edit(culprit.node, text, f"give it an axis of 1 at {axis}")
    places = index_with_axes(sizes, expected)
    if places is not None and places.count("None") > 1:
        text = f"{bracketed(view, culprit.node)}[{', '.join(places)}]"
        yield edit(culprit.node, text, "give it axes of 1 where it is the same all along")


def _all_pairs(
    pairs: Crossed, tensors: list[tuple[Operand, Tensor]], view: View
) -> Iterator[Candidate]:
    """An axis of 1 behind the queries, and one before the keys."""
    changes: list[Change] = []
    for index, (operand, tensor) in enumerate(tensors):
        if operand.node is None:
            return
        axis = pairs.axis + (index == pairs.queries)
        text = with_axis_of_one(view, operand.node, tensor, axis, len(pairs.key) - 1)
        changes.append(Change(operand.node, text))
    yield Candidate(tuple(changes), "score every query with every key", table=True)


def _multiplied(report: Report, view: View) -> Iterator[Candidate]:
    """A product of matrices where matrices that fit one are multiplied element by element."""
    node, clash = report.node, report.operation.clash
    shapes = [view.sizes(tensor) for _, tensor in report.operation.tensors()]
    if clash is None or report.operation.kind != "multiply" or len(shapes) != 2:
        return
    left, right = shapes
    if left is None or right is None or min(len(left), len(right)) < 2 or left[-1] != right[-2]:
        return
    if isinstance(node, cst.BinaryOperation):
        yield edit(node.operator, "@", "multiply the matrices", safe=False)
    elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        yield edit(node.func.attr, "matmul", "multiply the matrices", safe=False)


def _is_turned(sizes: Sizes | None, expected: Sizes | None) -> bool:
    if sizes is None or expected is None or len(sizes) < 2:
        return False
    return expected == (*sizes[:-2], sizes[-1], sizes[-2])


def _flip_maker(view: View, tensor: Tensor) -> Iterator[Candidate]:
    """The transpose taken out where the culprit was made."""
    made = view.maker(tensor)
    if made is None:
        return
    text = flipped(view, made.node, tensor)
    if text is not None and not text.endswith(".T"):
        yield edit(made.node, text, f"use {text}")


def _unpermuted(culprit: Culprit, expected: Sizes | None, view: View) -> Iterator[Candidate]:
    """The tensor as it was before its axes were put in another order."""
    made = view.maker(culprit.tensor)
    if made is None or not isinstance(made.event, Permutation):
        return
    operand, tensor = next(made.tensors())
    if operand.node is not None and expected is not None and view.sizes(tensor) == expected:
        yield edit(made.node, view.source.code(operand.node), "leave its axes as they are")
