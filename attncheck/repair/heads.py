"""Candidate fixes for a split into heads that does not add up.

One of the two sizes is written anew, in a name that has the size which is left; or the layer that
made the input is made as wide as the heads together.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.quotients import cancel_quotients
from attncheck.algebra.size import Size
from attncheck.checks.heads import head_split, sizes_written
from attncheck.checks.inputs import maker_layer
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.repair.asserts import names_before
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.layers import resized
from attncheck.tracer.machine import ShapeSite
from attncheck.values.value import Instance, as_size


def other_split(report: Report, view: View) -> Iterator[Candidate]:
    """Another size in the reshape, by name or left to be inferred; or another width before it."""
    split = head_split(report.operation, view)
    written = sizes_written(report.operation)
    if split is None or not written:
        return
    together = split.heads * split.each
    if split.is_merge:
        wanted = [(written[-1], together)]
    else:
        wanted = [
            (written[-1], split.width // split.heads),
            (written[-2], split.width // split.each),
        ]
    for node, size in wanted:
        text = size_text(report, view, size)
        if text is not None and text != view.code(node):
            yield edit(node, text, f"use {text}", safe=False)
    culprit = report.culprit
    made = None if culprit is None else maker_layer(view, culprit.tensor)
    if made is not None and made.is_making and not split.is_merge:
        yield from resized(view, made, together, None)
    if all(view.code(node) != "-1" for node in written):
        for node, _ in wanted:
            yield edit(node, "-1", "let this size follow from the others", safe=False)


def size_text(report: Report, view: View, size: Size) -> str | None:
    """How the function of the reshape writes a size, by a name or as a product of names."""
    wanted = cancel_quotients(size)
    if wanted.number is not None:
        return None
    line = view.line(report.operation.node)
    function = report.operation.place.function
    for sites in (*(sites for sites, _ in view.sites_in(function)), _own_object(view, function)):
        # What a later line needs to be equal is not equal here: as written goes before as found.
        text = _held(view, sites, wanted, line)
        if text is None:
            names = names_before(sites, view.traced, view.source, line)
            text = names.write(view.facts.resolve(wanted))
        if text is not None:
            return text
    return None


def _own_object(view: View, function: str) -> list[ShapeSite]:
    """The object that a method is called on by another one of it: ``self`` in both."""
    caller = view.traced.function
    if caller is None or caller.qualified.rpartition(".")[0] != function.rpartition(".")[0]:
        return []
    return [site for site in view.traced.sites if isinstance(site.value, Instance)]


def _held(view: View, sites: list[ShapeSite], size: Size, line: int) -> str | None:
    """The name, or the attribute, that holds this very size before a line."""
    for site in sites:
        if view.line(site.node) >= line or not site.name.isidentifier() or site.name == "return":
            continue
        if as_size(site.value) == size:
            return site.name
        if isinstance(site.value, Instance):
            for name, value in site.value.attributes.items():
                if as_size(value) == size:
                    return f"{site.name}.{name}"
    return None
