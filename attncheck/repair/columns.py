"""Fixes of a column that met a vector: the axis of 1 taken away, or given to the other one too."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.wording import bracketed, index_with_axis, strip_column, with_axis_of_one
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor


def without_table(report: Report, view: View) -> Iterator[Candidate]:
    """The edits after which both operands meet element by element, or whole rows are gathered."""
    if report.operation.kind == "gather":
        yield from _whole_rows(report.operation, view)
        return
    culprit = report.culprit
    sizes = None if culprit is None else view.sizes(culprit.tensor)
    if culprit is None or sizes is None or report.expected is None:
        return
    places = [at for at in range(len(sizes)) if report.expected == (*sizes[:at], *sizes[at + 1 :])]
    if places and places[-1] < len(sizes) - 1:
        yield from _inside(report, culprit, places[-1], view)
        return
    for node, text, description in _column_makers(view, culprit.tensor):
        yield edit(node, text, description)
    code = bracketed(view, culprit.node)
    if culprit.tensor.library == "torch":
        yield edit(culprit.node, f"{code}.squeeze(-1)", "drop the axis of 1")
    else:
        yield edit(culprit.node, f"{code}[..., 0]", "drop the axis of 1")


def _whole_rows(gather: Operation, view: View) -> Iterator[Candidate]:
    """The index of a gather expanded over the features of what is gathered from."""
    given = {operand.name: operand for operand in gather.operands}
    source, index = given["x"], given["index"]
    rank = len(view.sizes(as_tensor(index.value)) or ())
    if source.node is not None and index.node is not None and rank:
        size = f"{bracketed(view, source.node)}.shape[-1]"
        kept = "-1, " * (rank - 1)
        text = f"{bracketed(view, index.node)}.expand({kept}{size})"
        yield edit(index.node, text, "gather all features", safe=False)


def _inside(report: Report, culprit: Culprit, axis: int, view: View) -> Iterator[Candidate]:
    """Where the axis of 1 is not the last: it is taken away, or the other one gets it as well."""
    rank = len(view.sizes(culprit.tensor) or ())
    for operand, tensor in report.operation.tensors():
        if operand.node is not None and operand.node is not culprit.node:
            text = with_axis_of_one(view, operand.node, tensor, axis, rank - 1)
            yield edit(operand.node, text, f"give `{view.code(operand.node)}` the axis of 1 too")
    code = bracketed(view, culprit.node)
    if culprit.tensor.library == "torch":
        yield edit(culprit.node, f"{code}.squeeze({axis})", "drop the axis of 1")
    else:
        yield edit(culprit.node, index_with_axis(code, axis, rank), "drop the axis of 1")


def _column_makers(view: View, tensor: Tensor) -> Iterator[tuple[cst.CSTNode, str, str]]:
    """The expressions on the way to a column that gave it its last axis, each without it."""
    waiting: list[Tensor] = [tensor]
    for _ in range(12):
        made = view.maker(waiting.pop(0)) if waiting else None
        if made is None:
            continue
        stripped = strip_column(view, made)
        if stripped is not None:
            yield stripped
        for _, operand in made.tensors():
            sizes = view.sizes(operand)
            if sizes and sizes[-1] is not None and sizes[-1].number == 1:
                waiting.append(operand)
