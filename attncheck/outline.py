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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from attncheck.record import record
from attncheck.skeleton import Skeleton, skeleton
from attncheck.source import SourceError, Text, decode, parse

if TYPE_CHECKING:
    import libcst as cst

#: A larger file is not followed: the outline alone would cost more than a small file's check.
MAX_BYTES: Final = 150_000
#: How much parsed text is kept; a tree has about a hundred times the size of its text.
_MOST_PARSED: Final = 300_000
_MOST_OUTLINES: Final = 64

#: Where a statement may begin that is not inside another one.
_BREAK: Final = re.compile(r"\n(?=[A-Za-z_@])")
_TRIPLE: Final = re.compile(r'''"""|\'\'\'''')
#: What a quote may be inside of, up to the end of its line.
_PLAIN: Final = re.compile(
    r"""(?!\"{3}|'{3})(?:"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|\#[^\n]*""", re.DOTALL
)
#: A table: too large to be looked into for its name alone.
_TABLE: Final = 6_000
_NAMED: Final = re.compile(r"(\w+)[ \t]*(?::[^=\n]*)?=(?!=)")
_CONTINUED: Final = re.compile(r"(?:elif|else|except|finally)\b")
_DEFINITION: Final = re.compile(r"(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)")
#: Where the head of a function ends.
_HEAD: Final = re.compile(
    r"\)\s*(?:->\s*(?P<returns>\w+)?[^:\n]*)?:[ \t]*(?:#[^\n]*)?$", re.MULTILINE
)
_MAIN: Final = re.compile(r"if\s+__name__\s*==\s*(?P<quote>[\"'])__main__(?P=quote)\s*:")
_GLOBAL: Final = re.compile(r"^[ \t]+global[ \t]+([\w, \t]+)", re.MULTILINE)
_WORD: Final = re.compile(r"[^\W\d]\w*")


@record
class Target:
    """What an import takes, as written: ``from ..module import name``, or a module by itself.

    ``name`` is empty for a module, ``*`` for all its names; ``level`` counts the leading dots.
    """

    level: int
    module: str
    name: str = ""


@dataclass(slots=True, eq=False)
class LeftOut:
    """A method of a class that was parsed without its body."""

    text: str
    _node: cst.FunctionDef | None = None

    def whole(self) -> cst.FunctionDef | None:
        """The method with its body; None if that cannot be parsed."""
        if self._node is None:
            for made in _parse(f"class _:\n{self.text}"):
                self._node = made.body.body[0]  # type: ignore[attr-defined]
        return self._node


@record
class Tree:
    """Parsed statements (none if they could not be), and their methods without bodies."""

    statements: Sequence[cst.CSTNode]
    left_out: dict[cst.CSTNode, LeftOut]


