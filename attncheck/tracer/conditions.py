"""Conditions: their truth where it is known, and what is learned where it is assumed.

A branch runs under its condition: ``if x.ndim == 3:`` makes the rank 3 inside, ``assert
a.shape[1] == b.shape[1]`` makes the sizes equal from there on. What one branch alone has learned is
forgotten at the join.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from attncheck.algebra.atoms import Division
from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis, Shape, bind_row, close, expand
from attncheck.algebra.size import Remainder, Size, of
from attncheck.evidence.identifiers import names_padding
from attncheck.frameworks import language
from attncheck.record import replace
from attncheck.tracer.choices import evaluate_each
from attncheck.tracer.defaults import absence_test, none_test, presume_alike, standing_in
from attncheck.tracer.machine import Machine
from attncheck.tracer.recorder import apply
from attncheck.tree.pairs import last_name
from attncheck.values.join import join_all, without_none
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Chain,
    Choice,
    Class,
    Const,
    Function,
    Imported,
    Instance,
    Int,
    Layer,
    Library,
    Mapping,
    Method,
    Parameter,
    Partial,
    Scalar,
    Sequence,
    ShapeOf,
    Value,
    as_size,
    as_tensor,
    expanded,
)

_TOKENS = {
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
}
#: What certainly counts as true.
_TRUE = (Function, Method, Partial, Class, Instance, Layer, Imported)
#: What is certainly not None.
_NOT_NONE = (
    *(Int, Scalar, Sequence, Mapping, ShapeOf, Layer, Chain),
    *(Function, Method, Partial, Class, Instance, Library, Imported),
)


def truth(value: Value) -> bool | None:
    """Whether `value` counts as true, or None if that is not known."""
    if type(value) is Const:
        return bool(value.value)
    if type(value) is Int and value.size is not None:
        number = value.size.number
        return None if number is None else number != 0
    if type(value) is Sequence and value.items is not None:
        return bool(value.items)
    if type(value) is Choice:
        truths = {truth(option) for option in value.options}
        return truths.pop() if len(truths) == 1 else None
    return True if type(value) in _TRUE else None


def compare(
    machine: Machine,
    left: Value,
    operator: cst.BaseCompOp,
    right: Value,
    node: cst.CSTNode,
    written: tuple[cst.CSTNode, cst.CSTNode],
) -> Value:
    """One comparison: a constant where its truth is known, a tensor between tensors."""
    kind = type(operator)
    if kind in (cst.Is, cst.IsNot):
        return _identity(left, right, negated=kind is cst.IsNot)
    token = _TOKENS.get(kind)
    if token is None:
        return Scalar("bool")
    if type(left) is Tensor or type(right) is Tensor:
        left, right = (
            side.number if type(side) is Parameter and side.setting else side
            for side in (left, right)
        )
        a, b = as_tensor(left), as_tensor(right)
        library = (a.library if a else None) or (b.library if b else None) or ""
        names = dict(zip(("x", "y"), written, strict=True))
        return apply(
            machine, language.BINARY[token], {"x": left, "y": right}, names, node, token, library
        )
    if (
        type(left) is Int
        and type(right) is Int
        and left.size is not None
        and right.size is not None
    ):
        return _sizes(machine, token, left.size, right.size)
    if type(left) is Const and type(right) is Const and token in ("==", "!="):
        return Const((left.value == right.value) is (token == "=="))
    if type(left) is Parameter and _is_number(right):
        return _compare_unseen(machine, token, left, right, node, written)
    if as_tensor(left) is not None or as_tensor(right) is not None:
        return UNKNOWN
    return Scalar("bool")


def _is_number(value: Value) -> bool:
    """Whether a value certainly is one number or text, or an argument of a number's name."""
    if type(value) is Parameter:
        return names_padding(value.name)
    return type(value) in (Int, Const, Scalar)


def _compare_unseen(
    machine: Machine,
    token: str,
    left: Parameter,
    right: Value,
    node: cst.CSTNode,
    written: tuple[cst.CSTNode, cst.CSTNode],
) -> Parameter:
    """An argument compared with a number: of a tensor a tensor of its shape, of a number a truth.

    It is recorded like that of a tensor, for what it may say of the elements.
    """
    names = dict(zip(("x", "y"), written, strict=True))
    library = left.tensor.library or ""
    made = apply(
        machine, language.BINARY[token], {"x": left, "y": right}, names, node, token, library
    )
    number = as_tensor(made)
    tensor = replace(
        left.tensor,
        dtype="bool",
        optional=False,
        operation=None if number is None else number.operation,
    )
    return Parameter(left.name, tensor, Int(None))


def _identity(left: Value, right: Value, negated: bool) -> Value:
    if right in (TRUE, FALSE) and left in (TRUE, FALSE):
        return TRUE if (left == right) is not negated else FALSE
    if right != NONE:
        return Scalar("bool")
    if left == NONE:
        return FALSE if negated else TRUE
    certain = (
        type(left) in _NOT_NONE
        or (type(left) is Tensor and not left.optional)
        or (type(left) is Parameter and left.given)
        or (type(left) is Choice and NONE not in left.options)
    )
    if certain or type(left) is Const:
        return TRUE if negated else FALSE
    return Scalar("bool")


def _sizes(machine: Machine, token: str, left: Size, right: Size) -> Value:
    difference = machine.facts.resolve(left) - machine.facts.resolve(right)
    number = difference.number
    if number is None and token in ("==", "!="):
        verdict = machine.facts.compare(left, right)
        # That divisions come out even is assumed of shapes, and is what a program asks here.
        even = any(isinstance(atom, Division) for atom in difference.atoms())
        if verdict is Verdict.EQUAL and not even:
            return Const(token == "==")
        return Scalar("bool")
    if number is None:
        return Scalar("bool")
    return Const(
        {
            "==": number == 0,
            "!=": number != 0,
            "<": number < 0,
            "<=": number <= 0,
            ">": number > 0,
            ">=": number >= 0,
        }[token]
    )


def either(
    machine: Machine, test: cst.BaseExpression, yes: cst.BaseExpression, no: cst.BaseExpression
) -> Value:
    """The join of two expressions of which one is evaluated, each under its side of the test."""

    def under(side: bool, node: cst.BaseExpression) -> Callable[[], Value]:
        def run() -> Value:
            learn(machine, test, side)
            return machine.evaluate(node)

        return run

    values = evaluate_each(machine, [under(True, yes), under(False, no)])
    joined = join_all(presume_alike(machine, values))
    asked = absence_test(machine, test)
    kept = None if asked is None else no if asked[1] else yes
    if asked is None or kept is None or not _same_name(asked[0], kept):
        return joined
    default, given = values if asked[1] else values[::-1]
    found = standing_in(machine, given, default)
    return joined if found is None else found


def _same_name(left: cst.CSTNode, right: cst.CSTNode) -> bool:
    """Whether two expressions are the same name or the same attribute of one."""
    while type(left) is cst.Attribute and type(right) is cst.Attribute:
        if left.attr.value != right.attr.value:
            return False
        left, right = left.value, right.value
    return type(left) is cst.Name and type(right) is cst.Name and left.value == right.value


# -- learning -----------------------------------------------------------------------------------


def learn(machine: Machine, test: cst.BaseExpression, holds: bool) -> None:
    """Learn what `test` being true (or false) says about sizes and names."""
    learner = _LEARNERS.get(type(test))
    if learner is not None:
        learner(machine, test, holds)


def _learn_not(machine: Machine, test: cst.UnaryOperation, holds: bool) -> None:
    if type(test.operator) is cst.Not:
        learn(machine, test.expression, not holds)


def _learn_boolean(machine: Machine, test: cst.BooleanOperation, holds: bool) -> None:
    # Only a true `and` and a false `or` say something of both sides.
    if (type(test.operator) is cst.And) is holds:
        learn(machine, test.left, holds)
        learn(machine, test.right, holds)


