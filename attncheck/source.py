"""Bytes to a guarded tree: the one door through which a checked file enters.

libcst can kill the process: deep nesting overflows its stack, and its memory grows with the square
of the nesting. So nothing reaches `libcst.parse_module` but what a quick look shows to be shallow,
or what CPython's own parser and the exact limits of `attncheck.nesting` have let pass. What libcst
refuses is refused in CPython's words. libcst is imported only when a tree is made.

Offsets count code points of `Source.text`, which has no byte order mark and its own line endings.
"""

from __future__ import annotations

import ast
import codecs
import gc
import itertools
import os
import re
import sys
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from attncheck.finding import Cell, Span
from attncheck.nesting import TooDeep, is_everyday, too_deep
from attncheck.record import record

if TYPE_CHECKING:
    import libcst as cst

    from attncheck.tree.examples import Example
    from attncheck.tree.text import Text as Written

    _Tree = tuple[cst.Module, tuple[Written, ast.Module] | None]

#: The end of a notebook's name.
NOTEBOOK: Final = ".ipynb"

#: A larger file is generated or data; libcst would take seconds and gigabytes for it.
MAX_BYTES: Final = 1_000_000
#: A notebook holds pictures as well; its code counts as that of a file.
MAX_NOTEBOOK_BYTES: Final = 50_000_000

#: What makes a file worth reading: a tensor library's name, or a word to attncheck.
_MARKS: Final = (
    b"torch",
    b"numpy",
    b"jax",
    b"tensorflow",
    b"keras",
    b"einops",
    b"flax",
    b"scipy",
    b"haiku",
    b"equinox",
    b"attncheck:",
)

_NEWLINE: Final = re.compile(r"\r\n?|\n")
_CODING: Final = re.compile(rb"^[ \t\f]*#.*?coding[:=]", re.MULTILINE)

#: Grammar that newer interpreters have: (first version, what a refused line then looks like).
_NEWER: Final = (
    (
        (3, 12),
        re.compile(
            r"\s*(?:type\s+\w|(?:async\s+)?(?:def|class)\s+\w+\s*\[)|.*\b[rR]?[fF][rR]?['\"]"
        ),
    ),
    ((3, 13), re.compile(r"\s*(?:type|def|class)\b.*\[.*=")),
    ((3, 14), re.compile(r"\s*except\*?\s.*,|.*\b[rR]?[tT][rR]?['\"]")),
)


