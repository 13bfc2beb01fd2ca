"""Norms of queries and keys over the axis that their product sums over."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.normed_apart import NormedApart, norms_apart
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, Change
from attncheck.repair.wording import call_with


def norms_of_features(report: Report, view: View) -> Iterator[Candidate]:
    """``F.normalize(q, dim=-1)`` for ``F.normalize(q)``, all of one statement together."""
    found = view.remembered(norms_apart, report.operation) or ()
    changes = [_change(each, view) for each in found]
    written = tuple(change for change in changes if change is not None)
    if found and len(written) == len(changes):
        yield Candidate(written, f"norms over axis {found[0].wanted}")


def _change(apart: NormedApart, view: View) -> Change | None:
    told, argument = apart.norm.told, apart.norm.argument
    shape = view.shape(apart.norm.vectors)
    last = shape is not None and shape.closed and apart.wanted == len(shape.axes) - 1
    axis = "-1" if last else str(apart.wanted)
    if argument is not None and argument.node is not None:
        return Change(argument.node, axis)
    if not isinstance(told.node, cst.Call):
        return None
    word = "dim" if told.spelling.startswith("torch") else "axis"
    return Change(told.node, call_with(view, told.node, f"{word}={axis}"))
