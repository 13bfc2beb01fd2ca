"""Findings for a person: the source line, then the four parts, one label each.

A report is a list of `Line`, pieces of text that each have a style; `plain` joins them and `show`
colours them, so that what is read in a log is what was seen on a terminal. Every piece that comes
from the checked file goes through `printable`: none of its bytes can command a terminal.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from attncheck.report import printable, shape_text
from attncheck.report.parts import parts

if TYPE_CHECKING:
    from typing import TextIO

    from attncheck.engine import ShapeRow
    from attncheck.finding import Finding
    from attncheck.report import Lines, Run

#: Text and the name of its style.
Piece: TypeAlias = tuple[str, str]
Line: TypeAlias = tuple[Piece, ...]

_STYLES: Final = {
    "": "",
    "path": "bold",
    "error": "bold red",
    "warning": "bold yellow",
    "note": "bold cyan",
    "rule": "bold",
    "label": "cyan",
    "fix": "green",
    "dim": "dim",
}
_INDENT: Final = 11
#: The width that source lines are cut to where no terminal says another.
_LOG_WIDTH: Final = 120
_NARROWEST: Final = 30
#: The column, from the start of the code, beyond which no line's shapes are pushed.
_MARGIN: Final = 64
_TAB: Final = "    "
#: A shape, which is not torn apart at the end of a line.
_SHAPE: Final = re.compile(r"\([^()]{1,40}\)")
#: Stands for a space that is not to be broken at; `printable` lets none of it through.
_GLUE: Final = "\0"


def render(run: Run, lines_of: Lines, width: int | None = None) -> Iterator[Line]:
    """All findings; prose is wrapped to `width` columns, or not at all."""
    for finding in run.findings:
        yield from _finding(finding, lines_of(finding.path), width)
        yield ()


def render_shapes(
    rows: Sequence[ShapeRow], source: Sequence[str], width: int | None = None
) -> Iterator[Line]:
    """A file's source with the shapes that were traced on a line beside it."""
    by_line: dict[int, list[str]] = {}
    for row in rows:
        text = printable(f"{row.name} {shape_text(row.shape)}")
        texts = by_line.setdefault(row.line, [])
        if text not in texts:
            texts.append(text)
    code = [printable(line.replace("\t", _TAB)) for line in source]
    beside = [_cells(code[line - 1]) for line in by_line if line <= len(code)]
    margin = min(max(beside, default=0), _MARGIN, (width or _LOG_WIDTH) // 2)
    if code and not code[-1]:
        code.pop()  # what follows the last line ending is no line
    digits = len(str(len(code)))
    for number, line in enumerate(code, 1):
        gutter = (f"{number:>{digits}} | ", "dim")
        start = max(margin, _cells(line)) + 2
        parts = _fold(by_line.get(number, []), None if width is None else width - digits - 3, start)
        if not parts:
            yield (gutter, (line, ""))
        for index, (column, part) in enumerate(parts):
            code_part = line if index == 0 else ""
            space = " " * (column - _cells(code_part))
            yield (gutter, (code_part + space, ""), (part, "dim"))
            gutter = (f"{'':{digits}} | ", "dim")


def _fold(texts: Sequence[str], room: int | None, start: int) -> list[tuple[int, str]]:
    """Texts joined into lines that end before column `room`, each with the column it starts at."""
    lines: list[tuple[int, str]] = []
    for text in texts:
        column, line = lines.pop() if lines else (start, "")
        joined = f"{line}, {text}" if line else text
        if not line or room is None or column + _cells(joined) <= room:
            lines.append((column, joined))
        else:
            lines += [(column, line + ","), (min(start, _MARGIN, room // 2), text)]
    return lines


def plain(lines: Iterable[Line]) -> str:
    """The lines as text."""
    return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)


def show(lines: Iterable[Line], stream: TextIO) -> None:
    """Print the lines in colour."""
    from rich.console import Console
    from rich.text import Text

    console = Console(
        file=stream, force_terminal=True, no_color=False, highlight=False, soft_wrap=True
    )
    for line in lines:
        pieces = [(text, _STYLES[style]) for text, style in line]
        console.print(Text.assemble(*pieces))


def _finding(finding: Finding, source: Sequence[str], width: int | None) -> Iterator[Line]:
    severity = finding.severity
    mark = "" if severity == "error" else f" [{severity}]"
    yield (
        (printable(f"{finding.path}:{finding.line}:{finding.column}: "), "path"),
        (f"{finding.code} ", severity),
        (f"{finding.name}: ", "rule"),
        (printable(finding.message), ""),
        (mark, severity),
    )
    yield from _snippet(finding, source, width)
    for label, text, style in parts(finding):
        yield from _row(label, text, style, width)


def _row(label: str, text: str, style: str, width: int | None) -> Iterator[Line]:
    """A labelled text, wrapped under itself; a line break in it starts a new line there."""
    for line in text.splitlines() or [""]:
        for part in _wrap(printable(line), width):
            yield ((f"  {label:<9}", "label"), (part, style))
            label = ""


def _wrap(text: str, width: int | None) -> list[str]:
    if width is None:
        return [text]
    room = max(width - _INDENT, _NARROWEST)
    glued = _SHAPE.sub(lambda shape: shape[0].replace(" ", _GLUE), text)
    parts = textwrap.wrap(glued, room, break_long_words=False, break_on_hyphens=False)
    return [part.replace(_GLUE, " ") for part in parts] or [""]


def _snippet(finding: Finding, source: Sequence[str], width: int | None) -> Iterator[Line]:
    """The source line without its indentation, and a caret under what is meant."""
    span = finding.span
    if not 0 < span.line <= len(source):
        return
    line = source[span.line - 1]
    start = span.column - 1
    end = len(line) if span.end_line > span.line else span.end_column - 1
    before, marked, after = (
        printable(part.replace("\t", _TAB)) for part in (line[:start], line[start:end], line[end:])
    )
    before = before.lstrip()
    if not before + marked + after:
        return
    room = max((width or _LOG_WIDTH) - _INDENT, _NARROWEST)
    before, marked, after = _crop(before, marked, after, room)
    yield ((f"{span.line:>8} | ", "dim"), (before + marked + after, ""))
    carets = "^" * max(_cells(marked), 1)
    yield ((f"{'':>8} | ", "dim"), (" " * _cells(before), ""), (carets, finding.severity))


def _crop(before: str, marked: str, after: str, room: int) -> tuple[str, str, str]:
    """The three parts of a line cut to `room` characters around the middle one."""
    if len(before) + len(marked) + len(after) <= room:
        return before, marked, after
    if len(before) > room // 3:
        before = "… " + before[len(before) - room // 3 + 2 :]
    if len(before) + len(marked) > room:
        marked, after = marked[: room - len(before) - 2] + " …", ""
    else:
        after = after[: max(room - len(before) - len(marked) - 2, 0)] + " …"
    return before, marked, after


def _cells(text: str) -> int:
    """The columns that a terminal needs for `text`."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )
