"""Fixes where sequences meet each other's: a product row by row, an axis for each one's queries."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.batches import ATTENTION, DOTS
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, Generator, edit
from attncheck.repair.wording import functions_for, with_axis_of_one


def _row_by_row(report: Report, view: View) -> Iterator[Candidate]:
    """``np.dot(weights, values)`` as an einsum that has the batch once."""
    operands = list(report.operation.tensors())
    nodes = [operand.node for operand, _ in operands if operand.node is not None]
    if len(nodes) != 2:
        return
    arguments = ", ".join(view.code(node) for node in nodes)
    written = f'{_module(report, view)}.einsum("bt,btd->bd", {arguments})'
    if report.operation.spelling.startswith("keras.backend"):
        written = f"{_module(report, view)}.batch_dot({arguments}, axes=[1, 1])"
    yield edit(report.node, written, "multiply the weights of each sequence with its own values")


def _module(report: Report, view: View) -> str:
    """The module whose function multiplies, or that of the operands' library."""
    node, library = report.node, next(report.operation.tensors())[1].library
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        module = view.code(node.func.value)
        operands = {operand.node for operand, _ in report.operation.tensors()}
        if node.func.value not in operands:
            return module
    return "torch" if library == "torch" else functions_for(view, library)


def _own_queries(report: Report, view: View) -> Iterator[Candidate]:
    culprit = report.culprit
    if culprit is not None:
        text = with_axis_of_one(view, culprit.node, culprit.tensor, 1, 2)
        yield edit(culprit.node, text, "give each sequence its one query", safe=False)


#: By the operator.
BATCHES: dict[str, Generator] = {**dict.fromkeys(DOTS, _row_by_row), ATTENTION: _own_queries}
