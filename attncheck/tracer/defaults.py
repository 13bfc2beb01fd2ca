"""Arguments that were not given, and what stands in for them: ``if x is None: x = ...``.

What an argument gets when it is left out is of its kind: a number where it is a number, and a
tensor of as many axes where it is a tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import libcst as cst

from attncheck.algebra.shape import Axis, Shape, close, expand
from attncheck.record import replace
from attncheck.tracer.machine import Machine
from attncheck.tracer.naming import settle
from attncheck.tree.pairs import parts
from attncheck.values.join import join
from attncheck.values.tensor import Evidence
from attncheck.values.value import (
    NONE,
    Class,
    Function,
    Imported,
    Int,
    Layer,
    Library,
    Method,
    Parameter,
    Partial,
    Scalar,
    Value,
    as_tensor,
    expanded,
)

#: What projects call their own test for None, and what puts something in its place.
_HELPERS: Final = frozenset(["default", "exists", "is_given", "not_none", "is_not_none"])
#: What stands in for a function that is not given.
_CALLABLE: Final = frozenset([Class, Function, Imported, Layer, Library, Method, Partial])


def none_test(machine: Machine, test: cst.BaseExpression) -> tuple[cst.BaseExpression, bool] | None:
    """What a test compares with None, and whether it is true of None; None for any other test.

    ``x is None``, ``not (x is not None)``, and ``exists(x)`` for a function of the project that
    returns nothing but such a test of its argument.
    """
    if type(test) is cst.UnaryOperation and type(test.operator) is cst.Not:
        inner = none_test(machine, test.expression)
        return None if inner is None else (inner[0], not inner[1])
    if type(test) is cst.Comparison and len(test.comparisons) == 1:
        (target,) = test.comparisons
        kind, other = type(target.operator), target.comparator
        if kind in (cst.Is, cst.IsNot) and type(other) is cst.Name and other.value == "None":
            return test.left, kind is cst.Is
    if type(test) is cst.Call and len(test.args) == 1 and test.args[0].keyword is None:
        callee = machine.resolved(machine.evaluate(test.func))
        asked = _asked(machine, callee) if type(callee) is Function else None
        return None if asked is None else (test.args[0].value, asked)
    return None


def asked_for(body: cst.CSTNode) -> frozenset[str]:
    """The names of which code asks whether they are None, or whether they are true.

    What is used without asking is given by whoever calls, whatever its default says.
    """
    asked: set[str] = set()
    for part in parts(body):
        tested = _TESTED.get(type(part))
        for node in () if tested is None else tested(part):
            asked.update(_named(node))
    return frozenset(asked)


def _compared(node: cst.Comparison) -> list[cst.BaseExpression]:
    """What is compared by ``is`` and ``is not`` alone."""
    operators = {type(target.operator) for target in node.comparisons}
    return [node.left] if operators <= {cst.Is, cst.IsNot} else []


def _helped(node: cst.Call) -> list[cst.BaseExpression]:
    """What is given first to one of the helpers."""
    if not isinstance(node.func, cst.Name) or not node.args:
        return []
    return [node.args[0].value] if node.func.value in _HELPERS else []


#: The expressions of which a node asks whether they are None or true, by the kind of node.
_TESTED: Final[dict[type, Callable[[Any], list[cst.BaseExpression]]]] = {
    cst.Comparison: _compared,
    cst.If: lambda node: [node.test],
    cst.IfExp: lambda node: [node.test],
    cst.BooleanOperation: lambda node: [node.left, node.right],
    cst.Call: _helped,
}


def _named(node: cst.BaseExpression) -> list[str]:
    """The name that an expression is, with or without a ``not`` or a ``self`` in front."""
    if type(node) is cst.UnaryOperation and type(node.operator) is cst.Not:
        node = node.expression
    if type(node) is cst.Attribute and type(node.value) is cst.Name and node.value.value == "self":
        node = node.attr
    return [node.value] if type(node) is cst.Name else []


def absence_test(
    machine: Machine, test: cst.BaseExpression
) -> tuple[cst.BaseExpression, bool] | None:
    """What a test asks for, and whether it is true where that is not given; None for other tests.

    A test for None, or the truth of a plain name: ``if not scale: scale = ...``.
    """
    found = none_test(machine, test)
    if found is not None:
        return found
    if type(test) is cst.UnaryOperation and type(test.operator) is cst.Not:
        inner = absence_test(machine, test.expression)
        return None if inner is None else (inner[0], not inner[1])
    return (test, False) if type(test) is cst.Name else None


def _asked(machine: Machine, function: Function) -> bool | None:
    """Whether a function is true of None and false of all else (or the reverse: False)."""
    parameters = function.node.params.params
    if len(parameters) != 1 or function.owner is not None:
        return None
    returned = _returned(function)
    if type(returned) is not cst.Comparison:
        return None
    found = none_test(machine, returned)
    if found is None or type(found[0]) is not cst.Name:
        return None
    return found[1] if found[0].value == parameters[0].name.value else None


def _returned(function: Function) -> cst.CSTNode | None:
    """The expression that a function of one statement returns."""
    node = function.node
    if isinstance(node, cst.Lambda):
        return node.body
    statements = node.body.body
    line = statements[0] if len(statements) == 1 else None
    parts = line.body if type(line) is cst.SimpleStatementLine else ()
    only = parts[0] if len(parts) == 1 else None
    return only.value if type(only) is cst.Return else None


def standing_in(machine: Machine, given: Value, default: Value) -> Value | None:
    """What an argument is after ``default`` has replaced it where it was None.

    None if the default tells nothing of the argument. A number of axes that is told by the default
    is only taken for shapes that are to be stated, and so is a function for one like it.
    """
    if type(given) is Parameter and type(default) is Int:
        return join(given.number, default)
    if type(given) is Parameter and type(default) is not Int and _is_number(default):
        return Scalar("number")
    if type(given) is Parameter and type(default) in _CALLABLE and machine.evidence.presuming:
        return default
    tensor, shape = as_tensor(given), expanded(default, machine.facts)
    if tensor is None or shape is None or shape.rank is None or not machine.evidence.presuming:
        return None
    if not presume_rank(machine, given, shape.rank):
        return None
    made = replace(tensor, optional=False, evidence=Evidence.NAME, operation=None)
    return made.with_shape(Shape((Axis(None),) * shape.rank))


def presume_rank(machine: Machine, value: Value, rank: int) -> bool:
    """Take it that an argument nobody has seen has `rank` axes; whether that was not known."""
    tensor = as_tensor(value)
    if tensor is None or tensor.shape is None or tensor.evidence is not Evidence.FORCED:
        return False
    known = expand(tensor.shape, machine.facts)
    return not known.closed and close(known, rank, machine.facts) is not None


def presume_alike(machine: Machine, values: list[Value]) -> list[Value]:
    """Values of which one is taken; those nobody has seen have as many axes as the others.

    A function that returns what it is given or something else returns tensors of as many axes.
    """
    if not machine.evidence.presuming or not any(type(value) is Parameter for value in values):
        return values
    shapes = [expanded(value, machine.facts) for value in values]
    ranks = {shape.rank for shape in shapes if shape is not None and shape.rank is not None}
    rank = ranks.pop() if len(ranks) == 1 else None
    return [_of_rank(machine, value, rank) for value in values] if rank else values


def _of_rank(machine: Machine, value: Value, rank: int) -> Value:
    """An argument nobody has seen as a tensor of `rank` axes; any other value as it is."""
    if type(value) is not Parameter or value.setting or not presume_rank(machine, value, rank):
        return value
    shape = expanded(value, machine.facts)
    return replace(value.tensor, shape=shape, evidence=Evidence.NAME)


def _is_number(value: Value) -> bool:
    return type(join(value, Int(None))) in (Scalar, Int) and value != NONE


def replaced(machine: Machine, name: str, given: Value, default: Value) -> None:
    """Give a name what it holds after ``if name is None: name = default``."""
    value = standing_in(machine, given, default)
    if value is not None:
        machine.environment.names[name] = settle(machine, name, value)
