"""Edits put into the text, or the bytes, that they are edits of."""

from __future__ import annotations

from collections.abc import Sequence

from attncheck.finding import Edit
from attncheck.source import SourceError, decode, line_starts, newline_of


def apply_edits(data: bytes, edits: Sequence[Edit]) -> bytes:
    """The file with the edits made; every other byte, the encoding and the line endings stay.

    Edits must not overlap (ValueError). Raises `SourceError` if a new text cannot be written in the
    file's encoding, or if the encoding does not write back what it read.
    """
    text, encoding = decode(data)
    if text.encode(encoding) != data:
        raise SourceError(f"cannot be rewritten: {encoding} does not write back what it read")
    try:
        return edited(text, edits).encode(encoding)
    except UnicodeEncodeError as error:
        wanted = error.object[error.start : error.end]
        raise SourceError(f"{encoding} has no character {wanted!r}, which the edit needs") from None


def edited(text: str, edits: Sequence[Edit]) -> str:
    """A text with the edits made. They must not overlap (ValueError)."""
    starts = line_starts(text)
    newline = newline_of(text)
    pieces = []
    done = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        start = starts[edit.span.line - 1] + edit.span.column - 1
        if start < done:
            raise ValueError(f"edits overlap on line {edit.span.line}")
        pieces += [text[done:start], edit.text.replace("\n", newline)]
        done = starts[edit.span.end_line - 1] + edit.span.end_column - 1
    return "".join((*pieces, text[done:]))
