"""The four parts of a finding in words: what every format says, however it looks there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attncheck.finding import line_text
from attncheck.report import place_in_cell, printable, shape_text

if TYPE_CHECKING:
    from attncheck.finding import ExpectedPart, Finding, FixPart, TensorPart


def parts(finding: Finding) -> Iterator[tuple[str, str, str]]:
    """What is said below the message: a label, a text, and the style that suits it."""
    if finding.tensor is not None:
        yield "tensor", _tensor(finding, finding.tensor), ""
    if finding.expected is not None:
        yield "should", _expected(finding.expected), ""
    if finding.fix is not None:
        yield "fix", _fix(finding, finding.fix), "fix"
    elif finding.tensor is not None:
        yield "fix", "no one-line change was found that holds when traced", ""
    for line in finding.regression:
        yield "assert", line, "fix"
    if finding.trace:
        steps = (f"{step.expression} {shape_text(step.shape)}" for step in finding.trace)
        yield "trace", " · ".join(steps), ""
    for each in finding.refused:
        yield "refused", f"{each.line}  ({each.reason})", "dim"


def paragraph(finding: Finding) -> str:
    """The message and the parts, a line each, as a program shows them to a person.

    A program that shows files knows no cells, so those of a notebook are named here.
    """
    lines = [place_in_cell(finding) + printable(finding.message)]
    for label, text, _ in parts(finding):
        lines += [printable(f"{label}: {line}") for line in text.splitlines()]
    return "\n".join(lines)


def _tensor(finding: Finding, part: TensorPart) -> str:
    text = f"{part.name}: {shape_text(part.shape)}"
    if part.origin:
        text += f"  {part.origin}"
    decided = part.decided_at
    if decided is not None:
        text += f"{', ' if part.origin else '  '}{line_text(finding.cells, decided.line)}"
    return text


def _expected(part: ExpectedPart) -> str:
    if part.shape is None:
        return part.derivation
    shape = shape_text(part.shape)
    if part.derivation.startswith(shape):
        return part.derivation
    return f"{shape} {part.derivation}".rstrip()


def _fix(finding: Finding, part: FixPart) -> str:
    """The corrected line, with its number if it is not the line of the finding."""
    text = part.line or part.description
    if part.edits and part.edits[0].span.line != finding.line:
        text = f"{line_text(finding.cells, part.edits[0].span.line)}: {text}"
    if part.applicability == "safe":
        return text
    return f"{text}  ({part.applicability}: {part.description})"
