"""Fixes where sequences meet each other's: a product row by row, an axis for each one's queries."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.batches import ATTENTION, DOT
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, Generator, edit
from attncheck.repair.wording import with_axis_of_one


def _row_by_row(report: Report, view: View) -> Iterator[Candidate]:
    """``np.dot(weights, values)`` as an einsum that has the batch once."""
    node = report.node
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    arguments = [view.code(each.value) for each in node.args if each.keyword is None]
    module = view.code(node.func.value)
    if len(arguments) == 1:
        arguments, module = [module, *arguments], "np"
    written = f'{module}.einsum("bt,btd->bd", {", ".join(arguments)})'
    if report.operation.spelling.startswith("keras.backend"):
        written = f"{module}.batch_dot({', '.join(arguments)}, axes=[1, 1])"
    if len(arguments) == 2:
        yield edit(node, written, "multiply the weights of each sequence with its own values")


def _own_queries(report: Report, view: View) -> Iterator[Candidate]:
    culprit = report.culprit
    if culprit is not None:
        text = with_axis_of_one(view, culprit.node, culprit.tensor, 1, 2)
        yield edit(culprit.node, text, "give each sequence its one query", safe=False)


#: By the operator.
BATCHES: dict[str, Generator] = {DOT: _row_by_row, ATTENTION: _own_queries}