def _learn_comparison(machine: Machine, test: cst.Comparison, holds: bool) -> None:
    left = test.left
    if not holds and len(test.comparisons) > 1:
        return
    for target in test.comparisons:
        kind = type(target.operator)
        if kind in (cst.Is, cst.IsNot):
            _learn_none(machine, left, target.comparator, holds is (kind is cst.Is))
        elif (kind is cst.Equal and holds) or (kind is cst.NotEqual and not holds):
            _learn_equal(machine, left, target.comparator)
        left = target.comparator


def _learn_none(
    machine: Machine, subject: cst.BaseExpression, other: cst.BaseExpression, is_none: bool
) -> None:
    """``x is None``: the name is None inside; ``x is not None``: it is what it is otherwise."""
    if type(other) is cst.Name and other.value == "None":
        _narrow(machine, subject, is_none)


def _narrow(machine: Machine, subject: cst.BaseExpression, is_none: bool) -> None:
    """Note that what a name or an attribute holds is None, or that it is not."""
    if type(subject) is cst.NamedExpr:
        subject = subject.target
    if type(subject) is cst.Name:
        names = machine.environment.names
        value = names.get(subject.value)
        if value is not None:
            names[subject.value] = NONE if is_none else without_none(value)
    elif type(subject) is cst.Attribute and type(subject.value) is cst.Name:
        owner = machine.environment.lookup(subject.value.value)
        if isinstance(owner, Instance):
            name = subject.attr.value
            value = machine.initialised(owner).attributes.get(name)
            if value is not None:
                changed = NONE if is_none else without_none(value)
                machine.set_attribute(owner, name, changed)


def _learn_truth(
    machine: Machine, test: cst.Name | cst.Attribute | cst.NamedExpr, holds: bool
) -> None:
    """``if mask:``: what counts as true is not None; of a flag what guards say of sizes then."""
    if machine.implied and type(test) is not cst.NamedExpr:
        flag = machine.evaluate(test)
        for value, truth_then, left, right in machine.implied:
            if truth_then is holds and _is_same(value, flag):
                machine.facts.equate(left, right, "a guard raises unless they are equal")
    if holds:
        _narrow(machine, test, is_none=False)


def _is_same(one: Value, other: Value) -> bool:
    """Whether two values are certainly one: what may be no number is known by itself only."""
    size = as_size(one)
    return one is other or (size is not None and size == as_size(other))


def _learn_equal(machine: Machine, left: cst.BaseExpression, right: cst.BaseExpression) -> None:
    rank_of = _rank_subject(machine, left)
    a, b = machine.evaluate(left), machine.evaluate(right)
    if rank_of is not None:
        size = as_size(b)
        if size is not None and size.number is not None:
            close(rank_of, size.number, machine.facts)
            return
    _correct(machine, left, a, b)
    _equate(machine, a, b)


def _correct(machine: Machine, node: cst.BaseExpression, sizes: Value, said: Value) -> None:
    """Take a tensor's shape from what the code says of it, where prose has another number of axes.

    ``if mask.size() != (b, 1, n): raise`` is what is so, whatever the docstring has.
    """
    node = node.func if type(node) is cst.Call else node
    name = node.value if type(node) is cst.Attribute else None
    tensor = as_tensor(machine.evaluate(name)) if type(name) is cst.Name else None
    if tensor is None or tensor.evidence is not Evidence.PROSE or type(name) is not cst.Name:
        return
    known, stated = (each.items if type(each) is Sequence else None for each in (sizes, said))
    if known is not None and stated is not None and len(known) != len(stated):
        shape = Shape(tuple(Axis(as_size(item)) for item in stated))
        shown = replace(tensor.with_shape(shape), evidence=Evidence.CODE)
        machine.environment.names[name.value] = shown


