"""Diagnoses with the trace that each was found in, and what to tell where traces tell several.

A function is traced on unknown arguments and, by the module's own calls, on known ones. Where both
fail at one place that is one mistake, told in the symbols of the function; where only a call fails,
the call is to blame if the function fits by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from attncheck.checks import contraction_axis, layer_features, softmax_axis
from attncheck.checks.given_masks import given_otherwise
from attncheck.checks.passed import blame_giver
from attncheck.checks.report import Report
from attncheck.checks.run import is_about_shapes
from attncheck.checks.view import View
from attncheck.finding import Severity
from attncheck.graph import Graph
from attncheck.operators.events import Selection
from attncheck.tracer.trace import Traced
from attncheck.values.tensor import UNKNOWN_TENSOR, Evidence, Tensor

if TYPE_CHECKING:
    import libcst as cst

#: Rules that hold a softmax and a sum of its weights against each other.
_ABOUT_SUMS = (contraction_axis.RULE, softmax_axis.RULE)


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
    """The diagnoses that are told; `views` are those of the module and of the general traces."""
    broken = {
        each.report.operation.node
        for each in found
        if each.report.rule not in _ABOUT_SUMS and _never_works(each)
    }
    told = [
        each
        for each in found
        if not _is_told_in_symbols(each, found)
        and not _rests_on_sum(each, broken)
        and not given_otherwise(each.report, views)
    ]
    for each in told:
        if _is_callers(each, views):
            each.report = layer_features.blame_caller(each.report, each.view)
        elif each.is_about_sizes:
            each.report = blame_giver(each.report, each.view) or each.report
    return _without_idle_notes(told)


def spoiled(found: list[Diagnosed]) -> set[object]:
    """The expressions in which what is found is told already: they read axes too many.

    An operation that gives too many axes is told itself, also where it reads another one's.
    """
    telling = [each for each in found if each.report.spoils]
    own = {each.report.operation.node for each in telling}
    behind: set[object] = {
        later.node for each in telling for later in each.view.graph.derived(each.report.operation)
    }
    return behind - own


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


def _never_works(diagnosed: Diagnosed) -> bool:
    """Whether an expression cannot work in a trace, not in any run of a loop either."""
    node = diagnosed.report.operation.node
    runs = [each for each in diagnosed.view.graph.operations if each.node is node]
    return all(each.clash is not None for each in runs)


def _rests_on_sum(diagnosed: Diagnosed, broken: set[cst.CSTNode]) -> bool:
    """Whether a softmax and a sum of its weights are held against each other in vain.

    The sum is told to be one that cannot work; in a trace that does not show it sizes coincide.
    """
    operation, site = diagnosed.report.operation, None
    if diagnosed.report.rule is softmax_axis.RULE:
        site = diagnosed.view.site_of(operation.number)
    elif diagnosed.report.rule is contraction_axis.RULE and operation.clash is None:
        return operation.node in broken
    return site is not None and any(each.operation.node in broken for each in site.sums)


def _is_callers(diagnosed: Diagnosed, views: list[View]) -> bool:
    """Whether a layer fails for a caller only, and fits where its function is traced by itself.

    A caller that nothing but a function shows has to have what is wanted on another axis: else the
    size that the layer was made for may as well be the wrong one.
    """
    operation = diagnosed.report.operation
    if diagnosed.report.rule is not layer_features.RULE:
        return False
    seen = diagnosed.traced.function is None
    if not seen and not layer_features.is_turned(diagnosed.report, diagnosed.view):
        return False
    if layer_features.is_made_inside(diagnosed.report, diagnosed.view):
        return False
    general = [
        (other, view)
        for view in views
        for other in view.graph.operations
        if other.node is operation.node and not other.place.calls
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


def is_plain(diagnosed: Diagnosed) -> bool:
    """Whether a report is about shapes, and rests on no prose; masks may be left out.

    Where all that may be None is given, it rests on no names either: what prose and names say of
    such an argument is what callers give first, and not always what comes here.
    """
    if not is_about_shapes(diagnosed.report.rule):
        return False
    terms = diagnosed.traced.terms
    named = terms.conventional and not terms.optional and diagnosed.evidence is Evidence.NAME
    return diagnosed.evidence < Evidence.PROSE or (named and not about_rank(diagnosed))


def is_about_steps(diagnosed: Diagnosed) -> bool:
    """Whether a report is about the order of statements, whatever shapes anything has."""
    return diagnosed.report.rule.code.startswith("ATN4")


def about_rank(diagnosed: Diagnosed) -> bool:
    """Whether a report is about numbers of axes and not about two sizes."""
    clash = diagnosed.report.operation.clash
    return clash is not None and clash.left is None


def about_sizes(diagnosed: Diagnosed) -> bool:
    """Whether a report is about more than the rank of a parameter, or of what is cut out of it.

    Where the code shows that a parameter has another rank, its name has misled, not the code.
    """
    operation = diagnosed.report.operation
    if operation.clash is None or not about_rank(diagnosed):
        return True
    tensors = [tensor for _, tensor in operation.tensors()]
    return bool(tensors) and all(
        _is_computed(diagnosed.view.graph, tensor) or tensor.evidence < Evidence.NAME
        for tensor in tensors[operation.clash.operand : operation.clash.operand + 1]
    )


def _is_computed(graph: Graph, tensor: Tensor) -> bool:
    """Whether a tensor is the result of more than indexing an argument."""
    made = graph.maker(tensor)
    while made is not None and isinstance(made.event, Selection):
        tensor = next((cut for _, cut in made.tensors()), UNKNOWN_TENSOR)
        made = graph.maker(tensor)
    return made is not None
