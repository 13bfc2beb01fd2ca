"""A file that is imported, as its top-level statements: each is parsed only when it is needed.

Parsing a file costs more than tracing it, and of a file that is imported little is used. So its
text is cut into top-level statements by a scan that tells code from strings and comments, and says
which names each of them binds; only the statements that bind a wanted name are ever parsed.

Outlines are kept for the whole process, by the file's content, the latest ones only.
"""

from __future__ import annotations

import ast
import os
import re
import stat
import warnings
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

from attncheck.source import Source, SourceError, decode, parse

#: A larger file is not followed: the outline alone would cost more than a small file's check.
MAX_BYTES: Final = 200_000
#: How much parsed text is kept; a tree has about a hundred times the size of its text.
_MOST_PARSED: Final = 300_000
_MOST_OUTLINES: Final = 64

#: Strings, comments and joined lines, which are passed over; else the break before a statement.
_SCAN: Final = re.compile(
    r'''"""(?:[^"\\]|\\.|"(?!""))*(?:"""|\Z)'''
    r"""|'''(?:[^'\\]|\\.|'(?!''))*(?:'''|\Z)"""
    r"""|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|\#[^\n]*|\\\r?\n"""
    r"""|(?P<break>\n)(?=[A-Za-z_@])""",
    re.DOTALL,
)
_CONTINUED: Final = re.compile(r"(?:elif|else|except|finally)\b")
_DEFINITION: Final = re.compile(r"(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)")
_MAIN: Final = re.compile(r"if\s+__name__\s*==\s*(?P<quote>[\"'])__main__(?P=quote)\s*:")
_GLOBAL: Final = re.compile(r"^[ \t]+global[ \t]+([\w, \t]+)", re.MULTILINE)
_WORD: Final = re.compile(r"[^\W\d]\w*")


class Part:
    """One or a few top-level statements, and the names that they bind or change.

    ``first`` is the line in the file that it starts in (from 1). ``defines`` says that it is one
    function or class; ``has_star`` that it binds all names of another file.
    """

    __slots__ = ("_refusal", "_source", "defines", "first", "has_star", "names", "text")

    def __init__(self, text: str, first: int, definition: str | None) -> None:
        self.text = text
        self.first = first
        self.has_star = False
        self.defines = definition is not None
        self.names = frozenset(self._read_names() if definition is None else [definition])
        self._source: Source | None = None
        self._refusal: SourceError | None = None

    def _read_names(self) -> Iterator[str]:
        if _MAIN.match(self.text):
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            # Which names it binds is then not known.
            yield from _WORD.findall(self.text)
            return
        for node in _own_nodes(tree):
            if isinstance(node, ast.alias) and node.name == "*":
                self.has_star = True
            else:
                yield from _bound(node)

    def source(self) -> Source:
        """The parsed statements; raises SourceError if they cannot be parsed."""
        if self._refusal is not None:
            raise self._refusal
        if self._source is None:
            try:
                self._source = parse(self.text, "utf-8", "")
            except SourceError as error:
                self._refusal = error
                raise
        return self._source

    @property
    def parsed(self) -> int:
        """How many characters have been parsed."""
        return 0 if self._source is None else len(self.text)


class Outline:
    """The parts of one file, in order."""

    __slots__ = ("_changed", "by_name", "data", "parts", "stars", "text")

    def __init__(self, data: bytes, text: str) -> None:
        self.data = data
        self.text = text
        self.parts = list(_parts(text))
        #: the parts that bind or change a name, by their numbers
        self.by_name: dict[str, list[int]] = {}
        for number, part in enumerate(self.parts):
            for name in part.names:
                self.by_name.setdefault(name, []).append(number)
        self.stars = [number for number, part in enumerate(self.parts) if part.has_star]
        declared = _GLOBAL.findall(text)
        self._changed = {name for names in declared for name in _WORD.findall(names)}

    def is_steady(self, name: str) -> bool:
        """Whether a name has one value for all who ask: the one that its last part gives it.

        Not where a function may give it another one, nor where a statement between its parts may
        have used an earlier value.
        """
        if name in self._changed:
            return False
        numbers = self.by_name.get(name, ())
        if len(numbers) < 2:
            return True
        word = re.compile(rf"\b{re.escape(name)}\b")
        between = set(range(numbers[0], numbers[-1])) - set(numbers)
        return not any(word.search(self.parts[number].text) for number in between)

    def public(self) -> list[str] | None:
        """The names that ``import *`` takes; None if ``__all__`` is not written out.

        Names that a star in the file itself brings are not among them.
        """
        numbers = self.by_name.get("__all__")
        if numbers is None:
            return [name for name in self.by_name if not name.startswith("_")]
        return _listed(self.parts[numbers[0]].text) if len(numbers) == 1 else None

    @property
    def parsed(self) -> int:
        """How many characters of it have been parsed."""
        return sum(part.parsed for part in self.parts)


_kept: OrderedDict[str, Outline] = OrderedDict()


def outline_of(path: str) -> Outline | None:
    """The outline of a regular file; None if it is none, too large, or cannot be read as text."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            return None
        known = _kept.get(path)
        if known is None or known.data != data:
            known = _kept[path] = Outline(data, decode(data)[0])
    except (OSError, ValueError, SourceError):
        return None
    _kept.move_to_end(path)
    _forget(path)
    return known


def _forget(latest: str) -> None:
    """Let go of the outlines that were asked for least lately, where there are too many."""
    parsed = sum(outline.parsed for outline in _kept.values())
    while len(_kept) > _MOST_OUTLINES or (parsed > _MOST_PARSED and next(iter(_kept)) != latest):
        _, outline = _kept.popitem(last=False)
        parsed -= outline.parsed


def _parts(text: str) -> Iterator[Part]:
    """The statements in order; a decorator goes with its function, an ``else`` with its ``if``."""
    starts = [found.end() for found in _SCAN.finditer(text) if found["break"]]
    begin, latest, line = 0, 0, 1
    for start in starts:
        if text.startswith("@", latest) or _CONTINUED.match(text, start):
            latest = start
            continue
        yield _part(text[begin:start], latest - begin, line)
        line += text.count("\n", begin, start)
        begin = latest = start
    yield _part(text[begin:], latest - begin, line)


def _part(text: str, offset: int, line: int) -> Part:
    """The part whose last statement begins at `offset`."""
    found = _DEFINITION.match(text, offset)
    return Part(text, line, None if found is None else found[1])


def _own_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a piece of code, without what nested functions and classes hold."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a node itself binds, or whose value it changes."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.Attribute(value=base, ctx=ast.Store() | ast.Del()):
            yield from _first_name(base)
        case ast.Subscript(value=base, ctx=ast.Store() | ast.Del()):
            yield from _first_name(base)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=base))):
            yield from _first_name(base)
        case ast.alias(name=name, asname=asname):
            yield asname or name.partition(".")[0]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield name
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            yield name


def _first_name(node: ast.AST) -> Iterator[str]:
    """The name that an expression starts with: ``models`` of ``models.layers[0]``."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _listed(text: str) -> list[str] | None:
    """The strings of ``__all__ = [...]``; None if it is written in any other way."""
    try:
        tree = ast.parse(text)
        (statement,) = tree.body
        found = ast.literal_eval(statement.value)  # type: ignore[attr-defined]
    except (SyntaxError, ValueError, AttributeError):
        return None
    if not isinstance(found, list | tuple) or not all(isinstance(name, str) for name in found):
        return None
    return list(found)
