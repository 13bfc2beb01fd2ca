"""The source of a file with the shapes of each line in its margin, for a person to read.

Nothing of the source is left out: a line too long for the terminal goes on below. Shapes stand in
one column as far as the code lets them; what does not fit beside the code stands below it.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from attncheck.record import record
from attncheck.report import printable, shape_text
from attncheck.report.text import LOG_WIDTH, TAB, Line, Piece, cells

if TYPE_CHECKING:
    from attncheck.engine import ShapeRow

_GAP: Final = 2
_BETWEEN: Final = "; "
#: The share of the annotated lines that the margin makes room for; longer ones push their shapes.
_FITTING: Final = 0.9
_UNKNOWN: Final = re.compile(r"(\?|\.\.\.)")


@record
class _Note:
    """The names on one line that have one shape."""

    names: tuple[str, ...]
    text: str

    @property
    def width(self) -> int:
        """The columns that the note takes."""
        return sum(cells(text) for text, _ in self.pieces())

    def pieces(self) -> Iterator[Piece]:
        """The names, and the shape with what is not known of it marked."""
        yield f"{', '.join(self.names)} ", ""
        if self.text.startswith("="):
            yield self.text, "dim"
            return
        for part in _UNKNOWN.split(self.text):
            if part:
                yield part, "unknown" if _UNKNOWN.fullmatch(part) else "shape"


def render(rows: Sequence[ShapeRow], source: Sequence[str], width: int | None) -> Iterator[Line]:
    """A file's source with the shapes that were traced on a line beside it, and their number.

    Without a width nothing is folded.
    """
    code = [printable(line.replace("\t", TAB)) for line in source]
    if code and not code[-1]:
        code.pop()  # what follows the last line ending is no line
    notes = _notes(rows, code)
    digits = len(str(len(code)))
    gutters = [(f"{number or '':>{digits}} | ", "dim") for number in range(len(code) + 1)]
    room = None if width is None else max(width - digits - 3, 1)
    folded = [_folded(line, room) for line in code]
    ends = [cells(folded[number - 1][-1]) for number in notes]
    margin = _margin(ends, notes, (LOG_WIDTH if width is None else width) - digits - 3)
    for number, parts in enumerate(folded, 1):
        gutter = gutters[number]
        for pieces in _beside(parts, notes.get(number, []), margin, room):
            yield (gutter, *pieces)
            gutter = gutters[0]
    yield ()
    yield ((_summary(rows), ""),)


def _notes(rows: Sequence[ShapeRow], code: Sequence[str]) -> dict[int, list[_Note]]:
    """The notes of each line, in the order of the names; a shape that names share is said once."""
    notes: dict[int, list[_Note]] = {}
    for row in rows:
        text = _text(row)
        if text is None or row.line > len(code) or _is_said(row, text, code[row.line - 1]):
            continue
        name, text = printable(row.name), printable(text)
        found = notes.setdefault(row.line, [])
        same = next((index for index, note in enumerate(found) if note.text == text), None)
        if same is None:
            found.append(_Note((name,), text))
        elif name not in found[same].names:
            found[same] = _Note((*found[same].names, name), text)
    return notes


def _text(row: ShapeRow) -> str | None:
    return row.otherwise if row.shape is None else shape_text(row.shape)


def _is_said(row: ShapeRow, text: str, line: str) -> bool:
    """Whether a size is what the line itself says: ``d_k = d // n_heads``, ``T, d = 5, 8``."""
    if not text.startswith("= "):
        return False
    size = text.removeprefix("= ")
    words = line.replace(" ", "")
    return f"{row.name}={size}".replace(" ", "") in words or size in re.findall(r"\d+", words)


def _margin(ends: list[int], notes: dict[int, list[_Note]], room: int) -> int:
    """The column of the shapes: behind most lines that have some, and with room for most shapes.

    ``ends`` is where the code of these lines ends.
    """
    if not notes:
        return 0
    widths = sorted(max(note.width for note in each) for each in notes.values())
    at = math.ceil(_FITTING * len(notes)) - 1
    return min(sorted(ends)[at] + _GAP, max(room - widths[at], room // 2))


def _folded(line: str, room: int | None) -> list[str]:
    """A line in parts that fit, the later ones further in."""
    if room is None or cells(line) <= room:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    further = (indent + TAB)[: room // 2]
    parts = textwrap.wrap(
        line,
        room,
        subsequent_indent=further,
        expand_tabs=False,
        replace_whitespace=False,
        break_on_hyphens=False,
    )
    return parts or [""]


def _beside(
    code: list[str], notes: list[_Note], margin: int, room: int | None
) -> Iterator[Iterable[Piece]]:
    """The lines that a source line makes: its code, and its notes beside it and below.

    A note that would pass the edge stands further left, where there is nothing yet.
    """
    *first, last = code
    yield from (((part, ""),) for part in first)
    line: list[Piece] = [(last, "")]
    used, filled = cells(last), False
    for note in notes:
        least = used + (len(_BETWEEN) if filled else _GAP if used else 0)
        column = least if filled else max(margin, least)
        if room is not None and column + note.width > room:
            column = max(room - note.width, 0)
            if filled or column < least:
                yield line
                line, used, filled = [], 0, False
                column = min(margin, column)
        line.append((_BETWEEN if filled else " " * (column - used), ""))
        line += note.pieces()
        used, filled = column + note.width, True
    yield line


def _summary(rows: Sequence[ShapeRow]) -> str:
    """How many values have a shape, and of how many of these all of it is known."""
    texts = [text for row in rows if (text := _text(row)) is not None and text[:1] != "="]
    if not texts:
        return "no tensors"
    unknown = texts.count("?")
    whole = sum(_UNKNOWN.search(text) is None for text in texts)
    partly = len(texts) - whole - unknown
    counted = [f"{whole} of {len(texts)} shapes known"]
    counted += [f"{partly} in part"] * (partly > 0) + [f"{unknown} not (?)"] * (unknown > 0)
    return ", ".join(counted)
