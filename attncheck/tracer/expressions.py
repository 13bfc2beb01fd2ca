"""Expressions: from a libcst node to a value.

One small function a node type, in a table; what is not in the table is Unknown. Operators of the
language on tensors are the same operators that the libraries' functions use.
"""

from __future__ import annotations

import ast
import functools
from typing import Any

import libcst as cst

from attncheck.algebra.shape import Shape
from attncheck.algebra.size import const
from attncheck.evidence.declarations import item_name
from attncheck.operators import indexing
from attncheck.tracer import attributes, calls, conditions, containers, loops, unseen, updates
from attncheck.tracer.arithmetic import TOKENS, combine, negate
from attncheck.tracer.builtins import BUILTINS
from attncheck.tracer.defaults import standing_in
from attncheck.tracer.functions import as_setting, make_lambda
from attncheck.tracer.keys import key_of, whole_key
from attncheck.tracer.machine import Evaluator, Machine
from attncheck.tracer.recorder import apply
from attncheck.tracer.reflection import REFLECTIONS
from attncheck.tracer.strings import formatted, plain_string
from attncheck.values.join import join, join_all, without_none
from attncheck.values.tensor import Tensor
from attncheck.values.value import (
    ELLIPSIS,
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    Imported,
    Int,
    Library,
    Mapping,
    Parameter,
    Scalar,
    Sequence,
    ShapeOf,
    Slice,
    Spread,
    Unknown,
    Value,
    as_integer,
    as_tensor,
    expanded,
)

#: Python's own types that programs ask for.
_TYPES = frozenset(["bool", "dict", "float", "int", "list", "set", "str", "tuple"])
#: ``sys.modules[__name__]`` is the module that says so.
_MODULES = Library("sys.modules")
_CONSTANT_NAMES: dict[str, Value] = {"None": NONE, "True": TRUE, "False": FALSE}


def _name(machine: Machine, node: cst.Name) -> Value:
    name = node.value
    value = machine.frames[-1].environment.lookup(name)
    if value is not None:
        return machine.project.look(value) if type(value) is Imported else value
    return _unbound(name)


@functools.lru_cache(maxsize=1024)
def _unbound(name: str) -> Value:
    """What a name is that the program gives no value: one of the language's own, or unknown."""
    constant = _CONSTANT_NAMES.get(name)
    if constant is not None:
        return constant
    known = name in BUILTINS or f"builtins.{name}" in REFLECTIONS or name in _TYPES
    return Library(f"builtins.{name}") if known else UNKNOWN


def _integer(machine: Machine, node: cst.Integer) -> Value:
    return Int(const(int(node.value, 0)))


def _float(machine: Machine, node: cst.Float) -> Value:
    return Const(float(node.value))


def _string(machine: Machine, node: cst.SimpleString) -> Value:
    plain = plain_string(node.value)
    if plain is not None:
        return Const(plain)
    try:
        return Const(ast.literal_eval(node.value))
    except (ValueError, SyntaxError):
        return Scalar("str")


def _text(machine: Machine, node: cst.CSTNode) -> Value:
    return Scalar("str")


def _formatted(machine: Machine, node: cst.FormattedString) -> Value:
    return formatted(node, machine.evaluate)


def _number(machine: Machine, node: cst.CSTNode) -> Value:
    return Scalar("float")


def _ellipsis(machine: Machine, node: cst.CSTNode) -> Value:
    return ELLIPSIS


def _binary(machine: Machine, node: cst.BinaryOperation) -> Value:
    left, right = machine.evaluate(node.left), machine.evaluate(node.right)
    token = TOKENS.get(type(node.operator).__name__)
    if token is None:
        return UNKNOWN
    return combine(machine, token, left, right, node, (node.left, node.right))


def _unary(machine: Machine, node: cst.UnaryOperation) -> Value:
    value = machine.evaluate(node.expression)
    if type(node.operator) is cst.Not:
        truth = conditions.truth(value)
        return Scalar("bool") if truth is None else Const(not truth)
    return negate(machine, type(node.operator).__name__, value, node)


def _comparison(machine: Machine, node: cst.Comparison) -> Value:
    left = machine.evaluate(node.left)
    result: Value = TRUE
    left_node = node.left
    for target in node.comparisons:
        right = machine.evaluate(target.comparator)
        result = conditions.compare(
            machine, left, target.operator, right, node, (left_node, target.comparator)
        )
        left, left_node = right, target.comparator
    return result if len(node.comparisons) == 1 else _chained(result)


