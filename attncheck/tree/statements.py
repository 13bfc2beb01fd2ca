"""Statements: from CPython's nodes to libcst's."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, Final

import libcst as cst

from attncheck.tree import nodes as make
from attncheck.tree.expressions import (
    annotated,
    arguments,
    dotted,
    expression,
    optional,
    parameters,
)
from attncheck.tree.nodes import Table, Unusual
from attncheck.tree.text import Text


def module_of(text: Text, parsed: ast.Module) -> cst.Module:
    """The module that libcst has for CPython's; raises Unusual where that is not certain."""
    made: cst.Module = make.MODULE(_lines(text, parsed.body))
    return made


def _lines(text: Text, body: Sequence[ast.stmt]) -> list[Any]:
    """The statements of a block: small ones that share a line are one there."""
    made: list[Any] = []
    line: list[Any] = []
    end = 0
    for node in body:
        compound = _COMPOUND.get(type(node))
        if compound is not None:
            line = []
            made.append(compound(text, node))
            text.begun[id(made[-1])] = node.lineno
            continue
        if not line or node.lineno != end:
            line = []
            made.append(make.LINE(line))
            text.begun[id(made[-1])] = node.lineno
        line.append(_SMALL[type(node)](text, node))
        end = node.end_lineno or 0
    return made


def _block(text: Text, body: Sequence[ast.stmt]) -> Any:
    """What stands after a colon."""
    if type(body[0]) in _COMPOUND or text.begins_line(body[0]):
        return make.BLOCK(_lines(text, body))
    made = [_SMALL[type(node)](text, node) for node in body]
    text.begun.update((id(small), node.lineno) for small, node in zip(made, body, strict=True))
    return make.SUITE(made)


def _else(text: Text, body: Sequence[ast.stmt]) -> Any:
    return make.ELSE(_block(text, body)) if body else None


# -- compound statements --------------------------------------------------------------------------


