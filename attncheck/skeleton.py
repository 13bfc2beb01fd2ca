"""A class without the bodies of its methods, which are parsed one by one when they are called.

Of a class that is imported, as a base say, a method or two are used. Its text is cut down before it
is parsed: of a body only that is kept which is asked of methods that do not run, its docstring, the
attributes that it sets, the methods that it calls on its own object, and whether it yields. Where
the methods stand is read from CPython's own tree, which costs a tenth of libcst's.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import Final, TypeAlias

from attncheck.record import record

_Def: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

#: Shorter classes are parsed as they are.
SHORT: Final = 1_500


@record
class Skeleton:
    """The text of a class with its bodies left out.

    ``methods`` has the text of each method whose body is, with its indentation; None for others.
    """

    text: str
    methods: tuple[str | None, ...]


def skeleton(text: str) -> Skeleton | None:
    """What is left of a class definition; None if it is short, or no class that can be read."""
    if len(text) < SHORT or "\f" in text or "\r" in text.replace("\r\n", ""):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ast.parse(text).body[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError, IndexError):
        return None
    if not isinstance(found, ast.ClassDef):
        return None
    lines = text.split("\n")
    kept: list[str] = []
    methods: list[str | None] = []
    done = 0
    for method in found.body:
        if not isinstance(method, _Def):
            continue
        first, last = _body_lines(method, lines)
        methods.append("\n".join(lines[method.lineno - 1 : last]) if first else None)
        if first:
            indent = lines[first - 1][: method.body[0].col_offset]
            kept += lines[done : first - 1]
            kept += [f"{indent}{line}" for line in _rest(method, lines)]
            done = last
    return Skeleton("\n".join([*kept, *lines[done:]]), tuple(methods))


def _body_lines(method: _Def, lines: list[str]) -> tuple[int, int]:
    """The first and the last line of a body (from 1); zeros if it shares a line with the head."""
    first = method.body[0]
    start = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", ()))])
    if lines[start - 1].encode()[: first.col_offset].strip() or method.end_lineno is None:
        return 0, 0
    return start, method.end_lineno


def _rest(method: _Def, lines: list[str]) -> Iterator[str]:
    """The statements that stand for a body."""
    docstring = method.body[0]
    if ast.get_docstring(method, clean=False) is not None and docstring.end_lineno is not None:
        text = "\n".join(lines[docstring.lineno - 1 : docstring.end_lineno])
        yield text[docstring.col_offset :].rstrip("\r")
    parameters = [*method.args.posonlyargs, *method.args.args]
    own = parameters[0].arg if parameters else ""
    for statement in _statements(method):
        value = getattr(statement, "value", None)
        if isinstance(value, ast.Yield | ast.YieldFrom):
            yield "yield"
        if isinstance(value, ast.Call) and (name := _member(value.func, own)):
            yield f"{own}.{name}()"
        for target in _targets(statement):
            if name := _member(target, own):
                yield f"{own}.{name} = ..."
    yield "..."


def _statements(method: _Def) -> Iterator[ast.AST]:
    """The nodes of a body, without those of functions and classes in it."""
    waiting: list[ast.AST] = list(method.body)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, _Def | ast.ClassDef | ast.expr):
            yield node
            waiting += ast.iter_child_nodes(node)


def _targets(statement: ast.AST) -> Iterator[ast.expr]:
    waiting: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        waiting += statement.targets
    elif isinstance(statement, ast.AnnAssign):
        waiting.append(statement.target)
    while waiting:
        target = waiting.pop()
        if isinstance(target, ast.Tuple | ast.List):
            waiting += target.elts
        else:
            yield target


def _member(node: ast.expr, owner: str) -> str | None:
    """The attribute that an expression is of the name `owner`, or None."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return None
    return node.attr if node.value.id == owner else None
