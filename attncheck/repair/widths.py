"""Candidate fixes for a padding that cuts more than there is: its count read from the padded axis.

``heads - bias.shape[1]`` more heads, where ``bias`` has its heads on axis 0: what is put on an axis
is what that axis lacks, not what another one does.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.reads import Read, read_axis
from attncheck.repair.recomputed import last_assigned
from attncheck.tree.pairs import parts


def of_padded_axis(report: Report, view: View) -> Iterator[Candidate]:
    """The size of the padded axis in the place of that of another axis of the same tensor."""
    culprit = report.culprit
    sizes = None if culprit is None else view.sizes(culprit.tensor)
    widths = [each.node for each in report.operation.operands if each.name == "widths"]
    if report.operation.kind != "pad" or culprit is None or sizes is None or not widths:
        return
    for place, element in enumerate(getattr(widths[0], "elements", ())):
        axis = len(sizes) - 1 - place // 2
        for read in _reads(element.value, view):
            number = view.code(read.index)
            if view.code(read.subject) != view.code(culprit.node) or not _is_number(number):
                continue
            if int(number) % len(sizes) != axis:
                text = str(axis - len(sizes) if number.startswith("-") else axis)
                yield edit(read.index, text, f"the size of axis {text}, which is padded")


def _reads(node: cst.CSTNode, view: View) -> Iterator[Read]:
    """The sizes of axes that an expression reads, or what names in it were assigned."""
    for part in parts(node):
        for own in parts(last_assigned(part, view) or part):
            read = read_axis(own)
            if read is not None:
                yield read


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdigit()
