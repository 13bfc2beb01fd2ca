"""Fixes as a unified diff: what `--fix` would change, in the form that `patch` and git read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from attncheck.report import printable
from attncheck.source import decode

if TYPE_CHECKING:
    from attncheck.report.text import Line

_LINES: Final = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")
_STYLES: Final = {"+": "fix", "-": "error", "@": "dim"}


def render(path: str, before: bytes, after: bytes) -> Iterator[str]:
    """The lines of one file's diff with their endings, or none if nothing changes.

    Characters that a terminal might obey are shown as escapes, but for tabs and line endings.
    """
    import difflib

    old, new = (_LINES.findall(decode(data)[0]) for data in (before, after))
    shown = printable(path)
    for line in difflib.unified_diff(old, new, shown, shown):
        text = line.rstrip("\r\n")
        ending = line[len(text) :]
        yield "\t".join(map(printable, text.split("\t"))) + (ending or "\n")
        if not ending:
            yield "\\ No newline at end of file\n"


def styled(lines: Iterable[str]) -> Iterator[Line]:
    """The same for a terminal with colours."""
    for line in lines:
        style = "path" if line.startswith(("--- ", "+++ ")) else _STYLES.get(line[:1], "")
        yield ((line.rstrip("\r\n"), style),)
