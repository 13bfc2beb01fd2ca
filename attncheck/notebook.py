"""A notebook as one module: the code cells joined, each line where it was in its cell.

What only IPython understands (`%` and `!` lines, `?` for help) is covered by a statement of Python
that does nothing, so that no line moves; cells in another language are left out. The standard
library's JSON parser reads the file: the few keys that matter have not changed in ten years.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from attncheck.finding import Cell
from attncheck.record import record
from attncheck.source import NotChecked, SourceError, split_lines

_PYTHON: Final = frozenset({"python", "python2", "python3", "ipython"})
#: Cell magics whose cell is Python that runs in the notebook's own namespace.
_PYTHON_MAGICS: Final = frozenset({"capture", "debug", "prun", "time", "timeit"})

_CELL_MAGIC: Final = re.compile(r"%%(\w*)")
#: A logical line that only IPython understands: an escape in front, help behind, or an escape
#: behind an assignment.
_ESCAPED: Final = re.compile(r"(?P<indent>[ \t]*)[%!?,;/]")
_HELP: Final = re.compile(r"(?P<indent>[ \t]*)[%\w.*\[\]]+\?{1,2}[ \t]*$")
_ASSIGNED: Final = re.compile(
    r"""(?P<target>[ \t]*(?:[\w.,*\[\] \t]|'[^'\n]*'|"[^"\n]*")+=)[ \t]*[%!]"""
)
_MAY_BE_ESCAPED: Final = re.compile(r"^[ \t]*[%!?,;/]|\?[ \t]*$|=[ \t]*[%!]", re.MULTILINE)
#: What moves the reader of a logical line in one step.
_TOKEN: Final = re.compile(
    r"""
    \#[^\n]*+
    | \"\"\" (?:[^"\\]++|\\.|"(?!""))*+ (?:\"\"\"|\Z)
    | ''' (?:[^'\\]++|\\.|'(?!''))*+ (?:'''|\Z)
    | " (?:[^"\\\n]++|\\.)*+ "?
    | ' (?:[^'\\\n]++|\\.)*+ '?
    | (?P<open>[(\[{])
    | (?P<close>[)\]}])
    | \\\n
    | (?P<newline>\n)
    | [^\#"'()\[\]{}\\\n]++
    | .
    """,
    re.VERBOSE | re.DOTALL,
)


@record
class Notebook:
    """The joined module, where each cell starts in it, and its lines as they were written."""

    text: str
    cells: tuple[Cell, ...]
    lines: tuple[str, ...]


def read_notebook(data: bytes) -> Notebook:
    """The Python module that a notebook is.

    Raises SourceError for a file that is no notebook, NotChecked for one in another language or
    without code.
    """
    document = _document(data)
    _check_language(document)
    pieces: list[str] = []
    lines: list[str] = []
    cells: list[Cell] = []
    for number, source in _code_cells(document):
        cells.append(Cell(number, len(lines) + 1))
        written = split_lines(source)
        lines += written
        pieces.append(_as_python("\n".join(written)))
    if not any(line.strip() for line in lines):
        raise NotChecked("notebook without code")
    return Notebook("\n".join(pieces) + "\n", tuple(cells), tuple(lines))


def _document(data: bytes) -> dict[str, Any]:
    try:
        document = json.loads(data)
    except json.JSONDecodeError as error:
        message = f"not valid JSON, so it is no notebook: {error.msg}"
        raise SourceError(message, error.lineno, error.colno) from None
    except UnicodeDecodeError as error:
        message = f"not valid JSON, so it is no notebook: not {error.encoding}"
        raise SourceError(message, data.count(b"\n", 0, error.start) + 1) from None
    except RecursionError:
        raise SourceError("no notebook: its JSON is nested too deeply") from None
    if not isinstance(document, dict) or not isinstance(_cells(document), list):
        raise SourceError("no notebook: expected a JSON object with a list `cells`")
    return document


def _cells(document: dict[str, Any]) -> object:
    """The list of cells, which version 3 of the format keeps in worksheets."""
    if "worksheets" in document and "cells" not in document:
        sheets = document["worksheets"]
        sheets = sheets if isinstance(sheets, list) else []
        return [cell for sheet in sheets for cell in _table(sheet).get("cells") or ()]
    return document.get("cells")


def _check_language(document: dict[str, Any]) -> None:
    metadata = _table(document.get("metadata"))
    told = (
        _table(metadata.get("language_info")).get("name"),
        _table(metadata.get("kernelspec")).get("language"),
    )
    language = next((name for name in told if isinstance(name, str) and name), None)
    if language is not None and language.lower() not in _PYTHON:
        raise NotChecked("notebook in another language than Python")


def _code_cells(document: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """The number, from 1 and counting every cell, and the text of each cell of Python code."""
    cells = _cells(document)
    assert isinstance(cells, list)
    for number, each in enumerate(cells, 1):
        cell = _table(each)
        if cell.get("cell_type") != "code":
            continue
        source = cell.get("source", cell.get("input", ""))
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            raise SourceError(f"no notebook: the source of cell {number} is no text")
        editor = _table(_table(cell.get("metadata")).get("vscode")).get("languageId", "python")
        if editor == "python":
            yield number, source


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _as_python(text: str) -> str:
    """A cell's text with what only IPython understands covered, every line in its place."""
    magic = _CELL_MAGIC.match(text.lstrip())
    if magic is not None:
        before, _, after = text.partition("%%")
        _, newline, body = after.partition("\n")
        if magic[1] not in _PYTHON_MAGICS:
            return "\n" * text.count("\n")
        text = before + newline + body
    return text if _MAY_BE_ESCAPED.search(text) is None else "".join(_covered(text))


def _covered(text: str) -> Iterator[str]:
    """The pieces of a cell's text; a logical line that is escaped becomes one that does nothing."""
    position = 0
    while position < len(text):
        end = text.find("\n", position)
        line = text[position : None if end < 0 else end]
        cover = _cover(line)
        if cover is None:
            end = _logical_end(text, position)
            yield text[position:end]
        else:
            end = _escape_end(text, position)
            yield cover + "\n" * text.count("\n", position, end)
        position = end


def _cover(line: str) -> str | None:
    """What stands for a line that only IPython understands; None for Python."""
    escaped = _ESCAPED.match(line) or _HELP.match(line)
    if escaped is not None:
        return f"{escaped['indent']}pass"
    assigned = _ASSIGNED.match(line)
    # A name that nothing defines: its value is unknown, as that of the command is.
    return None if assigned is None else f"{assigned['target']} __output__"


def _logical_end(text: str, position: int) -> int:
    """Where the logical line of Python that begins at `position` ends."""
    depth = 0
    for token in _TOKEN.finditer(text, position):
        depth += (token["open"] is not None) - (token["close"] is not None)
        if token["newline"] is not None and depth <= 0:
            return token.end()
    return len(text)


def _escape_end(text: str, position: int) -> int:
    """Where an escaped line ends: brackets and quotes mean nothing there, a backslash does."""
    end = text.find("\n", position)
    while end > position and text[end - 1] == "\\":
        end = text.find("\n", end + 1)
    return len(text) if end < 0 else end + 1
