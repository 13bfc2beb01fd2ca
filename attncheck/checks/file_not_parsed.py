"""ATN902: a file that could not be checked, which an ok about the others must not hide."""

from __future__ import annotations

from attncheck.finding import Finding, Span
from attncheck.rule import Rule

RULE = Rule("ATN902", "file-not-parsed", "a file that could not be read as Python", fix="none")


def not_parsed(path: str, message: str, line: int = 1, column: int = 1) -> Finding:
    """The finding about a file that was not checked; lines and columns start at 1."""
    span = Span(line, column, line, column + 1)
    return Finding(RULE.code, RULE.name, RULE.severity, path, span, "", message)
