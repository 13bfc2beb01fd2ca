"""A layer made for the other layout: batch first instead of time first, or the reverse."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operand
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.wording import call_with
from attncheck.values.value import TRUE


def other_layout(report: Report, view: View) -> Iterator[Candidate]:
    """The constructor with ``batch_first`` turned, or added."""
    if not isinstance(report.layer, cst.Call):
        return
    given = next((each for each in report.operation.operands if each.name == "batch_first"), None)
    if given is None:
        text = call_with(view, report.layer, "batch_first=True")
        yield edit(report.layer, text, "batch_first=True", safe=False)
    elif given.node is not None:
        yield _turned(given, given.node)


def _turned(given: Operand, node: cst.CSTNode) -> Candidate:
    first = given.value != TRUE
    words = f"batch_first={first}"
    return edit(node, str(first), words, safe=False)
