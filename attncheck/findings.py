"""From diagnoses to findings: the four parts put together, each fix tried before it is offered.

A diagnosis that rests on names or on prose becomes a finding only if a candidate fix makes the
whole function consistent; what no edit explains is not said (SPEC section 2).
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.analysis import Analysis
from attncheck.blame import Told, told
from attncheck.checks.constructed import MAKING
from attncheck.checks.later_rounds import in_later_rounds
from attncheck.checks.report import Report
from attncheck.diagnosed import Diagnosed
from attncheck.finding import (
    DecidedAt,
    Edit,
    ExpectedPart,
    Finding,
    FixPart,
    Refused,
    TensorPart,
    TraceStep,
)
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Permutation
from attncheck.regression import regression
from attncheck.repair.trial import Repair, Workshop
from attncheck.settings import Settings
from attncheck.shapes import sizes_text
from attncheck.values.tensor import Tensor

#: Suspects of one function for which fixes are tried.
MOST_SUSPECTS = 3


def findings_of(analysis: Analysis, settings: Settings) -> Iterator[Finding]:
    """The findings of a file, each with its fix and asserts."""
    if not analysis.certain and not analysis.suspects:
        return
    workshop = Workshop(analysis, settings)
    convicted = _once(
        [found for group in analysis.suspects if (found := _convict(workshop, group))],
        {diagnosed.key for diagnosed in analysis.certain},
    )
    repaired = [
        (diagnosed, workshop.repair(diagnosed))
        for diagnosed in analysis.certain
        if not any(_explains(*found, diagnosed) for found in convicted)
    ]
    mended: set[tuple[str, tuple[Edit, ...]]] = set()
    for diagnosed, repair in repaired:
        if any(_goes_with(diagnosed, repair, *other) for other in repaired):
            continue
        # What one edit of an earlier line mends is one mistake, told where it shows first.
        mend = diagnosed.report.rule.code, repair.edits
        if mend not in mended:
            yield _finding(analysis, diagnosed, repair)
        line = diagnosed.view.line(diagnosed.report.node)
        if len(repair.edits) == 1 and repair.edits[0].span.line < line:
            mended.add(mend)
    for found in convicted:
        analysis.told_under(found[0].traced)
        yield _finding(analysis, *found)


def _convict(workshop: Workshop, group: list[Diagnosed]) -> tuple[Diagnosed, Repair] | None:
    """The suspect that one edit clears entirely; None if there is none, or two at two places."""
    convicted: list[tuple[Diagnosed, Repair]] = []
    for diagnosed in group[:MOST_SUSPECTS]:
        repair = workshop.repair(diagnosed, certain=False)
        if repair.candidate is not None:
            convicted.append((diagnosed, repair))
            break
    return convicted[0] if convicted else None


def _once(
    convicted: list[tuple[Diagnosed, Repair]], certain: set[tuple[str, object]]
) -> list[tuple[Diagnosed, Repair]]:
    """Each convicted suspect once, as the function itself shows it and not one of its callers."""
    told: dict[tuple[str, object], tuple[Diagnosed, Repair]] = {}
    for found in sorted(convicted, key=lambda one: len(one[0].report.operation.place.calls)):
        if found[0].key not in certain:
            told.setdefault(found[0].key, found)
    return list(told.values())


def _explains(convicted: Diagnosed, repair: Repair, other: Diagnosed) -> bool:
    """Whether another finding of the same function goes with the fix of a convicted one."""
    if repair.after is None or other.report.place != convicted.report.place:
        return False
    return other.line_key not in repair.after.keys


def _goes_with(diagnosed: Diagnosed, repair: Repair, other: Diagnosed, fix: Repair) -> bool:
    """Whether a contradiction goes with the fix of another one, which does not go with its own.

    They are of one function, or of one layer wherever that is called.
    """
    if fix.after is None or not diagnosed.is_about_sizes or not other.is_about_sizes:
        return False
    if diagnosed.report.place != other.report.place:
        return False
    function = diagnosed.traced.function
    traced = {each.function.qualified for each in fix.after.traces if each.function is not None}
    if function is not None and function.qualified not in traced:
        return False
    own, others = diagnosed.line_key, other.line_key
    if own[1] == others[1] or own in fix.after.keys:
        return False
    return repair.after is None or others in repair.after.keys


def _finding(analysis: Analysis, diagnosed: Diagnosed, repair: Repair) -> Finding:
    report, source = diagnosed.report, analysis.source
    span, place = source.span(report.node), report.place
    refused = tuple(Refused(line, reason) for line, reason in repair.refused)
    message = diagnosed.view.written(report.message)
    when = [report.hidden, in_later_rounds(report.operation, diagnosed.view)]
    message += "".join(f" ({each})" for each in when if each)
    edited = _edited_elsewhere(diagnosed, repair)
    if edited is not None:
        message += f" (line {span.line}, in `{place}`, which takes what is made here)"
        span, place = source.span(edited[0]), edited[1]
    tensor = told(diagnosed, repair)
    return Finding(
        report.rule.code,
        report.rule.name,
        diagnosed.severity,
        source.path,
        span,
        place,
        message,
        None if tensor is None else _tensor(analysis, diagnosed, tensor),
        _expected(diagnosed, tensor),
        _fix(repair),
        refused,
        regression(diagnosed, repair, tensor),
        tuple(_trace(analysis, diagnosed)),
    )


def _edited_elsewhere(diagnosed: Diagnosed, repair: Repair) -> tuple[cst.CSTNode, str] | None:
    """What is to be edited, and its function, if that is another one than the one that fails.

    What goes wrong in a function for what another one has made is told where that is made.
    """
    report, view = diagnosed.report, diagnosed.view
    changes = () if repair.candidate is None else repair.candidate.changes
    lines = {edit.span.line for edit in repair.edits}
    if report.function is not None or report.layer is not None or len(lines) != 1 or not changes:
        return None
    ways = [view.source.around(change.node) for change in changes]
    around = tuple(node for node in ways[0] if all(node in way for way in ways))
    names = [each.name.value for each in around if isinstance(each, cst.ClassDef | cst.FunctionDef)]
    inner = next((each for each in reversed(around) if isinstance(each, cst.FunctionDef)), None)
    if inner is None or inner in view.source.around(report.node) or inner.name.value in MAKING:
        return None
    return around[-1], ".".join(names)


def _fix(repair: Repair) -> FixPart | None:
    candidate = repair.candidate
    if candidate is None:
        return None
    return FixPart(
        repair.line,
        candidate.description,
        "safe" if candidate.safe else "unsafe",
        repair.edits,
    )


def _tensor(analysis: Analysis, diagnosed: Diagnosed, tensor: Told) -> TensorPart:
    decided_at, origin = _decided(analysis, diagnosed, tensor.tensor)
    return TensorPart(tensor.name, sizes_text(tensor.sizes), decided_at, origin)


def _expected(diagnosed: Diagnosed, tensor: Told | None) -> ExpectedPart | None:
    """What the tensor's shape should be: by the rule, or as the corrected code has it."""
    report = diagnosed.report
    derivation = diagnosed.view.written(report.derivation)
    if tensor is None:
        return ExpectedPart(sizes_text(report.expected), derivation) if derivation else None
    if not derivation and tensor.expected is None:
        return None
    return ExpectedPart(sizes_text(tensor.expected), tensor.derivation or derivation)


