"""What the user declares: ``# attncheck: encoder_states = (T_enc, d_h)``, and the settings.

The nearest declaration wins: a comment in the function, in a function around it, in the module;
then the settings, the longest qualified name first. A declaration that cannot be read is kept, with
its line, so that somebody can be told.
"""

from __future__ import annotations

import bisect
import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attncheck.evidence.dimensions import SYMBOLS, Scope
from attncheck.evidence.statement import Statement, state
from attncheck.record import record
from attncheck.values.tensor import Evidence

_MARK: Final = "attncheck:"
#: A class, a method and a name.
_MOST_PARTS: Final = 3
_DECLARATION: Final = re.compile(
    r"#\s*attncheck:\s*(?P<name>[A-Za-z_][\w.]*(?:\[(?:\"[^\"]*\"|'[^']*')\])?)\s*=(?!=)"
    r"\s*(?P<text>.*?)\s*"
)
#: ``params["W_query"]``: what a dict holds under a string.
_ITEM: Final = re.compile(r"(?P<name>[^\[\]]+)\[(?P<quote>[\"'])(?P<key>[^\"'\[\]]*)(?P=quote)\]")
_SIZE_NAMES: Final = frozenset({*SYMBOLS, "B"})


def item_name(name: str, key: str) -> str:
    """The name that an item of a dict is declared under, however its key is quoted."""
    return f'{name}["{key}"]'


def tensor_name(written: str) -> str | None:
    """The name of a tensor as declarations are looked up by; None for what can be no tensor's.

    That is ``NAME``, ``FUNCTION.NAME``, ``CLASS.METHOD.NAME``, each with ``["KEY"]`` or without.
    """
    item = _ITEM.fullmatch(written)
    plain = written if item is None else item["name"]
    parts = plain.split(".")
    if len(parts) > _MOST_PARTS or not all(part.isidentifier() for part in parts):
        return None
    return plain if item is None else item_name(plain, item["key"])


@record
class Declared:
    """One declaration in a comment, as text."""

    name: str
    text: str
    line: int


def declared_in_comments(text: str) -> list[Declared]:
    """The ``# attncheck: NAME = ...`` comments of a source text, in order.

    Only comments count, not what a string says. A text whose tokens cannot be told gives those up
    to the fault.
    """
    if _MARK not in text:
        return []
    return [
        Declared(found["name"], found["text"], line)
        for line, comment in _comments(text)
        if _MARK in comment and (found := _DECLARATION.fullmatch(comment.rstrip()))
    ]


def declared_dims(declarations: Iterable[Declared]) -> list[tuple[str, str]]:
    """The declarations that give a size to a symbol of the table, for a `Scope`."""
    return [
        (declared.name, declared.text) for declared in declarations if _is_size_of_table(declared)
    ]


def scope_of(
    declarations: Iterable[Declared],
    dims: Iterable[tuple[str, str]] = (),
    tensors: Iterable[tuple[str, str]] = (),
) -> Scope:
    """The names of a file, by its comments and by the settings' sizes and tensors."""
    listed = list(declarations)
    shapes = [declared.text for declared in listed if not _is_size_of_table(declared)]
    return Scope([*dims, *declared_dims(listed)], [*shapes, *(text for _, text in tensors)])


def _is_size_of_table(declared: Declared) -> bool:
    return declared.name in _SIZE_NAMES and declared.text[:1] not in ("(", "[")


def _comments(text: str) -> Iterator[tuple[int, str]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        return


class Declarations:
    """The declared shapes of one file.

    ``blocks`` are the functions as (first line, last line), nested ones too: a comment belongs to
    the innermost that contains it, else to the module. ``tensors`` are the settings' (name, shape).
    ``unreadable`` are the comments whose shape is none.
    """

    def __init__(
        self,
        declared: Iterable[Declared],
        blocks: Iterable[tuple[int, int]],
        scope: Scope,
        tensors: Iterable[tuple[str, str]] = (),
    ) -> None:
        self._scope = scope
        self._blocks = sorted(blocks, key=lambda block: (block[0], -block[1]))
        self._starts = [first for first, _ in self._blocks]
        self._settings = dict(tensors)
        self._comments: dict[tuple[int, str], Statement] = {}
        self.unreadable: list[Declared] = []
        for item in declared:
            self._add(item)

    def of(self, name: str, function: str = "", line: int = 0) -> Statement | None:
        """What is declared of `name` in `function` (``Decoder.step``; ``""``: the module).

        `line` is any line of that function (0: outside all). The axes are born in `name`.
        """
        for block in (*self._around(line), 0):
            found = self._comments.get((block, name))
            if found is not None:
                return found
        return self._set(name, function) if self._settings else None

    def _add(self, declared: Declared) -> None:
        if _is_size_of_table(declared):
            return
        name = tensor_name(declared.name)
        shape = None if name is None else self._scope.shape(declared.text, root=name)
        if name is None or shape is None or "." in name.partition("[")[0]:
            self.unreadable.append(declared)
            return
        block = next(self._around(declared.line), 0)
        words = f"`# attncheck: {declared.name} = {declared.text}`"
        self._comments[block, name] = state(shape, Evidence.DECLARED, declared.line, words)

    def _around(self, line: int) -> Iterator[int]:
        """The first lines of the blocks that contain `line`, innermost first."""
        for index in range(bisect.bisect_right(self._starts, line) - 1, -1, -1):
            first, last = self._blocks[index]
            if line <= last:
                yield first

    def _set(self, name: str, function: str) -> Statement | None:
        for qualified in _qualified(name, function):
            text = self._settings.get(qualified)
            if text is None:
                continue
            shape = self._scope.shape(text, root=name)
            if shape is not None:
                words = f"`{qualified} = {text}` in the settings"
                return state(shape, Evidence.DECLARED, 0, words)
        return None


def _qualified(name: str, function: str) -> Iterator[str]:
    """``Decoder.step.hidden``, ``step.hidden``, ``hidden``."""
    parts: Sequence[str] = function.split(".") if function else ()
    for start in range(len(parts)):
        yield ".".join((*parts[start:], name))
    yield name
