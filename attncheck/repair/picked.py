"""A place taken of another axis: ``states[:, -1]`` for ``states[-1]``, where that is what fits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import libcst as cst

from attncheck.attention import behind
from attncheck.checks.picked import picks
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, edit

_NEAR = 6


def of_other_axes(report: Report, view: View) -> Iterator[Candidate]:
    """The one place that an operand was taken from, of each other axis but that of the features."""
    culprit = report.culprit
    if culprit is None:
        return
    for made in islice(behind(view.graph, culprit.tensor), _NEAR):
        node, sizes = made.node, view.sizes(made.source)
        if made.elsewhere or sizes is None or not isinstance(node, cst.Subscript):
            continue
        if len(node.slice) != 1 or len(list(picks(made, view))) != 1:
            continue
        number = view.code(node.slice[0].slice)
        for axis in range(1, len(sizes) - 1):
            text = f"{view.code(node.value)}[{':, ' * axis}{number}]"
            yield edit(node, text, f"take it from axis {axis}", safe=False)
