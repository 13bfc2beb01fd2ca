"""One shape that the program text states, with its source.

Every reader of evidence answers in this form, so that a finding can name what it rests on without
knowing who read it.
"""

from __future__ import annotations

from attncheck.algebra.shape import Shape
from attncheck.record import record
from attncheck.values.tensor import Decided, Evidence


@record
class Statement:
    """A stated shape: how sure it is, and the line and words that say it."""

    shape: Shape
    evidence: Evidence
    decided: Decided


def state(shape: Shape, evidence: Evidence, line: int, text: str) -> Statement:
    """The statement that `text` in line `line` (from 1) makes."""
    return Statement(shape, evidence, Decided(line, evidence.word, text))
