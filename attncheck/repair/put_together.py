"""Candidate fixes for pieces of an axis that are put together in another order than they were cut.

A pattern merges them in the order of the cut; before a view they are put into it, by the transpose
that stands there or by another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from attncheck.checks.heads import sizes_written
from attncheck.checks.put_together import Displaced, displaced
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.operators.events import COPYING, Permutation, Reshaping
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.wording import permuted
from attncheck.values.tensor import Tensor

#: The axes of a pattern's side: groups, or names.
_AXES = re.compile(r"\([^()]*\)|\S+")


def in_order_of_cut(report: Report, view: View) -> Iterator[Candidate]:
    """The pieces put together in the order in which they were cut."""
    found = view.remembered(displaced, report.operation) or ()
    node = report.node
    if found and report.operation.spelling.startswith("einops") and isinstance(node, cst.Call):
        yield from _pattern(found, node)
    elif found and isinstance(report.operation.event, Reshaping):
        yield from _transposed(found, report, view)


def _pattern(found: tuple[Displaced, ...], node: cst.Call) -> Iterator[Candidate]:
    """A pattern with the names of its groups in another order."""
    literals = [each.value for each in node.args if isinstance(each.value, cst.SimpleString)]
    if len(literals) != 1 or "..." in literals[0].value:
        return
    left, arrow, right = literals[0].value.partition("->")
    quote = right[-1:]
    axes = _AXES.findall(right[:-1])
    for each in found:
        names = axes[each.place].strip("()").split() if each.place < len(axes) else []
        if len(names) != len(each.order):
            return
        axes[each.place] = f"({' '.join(names[place] for place in each.order)})"
    text = f"{left}{arrow} {' '.join(axes)}{quote}"
    yield edit(literals[0], text, "merge in the order in which the axis was cut")


def _transposed(found: tuple[Displaced, ...], report: Report, view: View) -> Iterator[Candidate]:
    """The axes in another order before a view: by the transpose that stands there, or one more."""
    culprit = report.culprit
    shape = None if culprit is None else view.shape(culprit.tensor)
    if culprit is None or shape is None or not shape.closed:
        return
    order = list(range(len(shape.axes)))
    for each in found:
        axes = [axis for axis in shape.axes if axis in each.axis.parts]
        places = [shape.axes.index(part) for part in each.axis.parts if part in axes]
        if len(places) != len(each.order) or len(set(places)) != len(places):
            return
        for place, right in zip(places, each.order, strict=True):
            order[place] = places[right]
    written = _order_written(culprit.tensor, view)
    if written is not None:
        permutation, arguments = written
        changes = tuple(
            Change(argument, str(permutation[place]))
            for argument, at, place in zip(arguments, range(len(order)), order, strict=True)
            if at != place
        )
        yield Candidate(changes, "put the axes into the order in which they were cut")
    text = permuted(view, culprit.node, culprit.tensor, order)
    yield edit(culprit.node, text, "put the axes into the order in which they were cut")


def _order_written(
    tensor: Tensor, view: View
) -> tuple[tuple[int, ...], list[cst.BaseExpression]] | None:
    """The order that a transpose before a view puts all axes into, and how it is written."""
    made = view.maker(tensor)
    while made is not None and made.kind in COPYING and made.source is not None:
        made = view.maker(made.source)
    if (
        made is None
        or not isinstance(made.event, Permutation)
        or not isinstance(made.node, cst.Call)
    ):
        return None
    arguments = sizes_written(made)
    written = [view.code(argument) for argument in arguments]
    order = made.event.order
    rank = len(order)
    if not all(re.fullmatch(r"-?\d+", each) for each in written):
        return None
    return (order, arguments) if tuple(int(each) % rank for each in written) == order else None
