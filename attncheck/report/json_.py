"""The JSON of SPEC section 5: its keys and their order are a promise to programs.

Only ASCII is written, so that no byte of a checked file reaches a terminal or a pipe unescaped.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from attncheck import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from attncheck.engine import ShapeRow
    from attncheck.finding import (
        Edit,
        ExpectedPart,
        Finding,
        ShapeText,
        Span,
        TraceStep,
    )
    from attncheck.report import Lines, Run

SCHEMA: Final = 1


def render(run: Run, lines_of: Lines) -> str:
    """The whole run as one object."""
    return _dump(
        {
            "schema": SCHEMA,
            "tool": {"name": "attncheck", "version": __version__},
            "files": [
                {"path": path, "status": status, "reason": reason}
                for path, status, reason in run.files()
            ],
            "findings": [_finding(finding) for finding in run.findings],
        }
    )


def render_shapes(rows: Iterable[ShapeRow]) -> str:
    """The rows of ``attncheck shapes`` as one object."""
    return _dump({"shapes": [_shape_row(row) for row in rows]})


def _dump(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "path": finding.path,
        **_span(finding, finding.span),
        "function": finding.function,
        "message": finding.message,
        "tensor": _tensor(finding),
        "expected": _expected(finding.expected),
        "fix": _fix(finding),
        "refused": _refused(finding),
        "regression": list(finding.regression),
        "trace": [_step(finding, step) for step in finding.trace],
    }


def _line(finding: Finding, line: int) -> dict[str, int]:
    """A line, and before it, in a notebook alone, the cell that it is counted in."""
    cell, line = finding.in_cell(line)
    return {"line": line} if cell is None else {"cell": cell, "line": line}


def _span(finding: Finding, span: Span) -> dict[str, int]:
    start = _line(finding, span.line)
    return {
        **start,
        "column": span.column,
        # counted on from the start: an edit may end at the beginning of the next cell
        "end_line": start["line"] + span.end_line - span.line,
        "end_column": span.end_column,
    }


def _tensor(finding: Finding) -> dict[str, Any] | None:
    part = finding.tensor
    if part is None:
        return None
    decided = part.decided_at
    return {
        "name": part.name,
        "shape": _shape(part.shape),
        "decided_at": None
        if decided is None
        else {**_line(finding, decided.line), "by": decided.by},
    }


def _expected(part: ExpectedPart | None) -> dict[str, Any] | None:
    if part is None:
        return None
    return {"shape": _shape(part.shape), "derivation": part.derivation}


def _fix(finding: Finding) -> dict[str, Any] | None:
    fix = finding.fix
    if fix is None:
        return None
    return {
        "line": fix.line,
        "description": fix.description,
        "applicability": fix.applicability,
        "edits": [_edit(finding, edit) for edit in fix.edits],
        "refused": _refused(finding),
    }


def _edit(finding: Finding, edit: Edit) -> dict[str, Any]:
    return {**_span(finding, edit.span), "text": edit.text}


def _refused(finding: Finding) -> list[dict[str, Any]]:
    return [{"line": refused.line, "reason": refused.reason} for refused in finding.refused]


def _step(finding: Finding, step: TraceStep) -> dict[str, Any]:
    return {
        **_line(finding, step.line),
        "expression": step.expression,
        "shape": _shape(step.shape),
        "by": step.by,
    }


def _shape_row(row: ShapeRow) -> dict[str, Any]:
    return {
        "path": row.path,
        **({} if row.cell is None else {"cell": row.cell}),
        "line": row.line,
        "column": row.column,
        "end_line": row.end_line,
        "end_column": row.end_column,
        "function": row.function,
        "name": row.name,
        "expression": row.expression,
        "shape": _shape(row.shape),
    }


def _shape(shape: ShapeText | None) -> list[int | str] | None:
    return None if shape is None else list(shape)
