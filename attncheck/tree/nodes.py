"""What makes libcst's nodes: one short function for each class, and the fields that it sets.

libcst's own constructors set every field, through a frozen dataclass, and check what a parser
cannot get wrong; that is most of what `libcst.parse_module` costs. A node made here has no
whitespace, no commas and no brackets: a field that is not named below is not set.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

import libcst as cst


class Unusual(Exception):
    """Code that is left to libcst's own parser."""


#: The fields of each class of nodes that are set.
FIELDS: Final[dict[type, tuple[str, ...]]] = {}


def _maker(kind: type[cst.CSTNode], *names: str) -> Callable[..., Any]:
    """What makes nodes of a class from the values of these fields.

    The short forms are spelled out because nearly every node comes by there.
    """
    FIELDS[kind] = names
    new: Callable[[type[cst.CSTNode]], Any] = object.__new__
    setters = [getattr(kind, name).__set__ for name in names]
    first, second = (*setters, None, None)[:2]

    def make_one(value: object) -> Any:
        node = new(kind)
        first(node, value)
        return node

    def make_two(value: object, other: object) -> Any:
        node = new(kind)
        first(node, value)
        second(node, other)
        return node

    def make(*values: object) -> Any:
        node = new(kind)
        for setter, value in zip(setters, values, strict=True):
            setter(node, value)
        return node

    short: dict[int, Callable[..., Any]] = {1: make_one, 2: make_two}
    return short.get(len(names), make)


MODULE = _maker(cst.Module, "body")
LINE = _maker(cst.SimpleStatementLine, "body")
SUITE = _maker(cst.SimpleStatementSuite, "body")
BLOCK = _maker(cst.IndentedBlock, "body")
FUNCTION = _maker(
    cst.FunctionDef, "name", "params", "body", "decorators", "returns", "asynchronous"
)
CLASS = _maker(cst.ClassDef, "name", "body", "bases", "keywords", "decorators")
DECORATOR = _maker(cst.Decorator, "decorator")
PARAMETERS = _maker(
    cst.Parameters, "params", "star_arg", "kwonly_params", "star_kwarg", "posonly_params"
)
PARAM = _maker(cst.Param, "name", "annotation", "default", "star")
PARAM_STAR = _maker(cst.ParamStar)
ANNOTATION = _maker(cst.Annotation, "annotation")
ASYNCHRONOUS = _maker(cst.Asynchronous)
IF = _maker(cst.If, "test", "body", "orelse")
ELSE = _maker(cst.Else, "body")
WHILE = _maker(cst.While, "test", "body", "orelse")
FOR = _maker(cst.For, "target", "iter", "body", "orelse", "asynchronous")
TRY = _maker(cst.Try, "body", "handlers", "orelse", "finalbody")
TRY_STAR = _maker(cst.TryStar, "body", "handlers", "orelse", "finalbody")
HANDLER = _maker(cst.ExceptHandler, "body", "type", "name")
HANDLER_STAR = _maker(cst.ExceptStarHandler, "body", "type", "name")
FINALLY = _maker(cst.Finally, "body")
WITH = _maker(cst.With, "items", "body", "asynchronous")
WITH_ITEM = _maker(cst.WithItem, "item", "asname")
AS_NAME = _maker(cst.AsName, "name")
ASSIGN = _maker(cst.Assign, "targets", "value")
ASSIGN_TARGET = _maker(cst.AssignTarget, "target")
ANN_ASSIGN = _maker(cst.AnnAssign, "target", "annotation", "value")
AUG_ASSIGN = _maker(cst.AugAssign, "target", "operator", "value")
EXPR = _maker(cst.Expr, "value")
RETURN = _maker(cst.Return, "value")
RAISE = _maker(cst.Raise, "exc", "cause")
FROM = _maker(cst.From, "item")
ASSERT = _maker(cst.Assert, "test", "msg")
DEL = _maker(cst.Del, "target")
GLOBAL = _maker(cst.Global, "names")
NONLOCAL = _maker(cst.Nonlocal, "names")
NAME_ITEM = _maker(cst.NameItem, "name")
PASS = _maker(cst.Pass)
BREAK = _maker(cst.Break)
CONTINUE = _maker(cst.Continue)
IMPORT = _maker(cst.Import, "names")
IMPORT_FROM = _maker(cst.ImportFrom, "module", "names", "relative")
IMPORT_ALIAS = _maker(cst.ImportAlias, "name", "asname")
IMPORT_STAR = _maker(cst.ImportStar)
DOT = _maker(cst.Dot)

NAME = _maker(cst.Name, "value")
INTEGER = _maker(cst.Integer, "value")
FLOAT = _maker(cst.Float, "value")
IMAGINARY = _maker(cst.Imaginary, "value")
STRING = _maker(cst.SimpleString, "value")
FORMATTED_TEXT = _maker(cst.FormattedStringText, "value")
FORMATTED_EXPRESSION = _maker(
    cst.FormattedStringExpression, "expression", "conversion", "format_spec"
)
FORMATTED = _maker(cst.FormattedString, "parts")
#: What libcst parses inside of an f-string is more than is made here.
FIELDS[cst.FormattedString] = ()
CONCATENATED = _maker(cst.ConcatenatedString, "left", "right")
ELLIPSIS = _maker(cst.Ellipsis)
ATTRIBUTE = _maker(cst.Attribute, "value", "attr")
CALL = _maker(cst.Call, "func", "args")
ARG = _maker(cst.Arg, "value", "keyword", "star")
SUBSCRIPT = _maker(cst.Subscript, "value", "slice")
SUBSCRIPT_ELEMENT = _maker(cst.SubscriptElement, "slice")
INDEX = _maker(cst.Index, "value", "star")
SLICE = _maker(cst.Slice, "lower", "upper", "step")
TUPLE = _maker(cst.Tuple, "elements")
LIST = _maker(cst.List, "elements")
SET = _maker(cst.Set, "elements")
DICT = _maker(cst.Dict, "elements")
ELEMENT = _maker(cst.Element, "value")
STARRED = _maker(cst.StarredElement, "value")
DICT_ELEMENT = _maker(cst.DictElement, "key", "value")
STARRED_DICT = _maker(cst.StarredDictElement, "value")
LIST_COMP = _maker(cst.ListComp, "elt", "for_in")
SET_COMP = _maker(cst.SetComp, "elt", "for_in")
GENERATOR = _maker(cst.GeneratorExp, "elt", "for_in")
DICT_COMP = _maker(cst.DictComp, "key", "value", "for_in")
COMP_FOR = _maker(cst.CompFor, "target", "iter", "ifs", "inner_for_in", "asynchronous")
COMP_IF = _maker(cst.CompIf, "test")
LAMBDA = _maker(cst.Lambda, "params", "body")
IF_EXP = _maker(cst.IfExp, "test", "body", "orelse")
BINARY = _maker(cst.BinaryOperation, "left", "operator", "right")
UNARY = _maker(cst.UnaryOperation, "operator", "expression")
BOOLEAN = _maker(cst.BooleanOperation, "left", "operator", "right")
COMPARISON = _maker(cst.Comparison, "left", "comparisons")
COMPARISON_TARGET = _maker(cst.ComparisonTarget, "operator", "comparator")
NAMED = _maker(cst.NamedExpr, "target", "value")
AWAIT = _maker(cst.Await, "expression")
YIELD = _maker(cst.Yield, "value")


class Table(dict[type, Any]):
    """What is done with each type of CPython's nodes; one that it does not have is unusual."""

    def __missing__(self, kind: type) -> Any:
        raise Unusual(kind.__name__)


def _operators(names: dict[str, str]) -> Table:
    """What makes the node of each operator, by CPython's type."""
    kinds = {getattr(ast, name): getattr(cst, other) for name, other in names.items()}
    return Table({kind: _maker(other) for kind, other in kinds.items()})


_ARITHMETIC: Final = {
    **{"Add": "Add", "Sub": "Subtract", "Mult": "Multiply", "MatMult": "MatrixMultiply"},
    **{"Div": "Divide", "FloorDiv": "FloorDivide", "Mod": "Modulo", "Pow": "Power"},
    **{"LShift": "LeftShift", "RShift": "RightShift"},
    **{"BitOr": "BitOr", "BitXor": "BitXor", "BitAnd": "BitAnd"},
}
BINARY_OPERATORS: Final = _operators(_ARITHMETIC)
ASSIGNING_OPERATORS: Final = _operators(
    {name: f"{other}Assign" for name, other in _ARITHMETIC.items()}
)
UNARY_OPERATORS: Final = _operators(
    {"Not": "Not", "USub": "Minus", "UAdd": "Plus", "Invert": "BitInvert"}
)
BOOLEAN_OPERATORS: Final = _operators({"And": "And", "Or": "Or"})
COMPARING_OPERATORS: Final = _operators(
    {
        **{"Eq": "Equal", "NotEq": "NotEqual", "Is": "Is", "IsNot": "IsNot"},
        **{"Lt": "LessThan", "LtE": "LessThanEqual", "In": "In", "NotIn": "NotIn"},
        **{"Gt": "GreaterThan", "GtE": "GreaterThanEqual"},
    }
)
