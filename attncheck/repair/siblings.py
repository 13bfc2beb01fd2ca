"""Candidate fixes by what is written beside: queries, keys and values are made alike.

Of ``q = W_q(x).view(B, T, H, d).transpose(1, 2)`` and ``v = W_v(x).view(B, T, H, d)`` one is made
with a step more, and the names say which parts of the one line stand for which of the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import libcst as cst

from attncheck.attention import behind
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.repair.candidate import Candidate, Change
from attncheck.tree.pairs import inner, names_within, parts

_NEAR = 8
#: What the three parts of an attention are called, alone or within a longer name.
_PARTS = (
    frozenset(["q", "k", "v"]),
    frozenset(["Q", "K", "V"]),
    frozenset(["query", "key", "value"]),
    frozenset(["queries", "keys", "values"]),
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"(?<!\w)\d+")
#: The pieces of an identifier: of ``W_q``, ``qProj`` and ``to_keys`` those that a stem may be.
_PIECE = re.compile(r"[a-z]+|[A-Z][a-z]*|\d+|_+")


def like_siblings(report: Report, view: View) -> Iterator[Candidate]:
    """What an operand was made by, written as the lines beside it are."""
    told: set[str] = set()
    lines = list(islice(_lines_behind(report, view), _NEAR))
    around = view.source.around(report.operation.node)
    own = next((line for line in lines if line in around), None)
    for line in lines:
        target, value = _assigned(line)
        if target is None or value is None:
            continue
        code = view.code(value)
        for other in _beside(line, view):
            name, made = _assigned(other)
            if name is None or made is None or type(made) is not type(value):
                continue
            text = _renamed(view.code(made), name, target)
            if text == view.code(made):
                continue  # no part of it is called after what it makes
            known = names_within(value) | _methods(made)
            if text is None or text == code or text in told or not _words(text) <= known:
                continue
            if line is own and _NUMBER.findall(text) != _NUMBER.findall(code):
                continue  # ``cache[0]`` is for the keys, and ``cache[1]`` for the values
            told.add(text)
            words = f"make {target} as {name} is made"
            yield Candidate((Change(value, text),), words, safe=False)


def _lines_behind(report: Report, view: View) -> Iterator[cst.SimpleStatementLine]:
    """The assignment that an operation is in, and those its operands come from, nearest first."""
    seen: set[cst.CSTNode] = set()
    for made in _made_behind(report, view):
        around = () if made.elsewhere else view.source.around(made.node)
        lines = (node for node in reversed(around) if isinstance(node, cst.SimpleStatementLine))
        line = next(lines, None)
        if line is not None and line not in seen:
            seen.add(line)
            yield line


def _made_behind(report: Report, view: View) -> Iterator[Operation]:
    yield report.operation
    for _, tensor in report.operation.tensors():
        yield from islice(behind(view.graph, tensor), 3 * _NEAR)


def _assigned(line: cst.CSTNode) -> tuple[str | None, cst.BaseExpression | None]:
    """The one name that a line gives a value, and the value."""
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return None, None
    node = line.body[0]
    if not isinstance(node, cst.Assign) or len(node.targets) != 1:
        return None, None
    target = node.targets[0].target
    return (target.value, node.value) if isinstance(target, cst.Name) else (None, None)


def _beside(line: cst.CSTNode, view: View) -> list[cst.CSTNode]:
    """The other lines of a block."""
    around = view.source.around(line)
    return [other for other in inner(around[-2]) if other is not line] if len(around) > 1 else []


def _renamed(code: str, name: str, other: str) -> str | None:
    """Code that makes one thing, with the names of another: None if theirs have nothing alike."""
    stem, to = _stems(name, other)
    if not stem or not to:
        return None

    def turned(match: re.Match[str]) -> str:
        pieces = _PIECE.findall(match[0])
        return "".join(_turned(piece, stem, to) for piece in pieces)

    return _WORD.sub(turned, code)


def _turned(piece: str, stem: str, to: str) -> str:
    for of, into in ((stem, to), (stem.capitalize(), to.capitalize())):
        if piece == of:
            return into
    # ``wq`` and ``Wq``: a weight of the thing.
    return piece[0] + to if len(stem) == 1 and piece.lower() == f"w{stem}" else piece


def _stems(name: str, other: str) -> tuple[str, str]:
    """What tells two names apart: ``query`` and ``value`` of ``query_layer``, ``value_layer``."""
    one, two = _PIECE.findall(name), _PIECE.findall(other)
    if len(one) != len(two):
        return "", ""
    apart = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
    alike = len(apart) == 1 and any(set(apart[0]) <= parts for parts in _PARTS)
    return apart[0] if alike else ("", "")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text))


def _methods(node: cst.CSTNode) -> set[str]:
    """The names of the methods and functions that an expression calls, and of its arguments."""
    calls = [part for part in parts(node) if isinstance(part, cst.Call)]
    called = {call.func.attr.value for call in calls if isinstance(call.func, cst.Attribute)}
    words = {arg.keyword.value for call in calls for arg in call.args if arg.keyword is not None}
    return called | words
