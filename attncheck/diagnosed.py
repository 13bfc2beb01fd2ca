"""Diagnoses with the trace that each was found in, and what to tell where traces tell several.

A function is traced on unknown arguments and, by the module's own calls, on known ones. Where both
fail at one place that is one mistake, told in the symbols of the function; where only a call fails,
the call is to blame if the function fits by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from attncheck.checks import layer_features
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.finding import Severity
from attncheck.tracer.trace import Traced
from attncheck.values.tensor import Evidence


@dataclass(slots=True)
class Diagnosed:
    """One report with the trace that it was found in, and how strong it is."""

    report: Report
    traced: Traced
    view: View
    severity: Severity
    evidence: Evidence

    @property
    def key(self) -> tuple[str, object]:
        """The rule and the place: the same finding from two traces has one key."""
        return self.report.rule.code, self.report.node

    @property
    def line_key(self) -> tuple[str, int]:
        """The rule and the line: what is left of the key in a file that was changed elsewhere."""
        return self.report.rule.code, self.view.line(self.report.node)

    @property
    def is_about_sizes(self) -> bool:
        """Whether it is of the rules about sizes that do not fit: 1xx and 2xx."""
        return self.report.rule.code[3] in "12"


def settled(found: list[Diagnosed], views: list[View]) -> list[Diagnosed]:
    """The diagnoses that are told; `views` are those of the functions' general traces."""
    told = [each for each in found if not _is_told_in_symbols(each, found)]
    for each in told:
        if _is_callers(each, views):
            each.report = layer_features.blame_caller(each.report, each.view)
    return _without_idle_notes(told)


def _is_told_in_symbols(diagnosed: Diagnosed, found: list[Diagnosed]) -> bool:
    """Whether the trace of a function tells what a call shows of its sizes at the same place."""
    if diagnosed.traced.function is not None or not diagnosed.is_about_sizes:
        return False
    node = diagnosed.report.operation.node
    return any(
        other.report.operation.node is node
        and other.traced.function is not None
        and other.severity == diagnosed.severity
        and other.is_about_sizes
        for other in found
    )


def _is_callers(diagnosed: Diagnosed, views: list[View]) -> bool:
    """Whether a layer fails in the module's own calls only, and fits wherever it is traced."""
    operation = diagnosed.report.operation
    if diagnosed.report.rule is not layer_features.RULE or diagnosed.traced.function is not None:
        return False
    if layer_features.is_made_inside(diagnosed.report, diagnosed.view):
        return False
    general = [
        (other, view)
        for view in views
        for other in view.graph.operations
        if other.node is operation.node
    ]
    return bool(operation.place.calls and general) and all(
        layer_features.fits_in_general(other, view, diagnosed.report) for other, view in general
    )


def _without_idle_notes(reports: list[Diagnosed]) -> list[Diagnosed]:
    """The reports without the notes about an operation that an error or warning is about."""
    serious = {
        node
        for each in reports
        if each.severity != "note"
        for node in (each.report.node, each.report.operation.node)
    }
    return [
        each
        for each in reports
        if each.severity != "note"
        or serious.isdisjoint((each.report.node, each.report.operation.node))
    ]