def _chained(last: Value) -> Value:
    return UNKNOWN if as_tensor(last) is not None else Scalar("bool")


def _boolean(machine: Machine, node: cst.BooleanOperation) -> Value:
    left = machine.evaluate(node.left)
    known = conditions.truth(left)
    is_and = type(node.operator) is cst.And
    if known is not None and known is not is_and:
        return left
    right = machine.evaluate(node.right)
    if known is not None:
        return right
    if is_and:
        return join(left, right)
    # What is none is false: of an `or` it is the right side.
    left = without_none(left)
    joined = join(left, right)
    if type(joined) not in (Unknown, Tensor):
        return joined
    return standing_in(machine, left, right) or joined


def _conditional(machine: Machine, node: cst.IfExp) -> Value:
    known = conditions.truth(machine.evaluate(node.test))
    if known is not None:
        return machine.evaluate(node.body if known else node.orelse)
    return conditions.either(machine, node.test, node.body, node.orelse)


def _attribute(machine: Machine, node: cst.Attribute) -> Value:
    return attributes.get(machine, machine.evaluate(node.value), node.attr.value, node)


def _call(machine: Machine, node: cst.Call) -> Value:
    machine.step()
    return calls.call_expression(machine, node)


def _sequence(machine: Machine, node: cst.Tuple | cst.List | cst.Set) -> Value:
    items: list[Value] = []
    opened: tuple[int, Shape] | None = None
    for element in node.elements:
        value = machine.evaluate(element.value)
        if type(element) is not cst.StarredElement:
            items.append(value)
            continue
        spread = containers.items_of(machine, value)
        if spread is None:
            if type(value) is not ShapeOf or opened is not None or type(node) is not cst.Tuple:
                return Sequence(None, mutable=type(node) is not cst.Tuple)
            opened = len(items), value.shape
        else:
            items += spread
    if opened is not None:
        place, shape = opened
        return Spread(tuple(items[:place]), shape, tuple(items[place:]))
    if type(node) is cst.Set:
        return Sequence(None, True, join_all(items))
    return Sequence(tuple(items), mutable=type(node) is not cst.Tuple)


def _dict(machine: Machine, node: cst.Dict) -> Value:
    items: dict[object, Value] = {}
    is_open = False
    for element in node.elements:
        value = machine.evaluate(element.value)
        if type(element) is not cst.DictElement:
            is_open = True
            if type(value) is Mapping:
                items.update(value.items)
            continue
        key = machine.evaluate(element.key)
        constant = containers.constant_key(key)
        if constant is None:
            is_open = True
        else:
            items[constant.value] = value
    return Mapping(tuple(items.items()), is_open)


def _subscript(machine: Machine, node: cst.Subscript) -> Value:
    base = without_none(machine.evaluate(node.value))
    if base == _MODULES and _written_key(node) == "__name__":
        return machine.project.this(machine.evidence.file)
    keys = [key_of(machine, element.slice) for element in node.slice]
    declared = _declared_item(machine, node, keys)
    found = containers.item(machine, base, keys) if declared is None else declared
    if type(found) is Unknown and type(base) is Mapping:
        return unseen.item_of_unseen(_written(node.value))
    if found is not None:
        return found
    tensor = as_tensor(base)
    if tensor is None:
        item = updates.at_key(base, whole_key(keys))
        if item is None and type(base) in (Unknown, Library):
            return unseen.item_of_unseen(_written(node.value))
        return item or UNKNOWN
    # A parameter under a string key or an unknown one may as well be a dict.
    is_open = type(base) is Parameter and not _is_shown(machine, base.tensor)
    if type(base) is Parameter and is_open and not all(map(_indexes_arrays, keys)):
        return _entry_of_unseen(machine, base, keys)
    listed = _item_of_unseen(machine, base, keys)
    if listed is not None:
        return listed
    return apply(
        machine,
        indexing.index,
        {"x": base, "key": whole_key(keys)},
        {"x": node.value},
        node,
        "[]",
        tensor.library or "",
    )


