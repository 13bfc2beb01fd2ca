"""Candidate fixes for a number of axes that does not fit: axes of 1 put in, or left out.

A bare ``squeeze()`` drops whatever is 1; named, it drops the one that was meant. What takes vectors
is given rows and columns without their axes of 1.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.size import ONE
from attncheck.checks.report import Report, Sizes
from attncheck.checks.unrepeated import added_axes
from attncheck.checks.view import View
from attncheck.operators.events import Fault, Squeeze
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.dots import pair_by_pair
from attncheck.repair.gathered import of_gathered
from attncheck.repair.sizes import more_sizes
from attncheck.repair.widths import of_padded_axis
from attncheck.repair.wording import (
    argument_of,
    bracketed,
    call_with,
    index_with_axis,
    with_axis_of_one,
)
from attncheck.values.tensor import Tensor

#: Products of two vectors.
_OF_VECTORS = frozenset({"vector_dot", "vector_outer"})


#: Operations whose operands have a batch, rows and columns.
_OF_THREE = frozenset(["bmm", "value_first_attention"])


def other_rank(report: Report, view: View) -> Iterator[Candidate]:
    """An axis of 1 for the tensor that lacks one, the last place first; else another axis."""
    culprit = report.culprit
    sizes = None if culprit is None else view.sizes(culprit.tensor)
    if report.operation.clash is None:
        yield from pair_by_pair(report, view)
        return
    if report.operation.kind == "carried_on":
        yield from more_sizes(report, view)
        return
    yield from of_padded_axis(report, view)
    yield from of_gathered(report, view)
    yield from _whole(report, view)
    yield from _an_axis_less(report, view)
    yield from _named_squeeze(report, view)
    yield from _as_vectors(report, view)
    yield from _item(report, view)
    if culprit is not None and sizes is not None and report.operation.kind in _OF_THREE:
        rank = len(sizes)
        for axis in (max(rank - 1, 0), rank, *range(rank - 1)):
            text = with_axis_of_one(view, culprit.node, culprit.tensor, axis, rank)
            yield edit(culprit.node, text, f"give it an axis of 1 at {axis}", safe=False)
    yield from _axis(report, view)


def _item(report: Report, view: View) -> Iterator[Candidate]:
    """The first of several values in a tuple: of a state the hidden one, else the output."""
    node, clash = report.node, report.operation.clash
    given = [operand for operand in report.operation.operands if operand.name == "x"]
    if isinstance(node, cst.BinaryOperation) and clash is not None and "tuple" in clash.text:
        side = node.right if clash.operand else node.left
        text = f"{bracketed(view, side)}[0]"
        yield edit(side, text, "take the first of the values", safe=False)
        return
    if len(given) > 1 and isinstance(node, cst.Call) and node.args:
        first = node.args[0].value
        yield edit(
            first, f"{bracketed(view, first)}[0]", "take the first of the values", safe=False
        )


def _an_axis_less(report: Report, view: View) -> Iterator[Candidate]:
    """``x.unsqueeze(1).expand(-1, T, -1)`` of an `x` with an axis of 1 too many, without that."""
    culprit, clash = report.culprit, report.operation.clash
    if report.operation.kind != "expand" or culprit is None or clash is None:
        return
    if clash.fault is not Fault.RANK:
        return
    node, tensor, made = culprit.node, culprit.tensor, view.maker(culprit.tensor)
    if made is not None and made.node is node and added_axes(made, view) is not None:
        operand, tensor = next(made.tensors())
        node = operand.node or node
    sizes = view.sizes(tensor) or ()
    for axis in reversed(range(len(sizes))):
        if sizes[axis] == ONE:
            text = without_axis(view, node, tensor, axis, len(sizes))
            changes = (Change(node, text),)
            yield Candidate(changes, f"drop axis {axis}, which is 1", safe=False)


def _whole(report: Report, view: View) -> Iterator[Candidate]:
    """``x.sum(1)[0, 0]`` of a vector as ``x.sum()``: one number of it was meant."""
    node, event = report.node, report.operation.event
    sizes = None if report.culprit is None else view.sizes(report.culprit.tensor)
    outer = view.source.around(node)[-2:-1]
    if report.operation.kind != "reduce" or sizes is None or len(sizes) != 1:
        return
    if event is not None or not isinstance(node, cst.Call) or not outer:
        return
    argument, (around,) = argument_of(node), outer
    if argument is None or not isinstance(around, cst.Subscript) or around.value is not node:
        return
    numbers = [getattr(each.slice, "value", None) for each in around.slice]
    if all(isinstance(each, cst.Integer) for each in numbers):
        kept = [view.source.code(each) for each in node.args if each.value is not argument]
        text = f"{view.source.code(node.func)}({', '.join(each.rstrip(', ') for each in kept)})"
        yield edit(around, text, "reduce the whole vector", safe=False)


def _named_squeeze(report: Report, view: View) -> Iterator[Candidate]:
    """One axis named in the bare squeeze that made the tensor, where it has dropped several."""
    made = None if report.culprit is None else view.maker(report.culprit.tensor)
    event = None if made is None else made.event
    if made is None or not isinstance(event, Squeeze) or not isinstance(made.node, cst.Call):
        return
    if event.bare and len(event.axes) > 1:
        for axis in reversed(event.axes):
            changes = (Change(made.node, call_with(view, made.node, str(axis))),)
            words = f"squeeze axis {axis} only"
            yield Candidate(changes, words, safe=False, same_size=True)


def _as_vectors(report: Report, view: View) -> Iterator[Candidate]:
    """The operands of a product of vectors without their axes of 1."""
    operation = report.operation
    if operation.kind not in _OF_VECTORS:
        return
    changes: list[Change] = []
    for operand, tensor in operation.tensors():
        sizes = view.sizes(tensor)
        shape = view.shape(tensor)
        known = () if shape is None else (*shape.lead, *shape.trail)
        if operand.node is None or not _is_vector(tuple(axis.size for axis in known)):
            return
        if sizes is None or len(sizes) > 1:
            changes.append(Change(operand.node, f"{bracketed(view, operand.node)}.flatten()"))
    if changes:
        yield Candidate(tuple(changes), "take the vectors without axes of 1", safe=False)


def _is_vector(sizes: Sizes) -> bool:
    """Whether all axes but one are 1."""
    return sum(size is None or size.number != 1 for size in sizes) <= 1


def dropped(report: Report, view: View) -> Iterator[Candidate]:
    """The tensor without its last axis of 1, where without it an elementwise operation fits."""
    culprit, expected = report.culprit, report.expected
    sizes = None if culprit is None else view.sizes(culprit.tensor)
    if culprit is None or sizes is None or expected is None or len(expected) != len(sizes) - 1:
        return
    for axis in reversed(range(len(sizes))):
        if (*sizes[:axis], *sizes[axis + 1 :]) == expected:
            text = without_axis(view, culprit.node, culprit.tensor, axis, len(sizes))
            changes = (Change(culprit.node, text),)
            words = f"drop axis {axis}, which is 1"
            yield Candidate(changes, words, safe=False, same_size=True)
            return


def without_axis(view: View, node: cst.CSTNode, tensor: Tensor, axis: int, rank: int) -> str:
    """An expression without its axis of 1 at `axis`."""
    code = bracketed(view, node)
    if tensor.library == "torch":
        return f"{code}.squeeze({-1 if axis == rank - 1 else axis})"
    return index_with_axis(code, axis, rank)


def _axis(report: Report, view: View) -> Iterator[Candidate]:
    node, clash = report.node, report.operation.clash
    if clash is not None and clash.fault is Fault.RANK and report.operation.kind in _OF_VECTORS:
        return
    argument = argument_of(node) if isinstance(node, cst.Call) else None
    if argument is not None:
        for axis in ("-1", "0", "1"):
            if view.code(argument) != axis:
                yield edit(argument, axis, f"use axis {axis}", safe=False)
