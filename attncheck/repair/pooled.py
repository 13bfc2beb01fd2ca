"""Candidate fixes for pools: a window that pools only square maps to one place, another axis."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.half_pooled import HalfPooled
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.reads import read_axis


def whole_window(pooled: HalfPooled, view: View) -> Iterator[Candidate]:
    """``x.size(2)`` as the size of a window: those of all axes of places of the same tensor."""
    node = next((each.node for each in pooled.made.operands if each.name == "kernel"), None)
    read = None if node is None else read_axis(node)
    if node is None or read is None:
        return
    rank = len(pooled.sizes)
    first = -(rank - 2) if view.code(read.index).startswith("-") else 2
    sizes = [read.of_axis(axis, view) for axis in range(first, first + rank - 2)]
    yield edit(node, f"({', '.join(sizes)})", "a window over all places", safe=False)


def channels_last(report: Report, view: View) -> Iterator[Candidate]:
    """``data_format="channels_last"`` for a pool that was told the other."""
    given = (each.node for each in report.operation.operands if each.name == "data_format")
    node = next(given, None)
    if isinstance(node, cst.SimpleString):
        text = view.code(node).replace("first", "last")
        yield edit(node, text, "pool over the steps", safe=False)