def _function(text: Text, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
    if getattr(node, "type_params", None):
        raise Unusual("type parameters")
    name = make.NAME(node.name)
    text.begun[id(name)] = node.lineno
    return make.FUNCTION(
        name,
        parameters(text, node.args),
        _block(text, node.body),
        _decorators(text, node),
        annotated(text, node.returns),
        _asynchronous(node),
    )


def _asynchronous(node: ast.stmt) -> Any:
    return make.ASYNCHRONOUS() if type(node) in _ASYNCHRONOUS else None


def _decorators(text: Text, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Any:
    return [make.DECORATOR(expression(text, each)) for each in node.decorator_list]


def _class(text: Text, node: ast.ClassDef) -> Any:
    if getattr(node, "type_params", None):
        raise Unusual("type parameters")
    return make.CLASS(
        make.NAME(node.name),
        _block(text, node.body),
        arguments(text, node.bases, []),
        arguments(text, [], node.keywords),
        _decorators(text, node),
    )


def _if(text: Text, node: ast.If) -> Any:
    body, orelse = _block(text, node.body), node.orelse
    other = orelse[0] if orelse else None
    if isinstance(other, ast.If) and text.text.startswith("elif", text.begin(other)):
        return make.IF(expression(text, node.test), body, _if(text, other))
    return make.IF(expression(text, node.test), body, _else(text, orelse))


def _while(text: Text, node: ast.While) -> Any:
    test, body = expression(text, node.test), _block(text, node.body)
    return make.WHILE(test, body, _else(text, node.orelse))


def _for(text: Text, node: ast.For | ast.AsyncFor) -> Any:
    target, items = expression(text, node.target), expression(text, node.iter)
    body, orelse = _block(text, node.body), _else(text, node.orelse)
    return make.FOR(target, items, body, orelse, _asynchronous(node))


def _try(text: Text, node: ast.Try | ast.TryStar) -> Any:
    plain = type(node) is ast.Try
    whole, part = (make.TRY, make.HANDLER) if plain else (make.TRY_STAR, make.HANDLER_STAR)
    handlers = [
        part(_block(text, each.body), optional(text, each.type), _as_name(each.name))
        for each in node.handlers
    ]
    final = make.FINALLY(_block(text, node.finalbody)) if node.finalbody else None
    return whole(_block(text, node.body), handlers, _else(text, node.orelse), final)


def _as_name(name: str | None) -> Any:
    return None if name is None else make.AS_NAME(make.NAME(name))


def _with(text: Text, node: ast.With | ast.AsyncWith) -> Any:
    items = [
        make.WITH_ITEM(
            expression(text, item.context_expr),
            None
            if item.optional_vars is None
            else make.AS_NAME(expression(text, item.optional_vars)),
        )
        for item in node.items
    ]
    return make.WITH(items, _block(text, node.body), _asynchronous(node))


# -- small statements -----------------------------------------------------------------------------


def _assign(text: Text, node: ast.Assign) -> Any:
    targets = [make.ASSIGN_TARGET(expression(text, target)) for target in node.targets]
    return make.ASSIGN(targets, expression(text, node.value))


def _ann_assign(text: Text, node: ast.AnnAssign) -> Any:
    if text.begin(node) != text.begin(node.target):
        raise Unusual("a target in brackets, which libcst does not take here")
    annotation = annotated(text, node.annotation)
    return make.ANN_ASSIGN(expression(text, node.target), annotation, optional(text, node.value))


def _aug_assign(text: Text, node: ast.AugAssign) -> Any:
    operator = make.ASSIGNING_OPERATORS[type(node.op)]()
    return make.AUG_ASSIGN(expression(text, node.target), operator, expression(text, node.value))


def _expr(text: Text, node: ast.Expr) -> Any:
    return make.EXPR(expression(text, node.value))


def _return(text: Text, node: ast.Return) -> Any:
    return make.RETURN(optional(text, node.value))


def _raise(text: Text, node: ast.Raise) -> Any:
    cause = None if node.cause is None else make.FROM(expression(text, node.cause))
    return make.RAISE(optional(text, node.exc), cause)


def _assert(text: Text, node: ast.Assert) -> Any:
    return make.ASSERT(expression(text, node.test), optional(text, node.msg))


def _del(text: Text, node: ast.Delete) -> Any:
    targets = [expression(text, target) for target in node.targets]
    listed = len(targets) > 1 or text.of(node).endswith(",")
    return make.DEL(make.TUPLE(list(map(make.ELEMENT, targets))) if listed else targets[0])


def _global(text: Text, node: ast.Global) -> Any:
    return make.GLOBAL([make.NAME_ITEM(make.NAME(name)) for name in node.names])


def _nonlocal(text: Text, node: ast.Nonlocal) -> Any:
    return make.NONLOCAL([make.NAME_ITEM(make.NAME(name)) for name in node.names])


def _import(text: Text, node: ast.Import) -> Any:
    return make.IMPORT(_aliases(node.names))


def _import_from(text: Text, node: ast.ImportFrom) -> Any:
    names: Any = make.IMPORT_STAR() if node.names[0].name == "*" else _aliases(node.names)
    dots = [make.DOT() for _ in range(node.level)]
    return make.IMPORT_FROM(None if node.module is None else dotted(node.module), names, dots)


def _aliases(names: list[ast.alias]) -> list[Any]:
    return [make.IMPORT_ALIAS(dotted(each.name), _as_name(each.asname)) for each in names]


def _pass(text: Text, node: ast.Pass) -> Any:
    return make.PASS()


def _break(text: Text, node: ast.Break) -> Any:
    return make.BREAK()


def _continue(text: Text, node: ast.Continue) -> Any:
    return make.CONTINUE()


def _unusual(text: Text, node: ast.stmt) -> Any:
    raise Unusual(type(node).__name__)


_ASYNCHRONOUS: Final = frozenset([ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith])
_COMPOUND: Final[dict[type, Any]] = {
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Match: _unusual,
}
_SMALL: Final = Table(
    {
        ast.Assign: _assign,
        ast.AnnAssign: _ann_assign,
        ast.AugAssign: _aug_assign,
        ast.Expr: _expr,
        ast.Return: _return,
        ast.Raise: _raise,
        ast.Assert: _assert,
        ast.Delete: _del,
        ast.Global: _global,
        ast.Nonlocal: _nonlocal,
        ast.Import: _import,
        ast.ImportFrom: _import_from,
        ast.Pass: _pass,
        ast.Break: _break,
        ast.Continue: _continue,
    }
)
