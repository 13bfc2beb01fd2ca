"""One file, from bytes to findings: the only place that knows the order.

bytes -> guarded tree -> traces -> diagnoses -> fixes and asserts -> suppressions -> findings.
Nothing a file contains makes `check_source` raise: what cannot be read or parsed is a failed file
with one finding that says why.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from attncheck.finding import Cell, Finding, ShapeText, Span, in_cell
from attncheck.record import record
from attncheck.source import (
    NotChecked,
    Source,
    SourceError,
    check_syntax,
    load,
    mentions_tensors,
    parse,
    read,
)

if TYPE_CHECKING:
    from attncheck.analysis import Analysis
    from attncheck.settings import Settings

Status: TypeAlias = Literal["checked", "skipped", "failed"]


@record
class Coverage:
    """How much was traced: functions, tensor values, those of known shape, calls not modelled."""

    functions: int = 0
    values: int = 0
    known: int = 0
    unmodelled: tuple[tuple[str, int], ...] = ()


@record
class FileResult:
    """What checking one file gave; ``reason`` says why it was skipped or failed.

    ``followed`` are the other files of its project that were read on the way, ``missed`` those
    that imports would have led to, had they been there (absolute), both sorted: what is said here
    holds as long as each of them stays as it is.
    """

    path: str
    status: Status
    reason: str | None
    findings: tuple[Finding, ...]
    coverage: Coverage
    followed: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()


@record
class ShapeRow:
    """One traced shape: of an assignment target, a parameter or a returned expression.

    In a notebook the lines are those of the cell.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    function: str
    name: str
    expression: str
    shape: ShapeText | None
    #: what a person is shown where not every axis is known; None for what is no tensor
    otherwise: str | None = "?"
    cell: int | None = None


def check_source(data: bytes, path: str, settings: Settings, *, named: bool = True) -> FileResult:
    """Check one file. Never raises for what the file contains.

    Of the files of a folder those without tensor code are not parsed. One that the user has `named`
    is not traced either, but has to be Python all the same.
    """
    try:
        said = read(data, path)
        if not mentions_tensors(data):
            if named:
                check_syntax(said)
            return skipped(path, "no tensor code")
        source = parse(said)
    except NotChecked as nothing:
        return skipped(path, nothing.reason)
    except SourceError as error:
        return failed(path, error, settings)
    from attncheck.analysis import analyse

    try:
        analysis = analyse(source, settings)
        findings = tuple(_findings(analysis, settings))
    except SourceError as error:
        return failed(path, error, settings)
    followed = as_given(analysis.tracer.followed, path)
    missed = tuple(sorted(analysis.tracer.missed))
    return FileResult(path, "checked", None, findings, coverage(analysis), followed, missed)


def as_given(followed: Iterable[str], path: str) -> tuple[str, ...]:
    """Paths in the form of the checked file's own: from the working folder if that is."""
    if os.path.isabs(path):
        return tuple(sorted(followed))
    return tuple(sorted(map(os.path.relpath, followed)))


def skipped(path: str, reason: str) -> FileResult:
    """The result for a file that is in order and has nothing to check."""
    return FileResult(path, "skipped", reason, (), Coverage())


def _findings(analysis: Analysis, settings: Settings) -> list[Finding]:
    """The findings that the settings and the file's own comments let through, in order."""
    source = analysis.source
    enabled = settings.enabled(source.path)
    found: list[Finding] = []
    if analysis.certain or analysis.suspects:
        from attncheck.findings import findings_of

        found = [finding for finding in findings_of(analysis, settings) if finding.code in enabled]
    if "attncheck:" in source.text:
        from attncheck.suppress import apply

        kept, unused = apply(found, source, source.path, enabled)
        found = [*kept, *unused]
    found = [_weighed(finding, settings) for finding in found]
    if source.cells:
        found = [replace(finding, cells=source.cells) for finding in found]
    return sorted(found, key=_order)


def _weighed(finding: Finding, settings: Settings) -> Finding:
    """A finding with the severity that the user has given its rule."""
    severity = settings.severity(finding.code)
    return finding if severity is None else replace(finding, severity=severity)


def _order(finding: Finding) -> tuple[Span, str]:
    return finding.span, finding.code


def failed(path: str, error: SourceError, settings: Settings) -> FileResult:
    """The result for a file that cannot be read or parsed: one finding that says why."""
    from attncheck.checks.file_not_parsed import RULE

    finding = Finding(
        RULE.code,
        RULE.name,
        "error",
        path,
        Span(error.line, error.column, error.line, error.column + 1),
        "",
        error.message,
        cells=error.cells,
    )
    on = settings.enables(RULE, path)
    return FileResult(path, "failed", error.message, (finding,) if on else (), Coverage())


def trace_shapes(data: bytes, path: str, settings: Settings) -> list[ShapeRow]:
    """The shapes of every assignment target, parameter and returned expression of a file.

    Raises SourceError for a file that cannot be read or parsed, NotChecked for a notebook without
    Python.
    """
    source = load(data, path)
    from attncheck.analysis import traces_to_show
    from attncheck.shapes import use_table_names

    rows: dict[tuple[Span, str], ShapeRow] = {}
    for traced in traces_to_show(source, settings):
        use_table_names(traced)
        for site in traced.sites:
            row = _row(source, traced, site)
            known = rows.get((Span(row.line, row.column, row.end_line, row.end_column), row.name))
            key = (Span(row.line, row.column, row.end_line, row.end_column), row.name)
            rows[key] = row if known is None else _same(known, row)
    ordered = sorted(rows.values(), key=lambda row: (row.line, row.column))
    return [_in_cell(row, source.cells) for row in ordered] if source.cells else ordered


def _in_cell(row: ShapeRow, cells: tuple[Cell, ...]) -> ShapeRow:
    cell, line = in_cell(cells, row.line)
    return replace(row, cell=cell, line=line, end_line=line + row.end_line - row.line)


def _row(source: Source, traced: object, site: object) -> ShapeRow:
    from attncheck.shapes import otherwise, shape_text
    from attncheck.tracer.machine import ShapeSite
    from attncheck.tracer.trace import Traced

    assert isinstance(site, ShapeSite) and isinstance(traced, Traced)
    span = source.span(site.node)
    expression = source.code(site.node) if site.name == "return" else site.name
    return ShapeRow(
        source.path,
        span.line,
        span.column,
        span.end_line,
        span.end_column,
        site.function,
        site.name,
        expression,
        shape_text(site.value, traced.facts),
        otherwise(site.value, traced.facts, site.name),
    )


def _same(left: ShapeRow, right: ShapeRow) -> ShapeRow:
    """One row for a place that ran more than once: what both runs agree on."""
    if left.shape == right.shape:
        same = left.otherwise == right.otherwise
        return right if same else replace(right, otherwise="?")
    if left.shape is None or right.shape is None or len(left.shape) != len(right.shape):
        return replace(right, shape=None, otherwise="?")
    agreed = tuple(a if a == b else "?" for a, b in zip(left.shape, right.shape, strict=True))
    return replace(right, shape=agreed)


def coverage(analysis: Analysis) -> Coverage:
    """How much of a file's tensor values has a known shape."""
    from attncheck.shapes import count_known

    values = known = 0
    unmodelled: Counter[str] = Counter()
    for traced in analysis.shown:
        all_, sure = count_known(traced)
        values, known = values + all_, known + sure
        unmodelled.update(traced.unmodelled)
    calls = tuple(sorted(unmodelled.items(), key=lambda item: (-item[1], item[0])))
    return Coverage(len(analysis.general), values, known, calls)