class Part:
    """One or a few top-level statements, and the names that they bind or change.

    ``names`` says of each name the import that binds it, or None where something else does.
    ``defines`` says that the part is one function or class.
    """

    __slots__ = ("_cut", "_tree", "defines", "names", "stars", "text")

    def __init__(self, text: str, definition: str | None) -> None:
        self.text = text
        self.defines = definition is not None
        self.names: dict[str, Target | None] = {}
        self.stars: list[Target] = []
        if definition is None:
            self._read_names()
        else:
            self.names[definition] = None
        self._cut: Skeleton | None = None
        self._tree: Tree | None = None

    def _read_names(self) -> None:
        if _MAIN.match(self.text):
            return
        if len(self.text) > _TABLE and (named := _NAMED.match(self.text)):
            self.names[named[1]] = None
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            # Which names it binds is then not known.
            self.names = dict.fromkeys(_WORD.findall(self.text))
            return
        for node in _own_nodes(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for name, target in _imports(node):
                    self._bind(name, target)
            else:
                for name in _bound(node):
                    self._bind(name, None)

    def _bind(self, name: str, target: Target | None) -> None:
        if target is not None and target.name == "*":
            self.stars.append(target)
        elif self.names.setdefault(name, target) != target:
            self.names[name] = None

    def tree(self) -> Tree:
        """The parsed statements."""
        if self._tree is None:
            cut = self._skeleton()
            self._tree = Tree(_parse(self.text), {}) if cut is None else _without_bodies(cut)
        return self._tree

    @property
    def size(self) -> int:
        """How much there is to parse; a string in triple quotes, however long, is one token."""
        cut = self._skeleton()
        text = self.text if cut is None else cut.text
        return len(text) - sum(end - start for start, end in _long_strings(text))

    @property
    def returns(self) -> str | None:
        """The one word that a function is annotated to return, if it is annotated so."""
        head = _HEAD.search(self.text) if self.defines else None
        return None if head is None else head["returns"]

    def _skeleton(self) -> Skeleton | None:
        if self.defines and self._cut is None and self._tree is None:
            self._cut = skeleton(self.text)
        return self._cut


def _without_bodies(left: Skeleton) -> Tree:
    statements = _parse(left.text)
    nodes = [
        node
        for statement in statements
        if type(statement).__name__ == "ClassDef"
        for node in statement.body.body  # type: ignore[attr-defined]
        if type(node).__name__ == "FunctionDef"
    ]
    if len(nodes) != len(left.methods):
        return Tree((), {})
    left_out = {
        node: LeftOut(text)
        for node, text in zip(nodes, left.methods, strict=True)
        if text is not None
    }
    return Tree(statements, left_out)


def _parse(text: str) -> Sequence[cst.CSTNode]:
    """The statements of a text; none if they cannot be parsed."""
    _kept.parsed += len(text)
    try:
        return parse(Text("", text, "utf-8")).module.body
    except SourceError:
        return ()


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
        self.stars = [star for part in self.parts for star in part.stars]
        declared = _GLOBAL.findall(text) if "global " in text else ()
        self._changed = {name for names in declared for name in _WORD.findall(names)}

    def alias(self, name: str) -> Target | None:
        """The one import that a name always comes from; None if it is bound in any other way."""
        targets = {self.parts[number].names[name] for number in self.by_name.get(name, ())}
        return targets.pop() if len(targets) == 1 else None

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


class _Kept:
    """The outlines of the files that were asked for lately, by path, the latest last."""

    def __init__(self) -> None:
        self.outlines: OrderedDict[str, Outline] = OrderedDict()
        #: how many characters have been parsed since everything was last let go of
        self.parsed = 0

    def of(self, path: str, data: bytes) -> Outline:
        """The outline of a file that holds `data`; raises SourceError if that is no text."""
        if self.parsed > _MOST_PARSED:
            self.outlines.clear()
            self.parsed = 0
        known = self.outlines.pop(path, None)
        if known is None or known.data != data:
            known = Outline(data, decode(data)[0])
        self.outlines[path] = known
        if len(self.outlines) > _MOST_OUTLINES:
            self.outlines.popitem(last=False)
        return known


_kept = _Kept()


def outline_of(path: str) -> Outline | None:
    """The outline of a regular file; None if it is none, too large, or cannot be read as text."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            return None
        return _kept.of(path, data)
    except (OSError, ValueError, SourceError):
        return None


def _parts(text: str) -> Iterator[Part]:
    """The statements in order; a decorator goes with its function, an ``else`` with its ``if``."""
    begin = latest = 0
    for start in _starts(text):
        if text.startswith("@", latest) or _CONTINUED.match(text, start):
            latest = start
            continue
        yield _part(text[begin:start], latest - begin)
        begin = latest = start
    yield _part(text[begin:], latest - begin)


def _starts(text: str) -> Iterator[int]:
    """Where the second statement begins, and all later ones: no string has the line, no join."""
    strings = _long_strings(text)
    inside = next(strings, None)
    for found in _BREAK.finditer(text):
        place = found.start()
        while inside is not None and inside[1] <= place:
            inside = next(strings, None)
        joined = text.endswith("\\", 0, place) or text.endswith("\\\r", 0, place)
        if not joined and (inside is None or place < inside[0]):
            yield found.end()


def _long_strings(text: str) -> Iterator[tuple[int, int]]:
    """Where strings in triple quotes begin and end."""
    place = 0
    while found := _TRIPLE.search(text, place):
        line = max(text.rfind("\n", 0, found.start()) + 1, place)
        plain = _plain_around(text, line, found.start())
        if plain is not None:
            place = plain
            continue
        end = text.find(found[0], found.end())
        while end >= 0 and _is_escaped(text, end):
            end = text.find(found[0], end + 1)
        place = len(text) if end < 0 else end + 3
        yield found.start(), place


def _plain_around(text: str, line: int, place: int) -> int | None:
    """The end of the comment or short string that a place in a line is inside of, or None."""
    for found in _PLAIN.finditer(text, line, text.find("\n", place) % (len(text) + 1)):
        if found.start() > place:
            break
        if found.end() > place:
            return found.end()
    return None


def _is_escaped(text: str, place: int) -> bool:
    """Whether an odd number of backslashes stands before a place."""
    before = place
    while text.startswith("\\", before - 1) and before > 0:
        before -= 1
    return (place - before) % 2 == 1


def _part(text: str, offset: int) -> Part:
    """The part whose last statement begins at `offset`."""
    found = _DEFINITION.match(text, offset)
    return Part(text, None if found is None else found[1])


def _own_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a piece of code, without what nested functions and classes hold."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Target]]:
    """The names that an import binds, and to what."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, Target(node.level, node.module or "", alias.name)
        elif alias.asname is not None:
            yield alias.asname, Target(0, alias.name)
        else:
            first = alias.name.partition(".")[0]
            yield first, Target(0, first)


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a node other than an import binds, or whose value it changes."""
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
