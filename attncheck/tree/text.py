"""The text of a file by CPython's positions: lines from 1, columns in bytes of UTF-8."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from attncheck.tree.nodes import Unusual

#: What counts its round brackets to itself in CPython, and not in libcst.
_WIDER: Final = frozenset([ast.Tuple, ast.GeneratorExp])
#: One string literal, with its prefix.
_LITERAL: Final = re.compile(
    r"""
    (?P<prefix>[A-Za-z]{0,2})
    (?: \"\"\" (?:[^"\\]++|\\.|"(?!""))*+ \"\"\"
      | ''' (?:[^'\\]++|\\.|'(?!''))*+ '''
      | " (?:[^"\\]++|\\.)*+ "
      | ' (?:[^'\\]++|\\.)*+ ')
    """,
    re.VERBOSE | re.DOTALL,
)
#: What may stand between two literals that are one string.
_BETWEEN: Final = re.compile(r"(?:\s|\\\r?\n?|#[^\r\n]*)*")


class Text:
    """A text, its lines, and the offset at which each of them starts."""

    def __init__(self, text: str, lines: Sequence[str], starts: Sequence[int]) -> None:
        self.text = text
        self.lines = lines
        self.starts = starts
        #: by the identity of an expression's or a parameter's node, which the tree keeps, what
        #: CPython has in its place
        self.placed: dict[int, ast.expr | ast.arg] = {}
        #: likewise the line on which a statement begins, or the name of a function stands
        self.begun: dict[int, int] = {}

    def offsets(self, node: object) -> tuple[int, int] | None:
        """Where an expression or a parameter's name begins and ends; None for all other nodes."""
        place = self.placed.get(id(node))
        if place is None or type(place) in _WIDER:
            return None
        start = self.begin(place)
        if not isinstance(place, ast.arg):
            return start, self.end(place)
        return (start, start + len(place.arg)) if place.arg.isascii() else None

    def offset(self, line: int, column: int) -> int:
        """The offset of a position."""
        written = self.lines[line - 1]
        if not written.isascii():
            column = len(written.encode()[:column].decode())
        return self.starts[line - 1] + column

    def begin(self, node: Any) -> int:
        """The offset at which a node begins."""
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: Any) -> int:
        """The offset at which a node ends."""
        return self.offset(node.end_lineno, node.end_col_offset)

    def of(self, node: Any) -> str:
        """What a node was written as."""
        return self.text[self.begin(node) : self.end(node)]

    def begins_line(self, node: Any) -> bool:
        """Whether a statement is the first of its line."""
        before = self.lines[node.lineno - 1][: node.col_offset]
        if before and not before.isspace():
            return False
        if node.lineno > 1 and self.lines[node.lineno - 2].endswith("\\"):
            raise Unusual("a line that may have begun above")
        return True


def literals(written: str) -> Iterator[tuple[str, str]]:
    """The prefix and the text of each literal of a string, which may have several."""
    place = 0
    while found := _LITERAL.match(written, place):
        yield found["prefix"], found[0]
        between = _BETWEEN.match(written, found.end())
        assert between is not None  # it matches nothing at all, if need be
        place = between.end()
    if place != len(written):
        raise Unusual("a string of another kind")
