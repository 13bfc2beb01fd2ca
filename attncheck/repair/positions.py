"""Candidate fixes for positions: the size of the right axis, a slice, heads moved first."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.position_axis import Misplaced, Numbered, miscounted, one_row, over_batch
from attncheck.checks.report import Report
from attncheck.checks.tables import meetings
from attncheck.checks.view import View
from attncheck.repair.asserts import names_before
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.wording import bracketed


def placed(report: Report, view: View) -> Iterator[Candidate]:
    """The edits that lay a table along time."""
    for meeting in meetings(view):
        found = miscounted(meeting, view)
        if found is not None and found.count.operation is report.operation:
            yield from _other_size(found, view)
            return
        if meeting.given:
            continue
        row = one_row(meeting, view)
        if row is not None and row[0] is report.operation and row[1] is not None:
            text = f":{view.code(row[1])}"
            yield edit(row[1], text, f"slice {text}, one row for each position", safe=False)
            return
        numbered = over_batch(meeting, view)
        if numbered is not None and numbered.count.operation is report.operation:
            yield from _second_axis(numbered, view)
            return
    yield from _turned_first(report, view)


def _other_size(found: Misplaced, view: View) -> Iterator[Candidate]:
    """The size of the axis that the table is laid along."""
    node = found.count.node
    if node is None:
        return
    number = _axis_written(node)
    if number is not None:
        yield edit(number, str(found.along), f"count over axis {found.along}", safe=False)
    operation = found.count.operation
    line = view.line(operation.node)
    for sites, _ in view.sites_in(operation.place.function):
        names = names_before(sites, view.traced, view.source, line - 1)
        text = names.write(found.size)
        if text is not None:
            yield edit(node, text, f"count up to {text}", safe=False)


def _second_axis(found: Numbered, view: View) -> Iterator[Candidate]:
    """As many rows as the sequence is long, in the second axis of the table."""
    node, count = found.count.operation.node, found.count.node
    number = None if count is None else _axis_written(count)
    if number is None or count is None or not isinstance(node, cst.Subscript):
        return
    whole, inner = view.source.span(node), view.source.span(number)
    if not whole.line == inner.line == inner.end_line == whole.end_line:
        return
    code = view.source.code(node)
    before, after = code[: inner.column - whole.column], code[inner.end_column - whole.column :]
    turn = ".swapaxes(0, 1)"
    if found.meeting.table.library == "torch":
        turn = ".transpose(0, 1)"
    text = f"{before}1{after}{turn}"
    yield edit(node, text, "a row for each position, beside the batch", safe=False)


def _axis_written(node: cst.CSTNode) -> cst.CSTNode | None:
    """The number of the axis in ``x.size(0)`` or ``x.shape[0]``."""
    if isinstance(node, cst.Call) and len(node.args) == 1:
        function = node.func
        is_size = isinstance(function, cst.Attribute) and function.attr.value == "size"
        return node.args[0].value if is_size else None
    if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Attribute):
        index = node.slice[0].slice
        is_shape = node.value.attr.value == "shape" and isinstance(index, cst.Index)
        return index.value if is_shape and isinstance(index, cst.Index) else None
    return None


def _turned_first(report: Report, view: View) -> Iterator[Candidate]:
    """The transpose that follows a call made on its argument, before the call."""
    call = report.node
    if not isinstance(call, cst.Call) or len(call.args) < 1:
        return
    for made in view.graph.operations:
        node = made.node
        function = getattr(node, "func", None)
        if not isinstance(node, cst.Call) or not isinstance(function, cst.Attribute):
            continue
        if function.value is call and made.kind in ("swap", "permute"):
            whole, inner = view.source.code(node), view.source.code(call)
            turn = whole[len(inner) :]
            argument = call.args[0].value
            turned = f"{bracketed(view, argument)}{turn}"
            text = inner.replace(view.source.code(argument), turned, 1)
            yield edit(node, text, f"use {turned}: heads first", safe=False)
            return