def _declared_item(machine: Machine, node: cst.Subscript, keys: list[Value]) -> Value | None:
    """What a declaration says of a dict's item: ``params["W_query"]``."""
    key = keys[0] if len(keys) == 1 and machine.evidence.has_declarations else None
    if type(key) is not Const or not isinstance(key.value, str):
        return None
    name = item_name(_written(node.value), key.value)
    return machine.evidence.declared(machine.frame.place.function, name, node)


def _written_key(node: cst.Subscript) -> str:
    """The name that is the only key of a subscript."""
    index = node.slice[0].slice if len(node.slice) == 1 else None
    return _written(index.value) if type(index) is cst.Index else ""


def _written(node: cst.BaseExpression) -> str:
    """A plain name as it is written; nothing for any other expression."""
    return node.value if type(node) is cst.Name else ""


def _entry_of_unseen(machine: Machine, base: Parameter, keys: list[Value]) -> Value:
    """``config.rope["theta"]``, ``cache.layers[i]``: an item that may be anything."""
    key = keys[0] if len(keys) == 1 else UNKNOWN
    if base.setting and type(key) is Const and isinstance(key.value, str):
        entry = containers.member_of(machine, base, f"[{key.value}]")
        return as_setting(entry, key.value)
    return unseen.item_of_unseen(base.name)


def _item_of_unseen(machine: Machine, base: Value, keys: list[Value]) -> Value | None:
    """``states[1]`` of an argument nothing is known of: it may as well be a list of tensors.

    Each item is then unseen itself, and need not be shaped like the others.
    """
    index = as_integer(keys[0]) if len(keys) == 1 else None
    if type(base) is not Parameter or index is None or base.tensor.shape is None:
        return None
    if _is_shown(machine, base.tensor):
        return None
    return containers.member_of(machine, base, f"[{index}]")


def _is_shown(machine: Machine, tensor: Tensor) -> bool:
    """Whether something that is done with an argument has shown that it is a tensor."""
    shape = expanded(tensor, machine.facts)
    return shape is not None and (shape.closed or shape.at_least > 0)


def _indexes_arrays(key: Value) -> bool:
    if type(key) is Int and key.size is not None:
        # What settings hold under a text may be a text: ``batch[config["PREFIX"] + config["ID"]]``.
        return not any(symbol.name.endswith("]") for symbol in key.size.symbols())
    return type(key) in (Int, Slice, Const, Tensor) and not (
        type(key) is Const and isinstance(key.value, str)
    )


def _walrus(machine: Machine, node: cst.NamedExpr) -> Value:
    value = machine.evaluate(node.value)
    if type(node.target) is not cst.Name:
        return value
    name, scope = node.target.value, machine.environment
    while scope.transparent and scope.outer is not None:
        # The rounds of a comprehension are not followed, so what the last one leaves is not known.
        scope.names[name] = value
        scope = scope.outer
    carried = scope is not machine.environment and scope.lookup(name) is not None
    scope.assign(name, UNKNOWN if carried else value)
    machine.show(name, node.target, value)
    return value


def _await(machine: Machine, node: cst.Await) -> Value:
    machine.evaluate(node.expression)
    return UNKNOWN


def _unknown_after(machine: Machine, node: Any) -> Value:
    return UNKNOWN


EXPRESSIONS: dict[type, Evaluator] = {
    cst.Name: _name,
    cst.Integer: _integer,
    cst.Float: _float,
    cst.Imaginary: _number,
    cst.SimpleString: _string,
    cst.ConcatenatedString: _text,
    cst.FormattedString: _formatted,
    cst.Ellipsis: _ellipsis,
    cst.BinaryOperation: _binary,
    cst.UnaryOperation: _unary,
    cst.Comparison: _comparison,
    cst.BooleanOperation: _boolean,
    cst.IfExp: _conditional,
    cst.Attribute: _attribute,
    cst.Call: _call,
    cst.Tuple: _sequence,
    cst.List: _sequence,
    cst.Set: _sequence,
    cst.Dict: _dict,
    cst.Subscript: _subscript,
    cst.Lambda: make_lambda,
    cst.ListComp: loops.list_comprehension,
    cst.GeneratorExp: loops.list_comprehension,
    cst.SetComp: loops.list_comprehension,
    cst.DictComp: loops.dict_comprehension,
    cst.NamedExpr: _walrus,
    cst.Await: _await,
    cst.Yield: _unknown_after,
}