def _maker(analysis: Analysis, diagnosed: Diagnosed, tensor: Tensor) -> Operation | None:
    """The operation that made a tensor, in this trace or where its object was made."""
    for graph in (diagnosed.view.graph, *analysis.tracer.made_in):
        made = graph.maker(tensor)
        if made is not None:
            return made
    return None


def _decided(
    analysis: Analysis, diagnosed: Diagnosed, tensor: Tensor
) -> tuple[DecidedAt | None, str]:
    """Where a tensor's shape was decided, and that in words."""
    view = diagnosed.view
    made = _maker(analysis, diagnosed, tensor)
    turned = _turned_parameter(analysis, diagnosed, made)
    if turned is not None:
        operand, source = turned
        at, words = _decided(analysis, diagnosed, source)
        return at, f"`{view.code(operand.node)}` {view.text(source)} turned, {words}"
    if made is not None:
        line = view.line(made.node)
        if made.elsewhere or made.node is diagnosed.report.culprit_node:
            return DecidedAt(line, "operation"), "as computed here"
        return DecidedAt(line, "operation"), f"made by `{view.code(made.node)}`"
    decided = tensor.decided
    if decided is None:
        return None, ""
    line = decided.line or _parameter_line(diagnosed, tensor)
    return DecidedAt(line, decided.by), decided.text


def _turned_parameter(
    analysis: Analysis, diagnosed: Diagnosed, made: Operation | None
) -> tuple[Operand, Tensor] | None:
    """The parameter that an operation has only transposed: where its shape was really decided."""
    if made is None or not isinstance(made.event, Permutation):
        return None
    operand, tensor = next(made.tensors())
    is_parameter = _maker(analysis, diagnosed, tensor) is None and tensor.decided is not None
    return (operand, tensor) if is_parameter and operand.node is not None else None


def _parameter_line(diagnosed: Diagnosed, tensor: Tensor) -> int:
    for site in diagnosed.traced.sites:
        if site.value is tensor or getattr(site.value, "tensor", None) is tensor:
            return diagnosed.view.line(site.node)
    return diagnosed.view.line(diagnosed.report.node)


def _trace(analysis: Analysis, diagnosed: Diagnosed) -> Iterator[TraceStep]:
    """The operands that the finding rests on, and what is known of the sizes' names."""
    report: Report = diagnosed.report
    view = diagnosed.view
    for operand, tensor in report.operation.tensors():
        if operand.node is None:
            continue
        decided_at, _ = _decided(analysis, diagnosed, tensor)
        by = "operation" if decided_at is None else decided_at.by
        line = view.line(operand.node) if decided_at is None else decided_at.line
        yield TraceStep(line, view.code(operand.node), sizes_text(view.sizes(tensor)), by)
