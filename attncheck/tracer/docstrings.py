"""What the docstrings of a function, and of its class, claim of its arguments and results."""

from __future__ import annotations

import ast
from collections.abc import Callable

import libcst as cst

from attncheck.evidence.docstrings import DocClaims, read_docstring
from attncheck.tracer.strings import plain_string
from attncheck.tree.pairs import parameter_names
from attncheck.values.value import Function


def claims_of(function: Function, line_of: Callable[[cst.CSTNode], int] | None) -> DocClaims:
    """What its docstring says, and that of a class of what its instances are called with."""
    if isinstance(function.node, cst.Lambda):
        return DocClaims()
    names = parameter_names(function.node)
    own = _claims_in(function.node, names, line_of)
    if not function.is_forward or function.owner is None:
        return own
    made_with = function.owner.members.get("__init__")
    if type(made_with) is Function and type(made_with.node) is cst.FunctionDef:
        names = [name for name in names if name not in parameter_names(made_with.node)]
    of_class = _claims_in(function.owner.node, names, line_of)
    return DocClaims({**of_class.parameters, **own.parameters}, own.returns)


def _claims_in(
    node: cst.FunctionDef | cst.ClassDef,
    names: list[str],
    line_of: Callable[[cst.CSTNode], int] | None,
) -> DocClaims:
    text = docstring_of(node)
    if text is None or ("(" not in text and "[" not in text):
        return DocClaims()
    try:
        line = 0 if line_of is None else line_of(node.body.body[0])
    except KeyError:
        line = 0  # it stands in another file
    return read_docstring(text, names, line)


def docstring_of(node: cst.FunctionDef | cst.ClassDef) -> str | None:
    """The text of a docstring, with its indentation as written."""
    body = node.body
    if type(body) is not cst.IndentedBlock or not body.body:
        return None
    first = body.body[0]
    if type(first) is not cst.SimpleStatementLine or not first.body:
        return None
    expression = first.body[0]
    if type(expression) is not cst.Expr:
        return None
    if type(expression.value) is not cst.SimpleString:
        return None
    plain = plain_string(expression.value.value)
    if plain is not None:
        return plain
    try:
        text = ast.literal_eval(expression.value.value)
    except (ValueError, SyntaxError):
        return None
    return text if isinstance(text, str) else None
