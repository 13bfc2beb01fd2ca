"""The language's operators: on sizes they compute sizes, on tensors they are tensor operators."""

from __future__ import annotations

import math
from collections.abc import Callable

import libcst as cst

from attncheck.algebra.powers import Powers
from attncheck.algebra.shape import expand
from attncheck.algebra.size import Size, const
from attncheck.frameworks import language
from attncheck.operators.masking import MASK
from attncheck.record import replace
from attncheck.tracer.choices import over
from attncheck.tracer.machine import Machine
from attncheck.tracer.presumed import presumed
from attncheck.tracer.recorder import apply
from attncheck.values.join import any_element, without_none
from attncheck.values.tensor import UNKNOWN_TENSOR, Tensor
from attncheck.values.value import (
    NONE,
    UNKNOWN,
    Choice,
    Const,
    Int,
    Parameter,
    Scalar,
    Sequence,
    Value,
    as_powers,
    as_size,
    as_tensor,
    is_truth,
)

#: The operator that a libcst node type stands for, also in an augmented assignment.
_TOKENS = {
    "Add": "+",
    "Subtract": "-",
    "Multiply": "*",
    "Divide": "/",
    "FloorDivide": "//",
    "Modulo": "%",
    "Power": "**",
    "MatrixMultiply": "@",
    "BitAnd": "&",
    "BitOr": "|",
    "BitXor": "^",
    "LeftShift": "<<",
    "RightShift": ">>",
}
TOKENS: dict[str, str] = _TOKENS | {f"{name}Assign": token for name, token in _TOKENS.items()}
_UNARY_TOKENS = {"Minus": "-", "Plus": "+", "BitInvert": "~"}

_SIZE_OPERATORS: dict[str, Callable[[Size, Size], Size | None]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: None if b.number == 0 else a // b,
    "%": lambda a, b: None if b.number == 0 else a % b,
    "**": lambda a, b: a**b.number if b.number is not None and 0 <= b.number <= 8 else None,
}
#: Operators of numbers only, among what an object was made with: ``d_model // n_heads``.
_COUNTING = frozenset(("//", "%", "**"))
_FLOAT_OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
}


def combine(
    machine: Machine,
    token: str,
    left: Value,
    right: Value,
    node: cst.CSTNode,
    written: tuple[cst.CSTNode, cst.CSTNode],
) -> Value:
    """``left token right``."""
    left, right = without_none(left), without_none(right)
    for side in (left, right):
        if type(side) is Choice and any(
            type(option) in (Tensor, Sequence) for option in side.options
        ):

            def on(option: Value, side: Value = side) -> Value:
                a = option if side is left else left
                b = option if side is right else right
                return combine(machine, token, a, b, node, written)

            return over(machine, side, on)
    if token == "@":
        return _tensors(machine, token, left, right, node, written)
    if type(left) is Parameter or type(right) is Parameter:
        return _with_parameter(machine, token, left, right, node, written)
    if token == "+" and _may_be_joined((left, right), written):
        return UNKNOWN
    if type(left) is Tensor or type(right) is Tensor:
        return _tensors(machine, token, left, right, node, written)
    if type(left) is Sequence or type(right) is Sequence:
        return _sequences(token, left, right)
    return _numbers(token, left, right, machine.shown(node))


def _may_be_joined(sides: tuple[Value, Value], written: tuple[cst.CSTNode, cst.CSTNode]) -> bool:
    """Whether a list or tuple is added to what may be another: ``(logits,) + outputs[1:]``."""
    pairs = ((0, 1), (1, 0))
    return any(
        type(written[one]) in (cst.Tuple, cst.List)
        and type(sides[one]) is Sequence
        and type(sides[other]) is Tensor
        and not sides[other].library  # type: ignore[union-attr]
        for one, other in pairs
    )


def negate(machine: Machine, operator: str, value: Value, node: cst.UnaryOperation) -> Value:
    """A unary minus, plus or ``~``; `operator` is the name of its node type."""
    if type(value) is Int and value.size is not None:
        if operator == "Minus":
            return Int(-value.size)
        return value if operator == "Plus" else Int(None)
    if type(value) is Const and isinstance(value.value, float) and operator == "Minus":
        return Const(-value.value)
    if as_tensor(value) is not None:
        tensor = as_tensor(value)
        token = language.UNARY.get(_UNARY_TOKENS.get(operator, ""))
        if token is None:
            return UNKNOWN
        assert tensor is not None
        return apply(
            machine,
            token,
            {"x": value},
            {"x": node.expression},
            node,
            operator,
            tensor.library or "",
        )
    if is_truth(value):
        return value
    return Scalar("float") if type(value) in (Scalar, Const, Int) else UNKNOWN


def _tensors(
    machine: Machine,
    token: str,
    left: Value,
    right: Value,
    node: cst.CSTNode,
    written: tuple[cst.CSTNode, cst.CSTNode],
) -> Value:
    operator = language.BINARY.get(token)
    a, b = as_tensor(left), as_tensor(right)
    if operator is None or (a is None and b is None):
        return UNKNOWN
    library = (a.library if a is not None else None) or (b.library if b is not None else None)
    names = dict(zip(("x", "y"), written, strict=True))
    return apply(machine, operator, {"x": left, "y": right}, names, node, token, library or "")


def _with_parameter(
    machine: Machine,
    token: str,
    left: Value,
    right: Value,
    node: cst.CSTNode,
    written: tuple[cst.CSTNode, cst.CSTNode],
) -> Value:
    """An operation on an argument that may be a number or a tensor.

    Where its shape is known in part it is a tensor. Against a number it stays both. Against a
    certain tensor the result is a tensor of unknown shape: a number would keep the other's shape,
    a tensor might stretch it.
    """
    left, right = _settled(machine, left), _settled(machine, right)
    if any(type(side) is Parameter and side.tensor.dtype == "bool" for side in (left, right)):
        return UNKNOWN  # who counts with what a comparison gives has compared a tensor
    if machine.making or (token in _COUNTING and _are_kept(left, right)):
        left, right = _number(left), _number(right)
    loose = [value for value in (left, right) if type(value) is Parameter]
    if not loose:
        return combine(machine, token, left, right, node, written)
    others = [value for value in (left, right) if type(value) is not Parameter]
    if others and type(others[0]) is Tensor and loose[0].setting:
        left, right = _number(left), _number(right)
        return _tensors(machine, token, left, right, node, written)
    if others and type(others[0]) is Tensor:
        made = replace(UNKNOWN_TENSOR, library=others[0].library, evidence=others[0].evidence)
        operator = language.BINARY.get(token)
        name = "" if operator is None else operator.__name__
        return presumed(machine, name, {"x": left, "y": right}, made)
    if others and type(others[0]) not in (Int, Const, Scalar):
        return UNKNOWN
    tensor = as_tensor(_tensors(machine, token, left, right, node, written))
    size = _size(token, as_size(left), as_size(right))
    setting = all(value.setting for value in loose)
    return Parameter(loose[0].name, tensor or UNKNOWN_TENSOR, Int(size), setting=setting)


def _are_kept(left: Value, right: Value) -> bool:
    """Whether these are numbers, or what an object was made with: sizes, where they are divided."""
    return all(
        value.kept if type(value) is Parameter else type(value) in (Int, Const, Scalar)
        for value in (left, right)
    )


def _number(value: Value) -> Value:
    """What a constructor counts with is a number."""
    return value.number if type(value) is Parameter else value


def _settled(machine: Machine, value: Value) -> Value:
    """A parameter as the tensor it is, once an operation has shown that it has axes.

    What was shown to have none has counted an axis somewhere, and is a number.
    """
    if type(value) is not Parameter or value.tensor.shape is None:
        return value
    if value.tensor.role == MASK:
        return value.tensor
    shape = expand(value.tensor.shape, machine.facts)
    if shape.rank == 0:
        return value.number
    return value.tensor if shape.at_least else value


