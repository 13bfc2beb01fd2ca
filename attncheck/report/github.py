"""Workflow commands of GitHub Actions: each finding becomes an annotation beside its line.

(see https://docs.github.com/actions/reference/workflow-commands-for-github-actions)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attncheck.fingerprint import posix
from attncheck.report import file_span, printable
from attncheck.report.parts import paragraph

if TYPE_CHECKING:
    from attncheck.finding import Finding
    from attncheck.report import Lines, Run

_COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}


def render(run: Run, lines_of: Lines) -> str:
    """One command a line."""
    lines = [_annotation(finding) for finding in run.findings]
    for path, problem in run.problems:
        lines.append(_command("error", {"title": "attncheck"}, printable(f"{path}: {problem}")))
    return "".join(f"{line}\n" for line in lines)


def _annotation(finding: Finding) -> str:
    span = file_span(finding)
    properties: dict[str, object] = {
        "title": f"attncheck: {finding.name} ({finding.code})",
        "file": printable(posix(finding.path)),
        "line": span.line,
        "endLine": span.end_line,
    }
    if span.line == span.end_line:  # columns of several lines are refused
        properties |= {"col": span.column, "endColumn": span.end_column}
    return _command(_COMMANDS[finding.severity], properties, paragraph(finding))


def _command(name: str, properties: dict[str, object], message: str) -> str:
    given = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{name} {given}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
