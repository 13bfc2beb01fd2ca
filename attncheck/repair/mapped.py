"""A mapped function: other axes of its arguments to map over, another place in its result."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.wording import call_with


def other_axes(operation: Operation) -> Iterator[Candidate]:
    """Each number in ``in_axes`` as another one, that of the odd argument first."""
    node = next((each.node for each in operation.operands if each.name == "axes"), None)
    if not isinstance(node, cst.Tuple | cst.List):
        return
    odd = 0 if operation.clash is None else operation.clash.operand
    numbers = [each.value for each in node.elements if isinstance(each.value, cst.Integer)]
    for number in (*numbers[odd : odd + 1], *numbers[:odd], *numbers[odd + 1 :]):
        for axis in ("0", "1", "2"):
            if number.value != axis:
                yield edit(number, axis, f"map axis {axis}")


def other_place(report: Report, view: View) -> Iterator[Candidate]:
    """Another ``out_axes``, where the tensor to blame is what a mapped function gives."""
    made = None if report.culprit is None else view.maker(report.culprit.tensor)
    sizes = None if report.culprit is None else view.sizes(report.culprit.tensor)
    if made is None or sizes is None or made.kind != "stacked":
        return
    node = next((each.node for each in made.operands if each.name == "axis"), None)
    for axis in range(1, len(sizes)):
        words = f"put the mapped axis back at {axis}"
        if isinstance(node, cst.Integer):
            yield edit(node, str(axis), words)
        elif isinstance(node, cst.Call):
            yield edit(node, call_with(view, node, f"out_axes={axis}"), words)
