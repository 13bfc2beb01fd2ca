"""Candidate fixes for what does not fit into the part of a tensor that it is written to."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.checks.written import by_parity
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.wording import bracketed


def cut_to_part(report: Report, view: View) -> Iterator[Candidate]:
    """The last column left out where there is one too many for an odd width."""
    clash, culprit = report.operation.clash, report.culprit
    sizes = None if culprit is None else view.sizes(culprit.tensor)
    odd = None if clash is None else by_parity(clash.left, clash.right)
    if clash is None or culprit is None or not sizes or odd is None:
        return
    names = {
        site.name
        for sites, _ in view.sites_in(report.place)
        for site in sites
        if view.line(site.node) < view.line(report.node)
    }
    if odd[0].name in names and sizes[-1] is not None:
        text = str(clash.left).replace("//", " // ")
        places = ", ".join([*[":"] * (len(sizes) - 1), f": {text}"])
        cut = f"{bracketed(view, culprit.node)}[{places}]"
        yield edit(culprit.node, cut, f"leave out what is beyond {text}", safe=False)
