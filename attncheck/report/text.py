"""Findings for a person: the source line, then the four parts, one label each.

A report is a list of `Line`, pieces of text that each have a style; `plain` joins them and `show`
colours them, so that what is read in a log is what was seen on a terminal. Every piece that comes
from the checked file goes through `printable`: none of its bytes can command a terminal.
"""

from __future__ import annotations

import itertools
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from attncheck.report import place_text, printable
from attncheck.report.parts import parts

if TYPE_CHECKING:
    from typing import TextIO

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
    "shape": "cyan",
    "unknown": "bold yellow",
    "dim": "dim",
}
_INDENT: Final = 11
#: The width that source lines are cut to where no terminal says another.
LOG_WIDTH: Final = 120
_NARROWEST: Final = 30
TAB: Final = "    "
#: A shape, which is not torn apart at the end of a line.
_SHAPE: Final = re.compile(r"\([^()]{1,40}\)")
#: Stands for a space that is not to be broken at; `printable` lets none of it through.
_GLUE: Final = "\0"


def render(run: Run, lines_of: Lines, width: int | None = None) -> Iterator[Line]:
    """All findings; prose is wrapped to `width` columns, or not at all."""
    for finding in run.findings:
        yield from _finding(finding, lines_of(finding.path), width)
        yield ()


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
        (printable(f"{place_text(finding)}: "), "path"),
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
    parts = _wrapped(glued, room)
    # A shape that is wider than the room is broken all the same.
    loose = (
        _wrapped(part.replace(_GLUE, " "), room) if len(part) > room else [part] for part in parts
    )
    return [part.replace(_GLUE, " ") for part in itertools.chain.from_iterable(loose)] or [""]


def _wrapped(text: str, room: int) -> list[str]:
    return textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False)


def _snippet(finding: Finding, source: Sequence[str], width: int | None) -> Iterator[Line]:
    """The source line without its indentation, and a caret under what is meant."""
    span = finding.span
    if not 0 < span.line <= len(source):
        return
    line = source[span.line - 1]
    start = span.column - 1
    end = len(line) if span.end_line > span.line else span.end_column - 1
    before, marked, after = (
        printable(part.replace("\t", TAB)) for part in (line[:start], line[start:end], line[end:])
    )
    before = before.lstrip()
    if not before + marked + after:
        return
    room = max((width or LOG_WIDTH) - _INDENT, _NARROWEST)
    before, marked, after = _crop(before, marked, after, room)
    yield ((f"{finding.in_cell(span.line)[1]:>8} | ", "dim"), (before + marked + after, ""))
    carets = "^" * max(cells(marked), 1)
    yield ((f"{'':>8} | ", "dim"), (" " * cells(before), ""), (carets, finding.severity))


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


def cells(text: str) -> int:
    """The columns that a terminal needs for `text`."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )
