"""What the docstrings of a function, and of its class, claim of its arguments and results."""

from __future__ import annotations

import ast
from collections.abc import Callable

import libcst as cst

from attncheck.evidence.docstrings import DocClaims, read_docstring
from attncheck.tracer.strings import plain_string
from attncheck.tree.pairs import parameter_names, parameters_of
from attncheck.values.value import Function


def claims_of(function: Function, line_of: Callable[[cst.CSTNode], int] | None) -> DocClaims:
    """What its docstring says, and that of a class of what its instances are called with."""
    if isinstance(function.node, cst.Lambda):
        return DocClaims()
    only = _only_given(function)
    own = _claims_in(function.node, parameter_names(function.node), only, line_of)
    names = told_by_class(function)
    if not names or function.owner is None:
        return own
    of_class = _claims_in(function.owner.node, names, only, line_of)
    return DocClaims({**of_class.parameters, **own.parameters}, own.returns)


def told_by_class(function: Function) -> list[str]:
    """The parameters of which the docstring of a class may tell: not those of its constructor.

    A flag has no shape: what has one under the name of a flag is the argument.
    """
    if not function.is_forward or function.owner is None:
        return []
    names = parameter_names(function.node)
    made_with = function.owner.members.get("__init__")
    if type(made_with) is not Function or type(made_with.node) is not cst.FunctionDef:
        return names
    taken = {each.name.value for each in parameters_of(made_with.node) if not _is_flag(each)}
    return [name for name in names if name not in taken]


def _is_flag(parameter: cst.Param) -> bool:
    return type(parameter.default) is cst.Name and parameter.default.value in ("True", "False")


def _only_given(function: Function) -> str | None:
    """The one argument that has to be given, if there is one alone."""
    needed = [name for name in parameter_names(function.node) if name not in function.defaults]
    bound = function.owner is not None and function.static != "staticmethod"
    return needed[-1] if len(needed) == 1 + bound else None


def _claims_in(
    node: cst.FunctionDef | cst.ClassDef,
    names: list[str],
    only: str | None,
    line_of: Callable[[cst.CSTNode], int] | None,
) -> DocClaims:
    text = docstring_of(node)
    if text is None or ("(" not in text and "[" not in text):
        return DocClaims()
    try:
        line = 0 if line_of is None else line_of(node.body.body[0])
    except KeyError:
        line = 0  # it stands in another file
    return read_docstring(text, names, line, only if only in names else None)


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
