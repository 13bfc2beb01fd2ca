"""Expressions: from CPython's nodes to libcst's."""

from __future__ import annotations

import ast
from typing import Any, Final

import libcst as cst

from attncheck.tree import nodes as make
from attncheck.tree.nodes import Table, Unusual
from attncheck.tree.text import Text, literals


def expression(text: Text, node: ast.expr) -> Any:
    """The node that libcst has for an expression."""
    made = _EXPRESSIONS[type(node)](text, node)
    text.placed[id(made)] = node
    return made


def optional(text: Text, node: ast.expr | None) -> Any:
    """The node for an expression that may be left out."""
    return None if node is None else expression(text, node)


def _name(text: Text, node: ast.Name) -> Any:
    return make.NAME(node.id)


def _attribute(text: Text, node: ast.Attribute) -> Any:
    return make.ATTRIBUTE(expression(text, node.value), make.NAME(node.attr))


def dotted(name: str) -> Any:
    """The node for a dotted name, as imports have it."""
    first, *rest = name.split(".")
    made = make.NAME(first)
    for part in rest:
        made = make.ATTRIBUTE(made, make.NAME(part))
    return made


# -- literals -------------------------------------------------------------------------------------


def _constant(text: Text, node: ast.Constant) -> Any:
    return _CONSTANTS[type(node.value)](text, node)


def _word(text: Text, node: ast.Constant) -> Any:
    return make.NAME(str(node.value))


def _integer(text: Text, node: ast.Constant) -> Any:
    return make.INTEGER(text.of(node))


def _float(text: Text, node: ast.Constant) -> Any:
    return make.FLOAT(text.of(node))


def _imaginary(text: Text, node: ast.Constant) -> Any:
    return make.IMAGINARY(text.of(node))


def _ellipsis(text: Text, node: ast.Constant) -> Any:
    return make.ELLIPSIS()


def _string(text: Text, node: ast.Constant | ast.JoinedStr) -> Any:
    written = text.of(node)
    quote = written[0]
    if quote in "\"'" and written.find(quote, 1) == len(written) - 1:
        return make.STRING(written)  # nearly every string
    pieces = list(literals(written))
    parts = _formatted_parts(node) if len(pieces) == 1 and isinstance(node, ast.JoinedStr) else None
    made = [
        make.FORMATTED(parts) if prefix.lower() in _FORMATS else make.STRING(literal)
        for prefix, literal in pieces
    ]
    whole = made.pop()
    while made:
        whole = make.CONCATENATED(made.pop(), whole)
    return whole


def _formatted_parts(node: ast.JoinedStr) -> list[Any] | None:
    """What stands in an f-string of nothing but text and names; None for any other.

    CPython 3.11 does not say where the expressions inside stand, and names do not need it.
    """
    made = [_formatted_part(part) for part in node.values]
    return None if None in made else made


def _formatted_part(part: ast.expr) -> Any:
    if type(part) is ast.Constant:
        return make.FORMATTED_TEXT(str(part.value).replace("{", "{{").replace("}", "}}"))
    assert isinstance(part, ast.FormattedValue)
    if not isinstance(part.value, ast.Name) or part.conversion != -1 or part.format_spec:
        return None
    return make.FORMATTED_EXPRESSION(make.NAME(part.value.id), None, None)


# -- operators ------------------------------------------------------------------------------------


def _binary(text: Text, node: ast.BinOp) -> Any:
    left, right = expression(text, node.left), expression(text, node.right)
    return make.BINARY(left, make.BINARY_OPERATORS[type(node.op)](), right)


def _unary(text: Text, node: ast.UnaryOp) -> Any:
    return make.UNARY(make.UNARY_OPERATORS[type(node.op)](), expression(text, node.operand))


def _boolean(text: Text, node: ast.BoolOp) -> Any:
    operator = make.BOOLEAN_OPERATORS[type(node.op)]
    made = expression(text, node.values[0])
    for value in node.values[1:]:
        made = make.BOOLEAN(made, operator(), expression(text, value))
    return made


def _comparison(text: Text, node: ast.Compare) -> Any:
    targets = [
        make.COMPARISON_TARGET(make.COMPARING_OPERATORS[type(operator)](), expression(text, right))
        for operator, right in zip(node.ops, node.comparators, strict=True)
    ]
    return make.COMPARISON(expression(text, node.left), targets)


