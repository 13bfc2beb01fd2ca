"""Candidate fixes for an index that is longer than what it gathers from: its size read from that.

``last.expand(-1, 1, embedded.size(2))`` gathers states by an index as wide as the embedding.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.reads import read_axis
from attncheck.tree.pairs import parts


def of_gathered(report: Report, view: View) -> Iterator[Candidate]:
    """What is gathered from, in the place of another tensor whose size the index was made with."""
    culprit, source = report.culprit, next(report.operation.tensors(), None)
    made = None if culprit is None else view.maker(culprit.tensor)
    if report.operation.kind != "gather" or made is None or source is None:
        return
    name = source[0].node
    if not isinstance(name, cst.Name) or made.place.function != report.operation.place.function:
        return
    line = view.line(made.node)
    before = {
        site.name
        for sites, _ in view.sites_in(made.place.function)
        for site in sites
        if view.line(site.node) < line
    }
    if name.value not in before:
        return
    for part in parts(made.node):
        read = read_axis(part)
        subject = None if read is None else read.subject
        if isinstance(subject, cst.Name) and subject.value != name.value:
            yield edit(subject, name.value, f"the size of {name.value}", safe=False)