def _numbers(token: str, left: Value, right: Value, node: cst.CSTNode | None) -> Value:
    if NONE in (left, right):
        return UNKNOWN  # nothing that this code does with it
    a, b = as_size(left), as_size(right)
    x, y = _as_float(left), _as_float(right)
    below = token == "**" and y is not None and y < 0
    if type(left) is Int and type(right) is Int and token != "/" and not below:
        return Int(_size(token, a, b))
    made = _powers(token, left, right)
    if x is not None and y is not None and token in _FLOAT_OPERATORS:
        number = _float(token, x, y)
        return number if made is None else replace(number, powers=made, node=node)
    if made is not None:
        perhaps = any(type(value) is Scalar and value.perhaps for value in (left, right))
        return Scalar("float", made, perhaps, node)
    if is_truth(left) or is_truth(right):
        both = is_truth(left) and is_truth(right) and token in ("&", "|", "^")
        return Scalar("bool") if both else UNKNOWN
    if type(left) in (Int, Const, Scalar) and type(right) in (Int, Const, Scalar):
        text = _is_text(left) or _is_text(right)
        return Scalar("str" if text else "float")
    return UNKNOWN


def _powers(token: str, left: Value, right: Value) -> Powers | None:
    """``n ** 0.5``, ``1 / root`` and ``root * n`` keep the sizes they are made from."""
    base = as_powers(left)
    if token == "**":
        exponent = _as_float(right)
        return None if base is None or exponent is None else base.to(exponent)
    other = as_powers(right)
    if base is None or other is None or token not in "*/":
        return None
    return base * other if token == "*" else base.over(other)


def _size(token: str, a: Size | None, b: Size | None) -> Size | None:
    operator = _SIZE_OPERATORS.get(token)
    return None if operator is None or a is None or b is None else operator(a, b)


def _float(token: str, x: float, y: float) -> Value:
    try:
        result = complex(_FLOAT_OPERATORS[token](x, y))
    except (ArithmeticError, ValueError):
        return Scalar("float")
    # A negative number to a broken power is no real number, and an overflow no finite one.
    far = not math.isfinite(x) or not math.isfinite(y)
    real = not result.imag and (math.isfinite(result.real) or (far and math.isinf(result.real)))
    return Const(result.real) if real else Scalar("float")


def _as_float(value: Value) -> float | None:
    if type(value) is Const and isinstance(value.value, float):
        return value.value
    size = as_size(value) if type(value) is Int else None
    number = None if size is None else size.number
    return None if number is None or abs(number) > 10**15 else float(number)


def _is_text(value: Value) -> bool:
    if type(value) is Scalar:
        return value.kind == "str"
    return type(value) is Const and isinstance(value.value, str)


def length(sequence: Sequence) -> Size | None:
    """How many items a sequence has, or None."""
    return sequence.length if sequence.items is None else const(len(sequence.items))


def _sequences(token: str, left: Value, right: Value) -> Value:
    if token == "+" and type(left) is Sequence and type(right) is Sequence:
        if left.items is not None and right.items is not None:
            return Sequence(left.items + right.items, left.mutable)
        a, b = length(left), length(right)
        total = None if a is None or b is None else a + b
        return Sequence(None, left.mutable, any_element(left, right), total)
    if token == "*":
        sequence, count = (left, right) if type(left) is Sequence else (right, left)
        assert type(sequence) is Sequence
        size = as_size(count)
        times = None if size is None else size.number
        if sequence.items is not None and times is not None and times * len(sequence.items) <= 64:
            return Sequence(sequence.items * times, sequence.mutable)
        if sequence.items is not None and len(sequence.items) == 1:
            (item,) = sequence.items
            return Sequence(None, sequence.mutable, item, size, copy=item)
        return Sequence(None, sequence.mutable)
    return UNKNOWN
