"""The coverage of the steps before in the place of one that has the step itself in it."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.covered_twice import counts_itself
from attncheck.checks.report import Report
from attncheck.checks.states import names_of
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, Change


def coverage_before(report: Report, view: View) -> Iterator[Candidate]:
    """The names that hold what the weights of the step were added to."""
    found = view.remembered(counts_itself, report.operation)
    node = None if found is None else found.operand.node
    if found is None or node is None:
        return
    for name in sorted(names_of(view, report.place, found.before)):
        words = f"take the coverage of the steps before, `{name}`"
        yield Candidate((Change(node, name),), words, safe=False, same_size=True)
