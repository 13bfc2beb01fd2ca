"""One line a finding, in the form that editors and grep understand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncheck.report import place_text, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from attncheck.finding import Finding
    from attncheck.report import Lines, Run
    from attncheck.report.text import Line


def render(run: Run, lines_of: Lines, width: int | None = None) -> Iterator[Line]:
    """The findings, without the closing line."""
    for finding in run.findings:
        yield ((headline(finding), ""),)


def headline(finding: Finding) -> str:
    """Where, which rule, what; a severity is named where it is not an error."""
    mark = "" if finding.severity == "error" else f" [{finding.severity}]"
    place = place_text(finding)
    return printable(f"{place}: {finding.code} {finding.name}: {finding.message}{mark}")
