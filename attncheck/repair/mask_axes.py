"""An axis of 1 that stands where the keys are, moved to where the queries are."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.wording import bracketed


def move_axis(report: Report, view: View) -> Iterator[Candidate]:
    """``unsqueeze(3)`` as ``unsqueeze(2)``, ``mask[:, :, None]`` as ``mask[:, None, :]``.

    The report's axis is where the queries are, counted from the end.
    """
    node, queries = report.node, report.axis
    if queries is None or report.culprit is None:
        return
    sizes = view.sizes(report.culprit.tensor)
    description = "put the axis of 1 where the queries are"
    if isinstance(node, cst.Subscript):
        text = _indexed(view, node, queries)
        if text is not None:
            yield edit(node, text, description, safe=False)
    elif isinstance(node, cst.Call) and node.args:
        argument = node.args[-1].value
        negative = isinstance(argument, cst.UnaryOperation)
        if negative or sizes is not None:
            axis = queries if negative or sizes is None else len(sizes) + queries
            yield edit(argument, str(axis), description, safe=False)


def _indexed(view: View, node: cst.Subscript, queries: int) -> str | None:
    """An index whose last ``None`` stands where the queries are instead."""
    items = [view.code(element.slice) for element in node.slice]
    if items[-1:] != ["None"] and items[-1:] != ["np.newaxis"]:
        return None
    new = items.pop()
    while len(items) < -queries - 1 or items[queries + 1] == "...":
        if "..." not in items:
            return None
        items.insert(items.index("...") + 1, ":")
    items.insert(len(items) + queries + 1, new)
    return f"{bracketed(view, node.value)}[{', '.join(items)}]"
