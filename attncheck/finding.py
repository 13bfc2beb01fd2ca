"""A finding: the four parts that a report shows, as data (SPEC section 5).

Lines and columns start at 1; columns count code points; an end is exclusive. Sizes are integers or
expressions over identifiers as strings, `"?"` where unknown; a shape that is not known is None.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from attncheck.record import record

ShapeText: TypeAlias = tuple[int | str, ...]
Severity: TypeAlias = Literal["error", "warning", "note"]
Applicability: TypeAlias = Literal["safe", "unsafe", "display"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of source text."""

    line: int
    column: int
    end_line: int
    end_column: int


@record
class Cell:
    """A notebook's cell: its number, from 1, and the line of the joined module it starts at."""

    number: int
    start: int


@record
class DecidedAt:
    """Where a shape was decided, and by what: ``role``, ``code``, ``annotation`` ..."""

    line: int
    by: str


@record
class TensorPart:
    """Part 1: the tensor that is wrong, as the user wrote it; ``origin`` says in words why.

    A line is only in ``decided_at``, never in the words: in a notebook it has another number.
    """

    name: str
    shape: ShapeText | None
    decided_at: DecidedAt | None
    origin: str


@record
class ExpectedPart:
    """Part 2: what its shape should be, and the derivation."""

    shape: ShapeText | None
    derivation: str


@record
class Edit:
    """Text to put in place of a span."""

    span: Span
    text: str


@record
class Refused:
    """A candidate fix that was not offered, as the corrected line, and why not."""

    line: str
    reason: str


@record
class FixPart:
    """Part 3: the corrected source line, what was done, and the edits that do it."""

    line: str
    description: str
    applicability: Applicability
    edits: tuple[Edit, ...]


@record
class TraceStep:
    """One step of the evidence: an expression, its line and shape, and how that is known."""

    line: int
    expression: str
    shape: ShapeText | None
    by: str


@record
class Finding:
    """One finding. ``fix`` is None where no candidate survived; ``refused`` says which fell.

    The lines of all its parts are those of the file, or of the module that a notebook's cells
    make together; `in_cell` turns one into what the user knows.
    """

    code: str
    name: str
    severity: Severity
    path: str
    span: Span
    function: str
    message: str
    tensor: TensorPart | None = None
    expected: ExpectedPart | None = None
    fix: FixPart | None = None
    refused: tuple[Refused, ...] = ()
    regression: tuple[str, ...] = ()
    trace: tuple[TraceStep, ...] = ()
    #: those of the notebook that it is about
    cells: tuple[Cell, ...] = ()

    def in_cell(self, line: int) -> tuple[int | None, int]:
        """The cell that a line stands in, and the line there; None and the line in a plain file."""
        return in_cell(self.cells, line)

    @property
    def line(self) -> int:
        """The line it is reported at."""
        return self.span.line

    @property
    def column(self) -> int:
        """The column it is reported at."""
        return self.span.column


def in_cell(cells: Sequence[Cell], line: int) -> tuple[int | None, int]:
    """The cell that a line of a joined module stands in, and the line there."""
    before = bisect_right(cells, line, key=lambda cell: cell.start)
    if not before:
        return None, line
    cell = cells[before - 1]
    return cell.number, line - cell.start + 1


def line_text(cells: Sequence[Cell], line: int) -> str:
    """A line in words, in a notebook with the cell that it stands in."""
    cell, line = in_cell(cells, line)
    return f"line {line}" if cell is None else f"cell {cell}, line {line}"