class SourceError(Exception):
    """A file that cannot be read as Python: why, where (from 1), and the line if there is one.

    ``cells`` are those of a notebook, if the place is one in its joined module.
    """

    def __init__(self, message: str, line: int = 1, column: int = 1, text: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.text = text
        self.cells: tuple[Cell, ...] = ()


class NotChecked(Exception):
    """A notebook that is in order and has nothing to check: why, in a few words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@record
class Text:
    """What a file says in Python, before anything is parsed.

    Of a notebook that is the joined module: ``cells`` say where each cell starts in it, and
    ``written`` has the lines as they stand there, magics and all.
    """

    path: str
    text: str
    encoding: str
    cells: tuple[Cell, ...] = ()
    written: tuple[str, ...] | None = None

    def lines(self) -> Sequence[str]:
        """The lines as a person knows them."""
        return split_lines(self.text) if self.written is None else self.written

    def pages(self) -> Iterator[tuple[int | None, Sequence[str]]]:
        """The lines of each cell, with its number; of a plain file all lines, with None."""
        lines = self.lines()
        if not self.cells:
            yield None, lines
        ends = [cell.start - 1 for cell in self.cells[1:]] + [len(lines)]
        for cell, end in zip(self.cells, ends, strict=False):
            yield cell.number, lines[cell.start - 1 : end]


class Source:
    """A parsed file.

    ``module`` has libcst's nodes, as a rule without anything that has only to do with their text
    (see `attncheck.tree`); `written` then knows where expressions stand. Other positions are
    computed for the whole tree when the first one is asked for.
    """

    __slots__ = (
        "_made_of",
        "_outer",
        "_spans",
        "_starts",
        "_written",
        "cells",
        "encoding",
        "lines",
        "module",
        "path",
        "text",
    )

    def __init__(self, said: Text, tree: _Tree) -> None:
        self.path = said.path
        self.text = text = said.text
        self.encoding = said.encoding
        self.cells = said.cells
        self.lines = split_lines(text)
        self.module, self._made_of = tree
        self._written = None if self._made_of is None else self._made_of[0]
        self._starts: Sequence[int] | None = None
        self._spans: Mapping[cst.CSTNode, tuple[int, int]] | None = None
        self._outer: Mapping[cst.CSTNode, cst.CSTNode] | None = None

    def read_examples(self) -> Sequence[Example]:
        """Make code of the examples in docstrings; this tree then knows where it stands."""
        from attncheck.tree.examples import examples

        return () if self._made_of is None else examples(*self._made_of)

    def span(self, node: cst.CSTNode) -> Span:
        """Where a node of this tree stands; a KeyError for any other node.

        Raises `SourceError` if libcst cannot parse what Python can.
        """
        start, end = self._offsets(node)
        return Span(*self.position(start), *self.position(end))

    def line(self, node: cst.CSTNode) -> int:
        """The line on which a node begins. Raises as `span` does."""
        known = None if self._written is None else self._written.begun.get(id(node))
        return self.span(node).line if known is None else known

    def code(self, node: cst.CSTNode) -> str:
        """A node's source text, exactly as written."""
        start, end = self._offsets(node)
        return self.text[start:end]

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column (from 1) of an offset."""
        if self._starts is None:
            self._starts = line_starts(self.text)
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column (from 1)."""
        if self._starts is None:
            self._starts = line_starts(self.text)
        return self._starts[line - 1] + column - 1

    def has(self, node: cst.CSTNode) -> bool:
        """Whether an expression is one of this file."""
        if self._written is not None and id(node) in self._written.placed:
            return True
        return bool(self.around(node))

    def around(self, node: cst.CSTNode) -> tuple[cst.CSTNode, ...]:
        """The nodes around a node, from the module down to the node itself; empty for any other."""
        if self._outer is None:
            self._outer = _outer_nodes(self.module)
        if node is not self.module and node not in self._outer:
            return ()
        way = [node]
        while way[-1] is not self.module:
            way.append(self._outer[way[-1]])
        return tuple(reversed(way))

    def _offsets(self, node: cst.CSTNode) -> tuple[int, int]:
        known = None if self._written is None else self._written.offsets(node)
        if known is not None:
            return known
        if not self.around(node):
            raise KeyError(node)  # of another file
        if self._spans is None:
            import libcst

            from attncheck.positions import node_offsets

            try:
                self._spans = node_offsets(self.module, self.text)
            except libcst.ParserSyntaxError as error:
                raise _not_for_libcst(self.text, error) from None
        return self._spans[node]


def _outer_nodes(module: cst.Module) -> Mapping[cst.CSTNode, cst.CSTNode]:
    """Each node of a module with the one that it stands directly in."""
    from attncheck.tree.pairs import inner

    outer: dict[cst.CSTNode, cst.CSTNode] = {}
    waiting: list[cst.CSTNode] = [module]
    while waiting:
        node = waiting.pop()
        children = inner(node)
        for child in children:
            outer[child] = node
        waiting += children
    return outer


def read_bytes(path: str) -> bytes:
    """The bytes of a file. Raises OSError, or SourceError for one that is too large to be read."""
    with open(path, "rb") as file:
        _check_size(os.fstat(file.fileno()).st_size, path)
        return file.read()


def mentions_tensors(data: bytes) -> bool:
    """Whether a file may hold tensor code: if not, libcst need not even be imported."""
    return any(mark in data for mark in _MARKS)


def read(data: bytes, path: str) -> Text:
    """The text of a file, or of a notebook by its name.

    Raises SourceError, or NotChecked for a notebook without anything to check.
    """
    if not path.endswith(NOTEBOOK):
        return Text(path, *decode(data))
    from attncheck.notebook import read_notebook

    _check_size(len(data), path)
    notebook = read_notebook(data)
    said = Text(path, notebook.text, "utf-8", notebook.cells, notebook.lines)
    try:
        _check_size(len(said.text))
        _check_text(said.text, said.encoding)
    except SourceError as error:
        error.cells = said.cells
        raise
    return said


def load(data: bytes, path: str) -> Source:
    """Parse a file, or raise a `SourceError` that says in one line why that cannot be done."""
    return parse(read(data, path))


def parse(said: Text, *, everyday: bool = False) -> Source:
    """Parse a text, or raise a `SourceError` that says in one line why that cannot be done.

    `everyday` says that it is not nested too deeply, as the text that it was made from was not.
    """
    try:
        return Source(said, _parse(said.text, said.path, everyday or is_everyday(said.text)))
    except SourceError as error:
        error.cells = said.cells
        raise


def _parse(text: str, path: str, everyday: bool) -> _Tree:
    parsed: ast.Module | SourceError | None
    parsed = _parsed(text, path) if everyday else _judged(text, path, for_libcst=True)
    with paused_gc():
        made = _made(text, parsed) if isinstance(parsed, ast.Module) else None
        if made is not None:
            return made
        import libcst

        try:
            return libcst.parse_module(text), None
        except libcst.ParserSyntaxError as error:
            refusal = parsed or _judged(text, path, for_libcst=True)
            if isinstance(refusal, SourceError):
                raise refusal from None
            raise _not_for_libcst(text, error) from None


def _parsed(text: str, path: str) -> ast.Module | None:
    """CPython's tree of a text, or None where it refuses: why is only asked if libcst does too."""
    try:
        return _tree(text, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _tree(text: str, path: str) -> ast.Module:
    with warnings.catch_warnings(), paused_gc():
        warnings.simplefilter("ignore")
        return ast.parse(text, path)


def _made(text: str, parsed: ast.Module) -> _Tree | None:
    """The tree made from CPython's, and what of; None where that is not certain."""
    from attncheck.tree.nodes import Unusual
    from attncheck.tree.statements import module_of
    from attncheck.tree.text import Text as Written

    written = Written(text, split_lines(text), line_starts(text))
    try:
        return module_of(written, parsed), (written, parsed)
    except (Unusual, RecursionError):
        return None


def _not_for_libcst(text: str, error: cst.ParserSyntaxError) -> SourceError:
    message = "Python can parse this line, libcst cannot"
    return _at(message, text, error.raw_line, error.raw_column + 1)


def check_syntax(said: Text) -> None:
    """Raise a `SourceError` if a text is no Python: what is left to say if it is not traced.

    The limits on nesting are libcst's, and do not count here.
    """
    try:
        _judged(said.text, said.path, for_libcst=False)
    except SourceError as error:
        error.cells = said.cells
        raise


def decode(data: bytes) -> tuple[str, str]:
    """A file's text without its byte order mark, and the name of its encoding.

    The encoding is ``utf-8-sig`` where there is a byte order mark. Raises `SourceError` for bytes
    that the declared encoding (UTF-8 if none is) does not allow.
    """
    _check_size(len(data))
    encoding = _declared_encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise _undecodable(data, encoding, error.start) from None
    except (UnicodeError, LookupError):
        raise SourceError(f"cannot be decoded as {encoding}") from None
    _check_text(text, encoding)
    return text, encoding


def _check_size(size: int, path: str = "") -> None:
    most = MAX_NOTEBOOK_BYTES if path.endswith(NOTEBOOK) else MAX_BYTES
    if size > most:
        sizes = f"{size / 1e6:.1f} MB, and no more than {most / 1e6:.0f} MB are read"
        raise SourceError(f"too large: {sizes}")


def _check_text(text: str, encoding: str) -> None:
    """Refuse what no source text may hold."""
    try:
        text.encode("utf-8")
    except UnicodeError:  # lone surrogates, which some codecs make, and JSON may spell
        raise SourceError(f"cannot be decoded as {encoding}") from None
    if "\0" in text:
        raise _at(
            "holds a NUL character, so it is no Python source",
            text,
            *_place(text, text.index("\0")),
        )


def split_lines(text: str) -> list[str]:
    """The lines without their endings; the last is empty if the text ends in one."""
    return _NEWLINE.split(text) if "\r" in text else text.split("\n")


def newline_of(text: str) -> str:
    """How the first line of a text ends; a line feed where there is only one."""
    first = _NEWLINE.search(text)
    return first.group() if first else "\n"


def line_starts(text: str) -> list[int]:
    """The offset at which each line begins."""
    if "\r" in text:
        return [0, *(newline.end() for newline in _NEWLINE.finditer(text))]
    *lines, _ = text.split("\n")
    return list(
        itertools.accumulate(map(len, lines), lambda start, line: start + line + 1, initial=0)
    )


@contextmanager
def paused_gc() -> Iterator[None]:
    """Keep the garbage collector from rescanning a tree while it grows."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _declared_encoding(data: bytes) -> str:
    plain = "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
    if _CODING.search(data, 0, 1000) is None:
        return plain
    import tokenize

    lines = iter(data[:1000].splitlines(keepends=True))
    try:
        return tokenize.detect_encoding(lambda: next(lines, b""))[0]
    except SyntaxError as error:
        if "invalid or missing encoding declaration" in str(error):
            return plain  # the bytes are wrong, not the declaration: decoding says which
        raise SourceError(str(error)) from None


def _undecodable(data: bytes, encoding: str, position: int) -> SourceError:
    before = data[:position]
    line = len(_NEWLINE.findall(before.decode("latin-1"))) + 1
    name = encoding.removesuffix("-sig")
    hint = "" if _CODING.search(data, 0, 1000) else " and no coding comment names another encoding"
    return SourceError(f"byte 0x{data[position]:02x} on line {line} is not {name}{hint}", line)


def _judged(text: str, path: str, *, for_libcst: bool) -> ast.Module | SourceError | None:
    """Let CPython's parser, and, if it is for libcst, the limits that it needs judge a text.

    Returns its tree, or the interpreter's refusal where it may only be too old for the text.
    """
    deep: TooDeep | None = None
    judged: ast.Module | SourceError | None = None
    try:
        judged = _tree(text, path)
    except SyntaxError as error:
        judged = _at(error.msg, text, error.lineno, error.offset)
        if "too many nested parentheses" in error.msg:
            deep = TooDeep(error.msg, 0)
        elif not _may_be_newer(judged):
            raise judged from None
    except (RecursionError, MemoryError):
        deep = TooDeep("nested too deeply to be parsed", 0)
    if deep is not None or for_libcst:
        deep = too_deep(text) or deep
    if deep is not None:
        raise _at(deep.message, text, *_place(text, deep.offset))
    return judged


def _may_be_newer(refusal: SourceError) -> bool:
    """Whether this interpreter may refuse a line only because the grammar has grown since."""
    if refusal.message.startswith("f-string"):
        return sys.version_info < (3, 12)
    return any(sys.version_info < first and form.match(refusal.text) for first, form in _NEWER)


def _at(message: str, text: str, line: int | None, column: int | None) -> SourceError:
    lines = split_lines(text)
    line = min(max(line or 1, 1), len(lines))
    shown = lines[line - 1]
    return SourceError(message, line, min(max(column or 1, 1), len(shown) + 1), shown)


def _place(text: str, offset: int) -> tuple[int, int]:
    starts = line_starts(text[:offset])
    return len(starts), offset - starts[-1] + 1
