"""What a masked mean divides by, counted for each sequence of a batch."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.pooled_means import whole_count
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.wording import call_with

#: (batch, positions, 1) or (batch, positions, features).
_WITH_FEATURES = 3


def count_of_each(report: Report, view: View) -> Iterator[Candidate]:
    """``mask.sum(dim=1, keepdim=True)`` in the place of ``mask.sum()``."""
    found = view.remembered(whole_count, report.operation)
    sizes = None if found is None else view.sizes(found.mask)
    if found is None or sizes is None or not isinstance(report.node, cst.Call):
        return
    torch = found.counted.spelling.startswith("torch.")
    axis = "dim=1, keepdim=True" if torch else "axis=1, keepdims=True"
    # A mask with an axis for the features has that left when the positions are summed.
    given = axis if len(sizes) < _WITH_FEATURES else axis.partition(",")[0]
    yield edit(report.node, call_with(view, report.node, given), "count each sequence", safe=False)
