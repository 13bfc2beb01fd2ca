"""The code quality report of GitLab, which is a part of Code Climate's format.

(see https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format)
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from attncheck.fingerprint import fingerprints, posix
from attncheck.report import file_span, place_in_cell, printable
from attncheck.report.parts import paragraph

if TYPE_CHECKING:
    from attncheck.finding import Finding
    from attncheck.report import Lines, Run

_SEVERITIES: Final = {"error": "major", "warning": "minor", "note": "info"}


def render(run: Run, lines_of: Lines) -> str:
    """One list, with an object for each finding."""
    findings = list(run.findings)
    prints = fingerprints(findings, lines_of)
    issues = [_issue(*each) for each in zip(findings, prints, strict=True)]
    return json.dumps(issues, indent=2) + "\n"


def _issue(finding: Finding, fingerprint: str) -> dict[str, Any]:
    span = file_span(finding)
    return {
        "description": place_in_cell(finding) + printable(finding.message),
        "check_name": finding.name,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": posix(finding.path),
            "lines": {"begin": span.line, "end": span.end_line},
        },
        "content": {"body": paragraph(finding)},
    }