def _rank_subject(machine: Machine, node: cst.BaseExpression) -> Shape | None:
    """The shape whose rank ``x.ndim``, ``x.dim()``, ``len(x.shape)`` or ``len(sizes)`` is."""
    if type(node) is cst.Call and type(node.func) is cst.Name and len(node.args) == 1:
        inner = node.args[0].value
        if node.func.value == "len" and type(inner) is cst.Attribute:
            return _shape_if(machine, inner, {"shape"})
        if node.func.value == "len" and type(inner) is cst.Name:
            sizes = machine.evaluate(inner)
            return sizes.shape if type(sizes) is ShapeOf else None
        return None
    if type(node) is cst.Call and type(node.func) is cst.Attribute and not node.args:
        return _shape_if(machine, node.func, {"dim", "ndimension"})
    return _shape_if(machine, node, {"ndim"}) if type(node) is cst.Attribute else None


def _shape_if(machine: Machine, node: cst.Attribute, names: set[str]) -> Shape | None:
    if node.attr.value not in names:
        return None
    return expanded(machine.evaluate(node.value), machine.facts)


def _equate(machine: Machine, left: Value, right: Value) -> None:
    a, b = as_size(left), as_size(right)
    if a is not None and b is not None:
        if _learn_divisible(machine, a, b):
            return
        machine.facts.equate(a, b, "the code says that they are equal")
        return
    if type(left) is ShapeOf or type(right) is ShapeOf:
        _equate_shapes(machine, left, right)
        return
    if type(left) is not Sequence or type(right) is not Sequence:
        return
    for one, other in zip(left.items or (), right.items or (), strict=False):
        _equate(machine, one, other)


def _learn_divisible(machine: Machine, a: Size, b: Size) -> bool:
    """``size % divisor == 0``."""
    remainder, zero = (a, b) if b.number == 0 else (b, a)
    if zero.number != 0:
        return False
    atoms = [atom for atom in remainder.atoms() if type(atom) is Remainder]
    if len(atoms) != 1 or remainder != of(atoms[0]):
        return False
    machine.facts.divides(atoms[0].denominator, atoms[0].numerator, "the code says that it divides")
    return True


def _equate_shapes(machine: Machine, left: Value, right: Value) -> None:
    """``x.shape == (B, T, d)`` or ``x.shape == y.shape``, one of the shapes open."""
    if type(left) is not ShapeOf:
        left, right = right, left
    assert type(left) is ShapeOf
    if type(right) is ShapeOf:
        ours, theirs = expand(left.shape, machine.facts), expand(right.shape, machine.facts)
        if ours.row is not None and theirs.closed and ours.at_least == 0:
            bind_row(ours.row, theirs, machine.facts)
        elif theirs.row is not None and ours.closed and theirs.at_least == 0:
            bind_row(theirs.row, ours, machine.facts)
        return
    if type(right) is not Sequence or right.items is None:
        return
    known = close(left.shape, len(right.items), machine.facts)
    if known is not None:
        for axis, item in zip(known.axes, right.items, strict=True):
            size = as_size(item)
            if axis.size is not None and size is not None:
                machine.facts.equate(axis.size, size, "the code says that they are equal")


def _learn_call(machine: Machine, test: cst.Call, holds: bool) -> None:
    """``isinstance(padding, tuple)``: a name that was taken for a number may be something else.

    ``exists(mask)``: what the project's own tests for None say.
    """
    asked = none_test(machine, test)
    if asked is not None:
        _narrow(machine, asked[0], asked[1] is holds)
        return
    if not holds or last_name(test.func) not in _KINDS:
        return
    subject = test.args[0].value if test.args else None
    if type(subject) is cst.Name:
        value = machine.environment.names.get(subject.value)
        if type(value) is Int or type(value) is Scalar:
            machine.environment.names[subject.value] = UNKNOWN


#: What asks which kind of thing something is.
_KINDS = frozenset(["isinstance", "is_tensor"])

_LEARNERS: dict[type, Callable[[Machine, Any, bool], None]] = {
    cst.Name: _learn_truth,
    cst.Attribute: _learn_truth,
    cst.NamedExpr: _learn_truth,
    cst.UnaryOperation: _learn_not,
    cst.BooleanOperation: _learn_boolean,
    cst.Comparison: _learn_comparison,
    cst.Call: _learn_call,
}