def _conditional(text: Text, node: ast.IfExp) -> Any:
    test, body = expression(text, node.test), expression(text, node.body)
    return make.IF_EXP(test, body, expression(text, node.orelse))


def _walrus(text: Text, node: ast.NamedExpr) -> Any:
    return make.NAMED(expression(text, node.target), expression(text, node.value))


def _await(text: Text, node: ast.Await) -> Any:
    return make.AWAIT(expression(text, node.value))


def _yield(text: Text, node: ast.Yield) -> Any:
    return make.YIELD(optional(text, node.value))


def _yield_from(text: Text, node: ast.YieldFrom) -> Any:
    return make.YIELD(make.FROM(expression(text, node.value)))


# -- calls and functions --------------------------------------------------------------------------


def _call(text: Text, node: ast.Call) -> Any:
    return make.CALL(expression(text, node.func), arguments(text, node.args, node.keywords))


def arguments(text: Text, positional: list[ast.expr], keywords: list[ast.keyword]) -> list[Any]:
    """The arguments of a call in the order in which they are written."""
    made = [_positional(text, node) for node in positional]
    if not keywords:
        return made
    named = [_keyword(text, node) for node in keywords]
    if not positional or _place(positional[-1]) < _place(keywords[0]):
        return made + named
    # What is spread may stand after keywords.
    places = [_place(node) for node in (*positional, *keywords)]
    ordered = sorted(zip(places, made + named, strict=True), key=lambda pair: pair[0])
    return [argument for _, argument in ordered]


def _place(node: Any) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _positional(text: Text, node: ast.expr) -> Any:
    if type(node) is ast.Starred:
        return make.ARG(expression(text, node.value), None, "*")
    return make.ARG(expression(text, node), None, "")


def _keyword(text: Text, node: ast.keyword) -> Any:
    value = expression(text, node.value)
    return make.ARG(value, None, "**") if node.arg is None else _given(node.arg, value)


def _given(name: str, value: Any) -> Any:
    return make.ARG(value, make.NAME(name), "")


def _lambda(text: Text, node: ast.Lambda) -> Any:
    return make.LAMBDA(parameters(text, node.args), expression(text, node.body))


def parameters(text: Text, node: ast.arguments) -> Any:
    """The parameters of a function."""
    listed = [*node.posonlyargs, *node.args]
    defaults = [*[None] * (len(listed) - len(node.defaults)), *node.defaults]
    made = [_parameter(text, *pair) for pair in zip(listed, defaults, strict=True)]
    only = zip(node.kwonlyargs, node.kw_defaults, strict=True)
    named = [_parameter(text, *pair) for pair in only]
    star: Any = cst.MaybeSentinel.DEFAULT
    if node.vararg is not None:
        star = _parameter(text, node.vararg, None, "*")
    elif named:
        star = make.PARAM_STAR()
    rest = None if node.kwarg is None else _parameter(text, node.kwarg, None, "**")
    count = len(node.posonlyargs)
    return make.PARAMETERS(made[count:], star, named, rest, made[:count])


def _parameter(text: Text, node: ast.arg, default: ast.expr | None, star: str = "") -> Any:
    name, annotation = make.NAME(node.arg), annotated(text, node.annotation)
    text.placed[id(name)] = node
    return make.PARAM(name, annotation, optional(text, default), star)


def annotated(text: Text, node: ast.expr | None) -> Any:
    """The node around an annotation, if there is one."""
    if node is None:
        return None
    if type(node) is ast.Starred:
        raise Unusual("a spread annotation")
    return make.ANNOTATION(expression(text, node))


# -- containers -----------------------------------------------------------------------------------


def _tuple(text: Text, node: ast.Tuple) -> Any:
    return make.TUPLE(_elements(text, node.elts))


def _list(text: Text, node: ast.List) -> Any:
    return make.LIST(_elements(text, node.elts))


def _set(text: Text, node: ast.Set) -> Any:
    return make.SET(_elements(text, node.elts))


def _elements(text: Text, items: list[ast.expr]) -> list[Any]:
    return [
        make.STARRED(expression(text, item.value))
        if type(item) is ast.Starred
        else make.ELEMENT(expression(text, item))
        for item in items
    ]


