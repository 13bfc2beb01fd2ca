"""A finding: the four parts that a report shows, as data (SPEC section 5).

Lines and columns start at 1; columns count code points; an end is exclusive. Sizes are integers or
expressions over identifiers as strings, `"?"` where unknown; a shape that is not known is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

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


@dataclass(frozen=True, slots=True)
class DecidedAt:
    """Where a shape was decided, and by what: ``role``, ``code``, ``annotation`` ..."""

    line: int
    by: str


@dataclass(frozen=True, slots=True)
class TensorPart:
    """Part 1: the tensor that is wrong, as the user wrote it; ``origin`` says in words why."""

    name: str
    shape: ShapeText | None
    decided_at: DecidedAt | None
    origin: str


@dataclass(frozen=True, slots=True)
class ExpectedPart:
    """Part 2: what its shape should be, and the derivation."""

    shape: ShapeText | None
    derivation: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Text to put in place of a span."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A candidate fix that was not offered, as the corrected line, and why not."""

    line: str
    reason: str


@dataclass(frozen=True, slots=True)
class FixPart:
    """Part 3: the corrected source line, what was done, and the edits that do it."""

    line: str
    description: str
    applicability: Applicability
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step of the evidence: an expression, its line and shape, and how that is known."""

    line: int
    expression: str
    shape: ShapeText | None
    by: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. ``fix`` is None where no candidate survived; ``refused`` says which fell."""

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

    @property
    def line(self) -> int:
        """The line it is reported at."""
        return self.span.line

    @property
    def column(self) -> int:
        """The column it is reported at."""
        return self.span.column
