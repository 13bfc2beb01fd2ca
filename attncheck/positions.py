"""Where every node of a tree stands, in one pass of libcst's own code generator.

Generating the code again and counting its characters is exact by construction, and several times
as fast as libcst's PositionProvider, which gives the same answers. Imports libcst: load it only
where a tree exists.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Final

import libcst as cst
from libcst._nodes.internal import CodegenState

from attncheck.nesting import MAX_CHAIN, MAX_DEPTH
from attncheck.tree.pairs import is_made, pairs

#: Python frames that the generator needs: a few for each level that the guard lets through.
_FRAMES: Final = 6 * (MAX_CHAIN + MAX_DEPTH)

#: What the generator may leave out of a text that it repeats.
_DROPPED: Final = frozenset(" \t\f")


def node_offsets(module: cst.Module, text: str) -> Mapping[cst.CSTNode, tuple[int, int]]:
    """The start and end of every node as offsets into `text`, without the whitespace around it.

    A module that was made from CPython's tree has no text of its own: it is parsed for it. Raises
    `libcst.ParserSyntaxError` if libcst cannot do that.
    """
    if not is_made(module):
        return _generated(module, text)
    parsed = cst.parse_module(text)
    offsets = _generated(parsed, text)
    return {one: offsets[other] for one, other in pairs(module, parsed) if other in offsets}


def _generated(module: cst.Module, text: str) -> dict[cst.CSTNode, tuple[int, int]]:
    state = _Counting(module.default_indent, module.default_newline)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + _FRAMES)
    try:
        module._codegen(state)
    finally:
        sys.setrecursionlimit(limit)
    written = "".join(state.tokens)
    same = written == text
    moved = range(len(text) + 1) if same else _alignment(written, text)
    if state.popped or not same:
        last = len(moved) - 1  # the newline that was taken back ended one further on
        for node, (start, end) in state.offsets.items():
            state.offsets[node] = (moved[min(start, last)], moved[min(end, last)])
    return state.offsets


class _Counting(CodegenState):
    """A generator state that notes at which offset each node begins and ends."""

    def __init__(self, default_indent: str, default_newline: str) -> None:
        super().__init__(default_indent, default_newline)
        self.offsets: dict[cst.CSTNode, tuple[int, int]] = {}
        self.offset = 0
        self.open: list[int] = []
        self.popped = False

    def add_indent_tokens(self) -> None:
        self.tokens.extend(self.indent_tokens)
        self.offset += sum(map(len, self.indent_tokens))

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self.offset += len(value)

    def pop_trailing_newline(self) -> None:
        super().pop_trailing_newline()
        self.popped = True
        self.offset = sum(map(len, self.tokens))

    def before_codegen(self, node: cst.CSTNode) -> None:
        self.open.append(self.offset)

    def after_codegen(self, node: cst.CSTNode) -> None:
        start = self.open.pop()
        if node not in self.offsets:  # else its own record, without whitespace, is the better one
            self.offsets[node] = (start, self.offset)

    def record_syntactic_position(  # type: ignore[override]  # a plain object, for speed
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> AbstractContextManager[None]:
        return _Record(self, node, start_node, end_node)


class _Record(AbstractContextManager[None]):
    """Notes what is generated inside it as the place of one node."""

    __slots__ = ("end_node", "node", "start", "start_node", "state")

    def __init__(
        self,
        state: _Counting,
        node: cst.CSTNode,
        start_node: cst.CSTNode | None,
        end_node: cst.CSTNode | None,
    ) -> None:
        self.state = state
        self.node = node
        self.start_node = start_node
        self.end_node = end_node

    def __enter__(self) -> None:
        self.start = self.state.offset

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        offsets = self.state.offsets
        start, end = self.start, self.state.offset
        if self.start_node is not None:
            start = offsets[self.start_node][0]
        if self.end_node is not None:
            end = offsets[self.end_node][1]
        offsets[self.node] = (start, end)


def _alignment(written: str, text: str) -> Sequence[int]:
    """For each offset of `written` the one in `text`, which may have more whitespace.

    A form feed that begins a line of code is the known case.
    """
    moved = []
    offset = 0
    for character in written:
        while offset < len(text) and text[offset] != character and text[offset] in _DROPPED:
            offset += 1
        moved.append(offset)
        offset += 1
    moved.append(min(offset, len(text)))
    return moved