def _dict(text: Text, node: ast.Dict) -> Any:
    return make.DICT(
        [
            make.STARRED_DICT(expression(text, value))
            if key is None
            else make.DICT_ELEMENT(expression(text, key), expression(text, value))
            for key, value in zip(node.keys, node.values, strict=True)
        ]
    )


def _subscript(text: Text, node: ast.Subscript) -> Any:
    inner = node.slice
    listed = type(inner) is ast.Tuple and not _is_bracketed(text, inner)
    keys = inner.elts if listed and isinstance(inner, ast.Tuple) else [inner]
    elements = [make.SUBSCRIPT_ELEMENT(_key(text, key)) for key in keys]
    return make.SUBSCRIPT(expression(text, node.value), elements)


def _is_bracketed(text: Text, node: ast.Tuple) -> bool:
    """Whether a tuple in ``[]`` has round brackets of its own, so that it is one key."""
    if not node.elts:
        return True
    first = node.elts[0]
    opening = text.text[text.begin(node) : text.begin(first)]
    if not opening:
        return False
    # Brackets that are open after the first element, and closed before the second, were its own.
    after = text.begin(node.elts[1]) if len(node.elts) > 1 else text.end(node)
    closing = text.text[text.end(first) : after].partition(",")[0]
    if "#" in opening + closing:
        raise Unusual("a comment between brackets")
    return opening.count("(") > closing.count(")")


def _key(text: Text, node: ast.expr) -> Any:
    if type(node) is ast.Slice:
        lower, upper = optional(text, node.lower), optional(text, node.upper)
        return make.SLICE(lower, upper, optional(text, node.step))
    if type(node) is ast.Starred:
        return make.INDEX(expression(text, node.value), "*")
    return make.INDEX(expression(text, node), None)


def _list_comp(text: Text, node: ast.ListComp) -> Any:
    return make.LIST_COMP(expression(text, node.elt), _for(text, node.generators))


def _set_comp(text: Text, node: ast.SetComp) -> Any:
    return make.SET_COMP(expression(text, node.elt), _for(text, node.generators))


def _generator(text: Text, node: ast.GeneratorExp) -> Any:
    return make.GENERATOR(expression(text, node.elt), _for(text, node.generators))


def _dict_comp(text: Text, node: ast.DictComp) -> Any:
    key, value = expression(text, node.key), expression(text, node.value)
    return make.DICT_COMP(key, value, _for(text, node.generators))


def _for(text: Text, generators: list[ast.comprehension]) -> Any:
    """The ``for`` parts of a comprehension, each inside the one before it."""
    made = None
    for node in reversed(generators):
        conditions = [make.COMP_IF(expression(text, test)) for test in node.ifs]
        target, items = expression(text, node.target), expression(text, node.iter)
        asynchronous = make.ASYNCHRONOUS() if node.is_async else None
        made = make.COMP_FOR(target, items, conditions, made, asynchronous)
    return made


_FORMATS: Final = frozenset(["f", "fr", "rf"])
_CONSTANTS: Final = Table(
    {
        bool: _word,
        type(None): _word,
        str: _string,
        bytes: _string,
        int: _integer,
        float: _float,
        complex: _imaginary,
        type(...): _ellipsis,
    }
)
_EXPRESSIONS: Final = Table(
    {
        ast.Name: _name,
        ast.Attribute: _attribute,
        ast.Constant: _constant,
        ast.JoinedStr: _string,
        ast.BinOp: _binary,
        ast.UnaryOp: _unary,
        ast.BoolOp: _boolean,
        ast.Compare: _comparison,
        ast.IfExp: _conditional,
        ast.NamedExpr: _walrus,
        ast.Await: _await,
        ast.Yield: _yield,
        ast.YieldFrom: _yield_from,
        ast.Call: _call,
        ast.Lambda: _lambda,
        ast.Tuple: _tuple,
        ast.List: _list,
        ast.Set: _set,
        ast.Dict: _dict,
        ast.Subscript: _subscript,
        ast.ListComp: _list_comp,
        ast.SetComp: _set_comp,
        ast.GeneratorExp: _generator,
        ast.DictComp: _dict_comp,
    }
)
