"""What operations do to single elements, as far as masks are made with them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from attncheck.graph import Operand, Operation
from attncheck.values.value import Const, Int


def _logarithm(value: float) -> float:
    return -math.inf if value == 0 else math.log(value)


def _bits(function: Callable[[int, int], int]) -> Callable[[float, float], float]:
    """An operation on bits, which floats do not have."""

    def whole(left: float, right: float) -> float:
        if left != int(left) or right != int(right):
            raise ValueError(left, right)
        return function(int(left), int(right))

    return whole


#: Elementwise operations of two operands by their symbols.
BINARY: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "&": _bits(operator.and_),
    "|": _bits(operator.or_),
    "^": _bits(operator.xor),
    "and": lambda left, right: bool(left) and bool(right),
    "or": lambda left, right: bool(left) or bool(right),
    "xor": lambda left, right: bool(left) != bool(right),
    "maximum": max,
    "minimum": min,
}
#: Those of one operand.
UNARY: dict[str, Callable[[float], float]] = {
    "negative": operator.neg,
    "positive": operator.pos,
    "absolute": abs,
    "logical_not": operator.not_,
    "log": _logarithm,
}
#: What a comparison says with its sides exchanged.
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def fill(kept: float, mask: float, value: float) -> float:
    """masked_fill: `value` where the mask is true."""
    return value if mask else kept


def choose(condition: float, true: float, false: float) -> float:
    """Where: one value where the condition holds, the other where it does not."""
    return true if condition else false


def number_of(operand: Operand | None) -> float | None:
    """The number that an operand is, or None if it is none or not known."""
    value = None if operand is None else operand.value
    if type(value) is Const and isinstance(value.value, int | float):
        return float(value.value)
    if type(value) is Int and value.size is not None and value.size.number is not None:
        return float(value.size.number)
    return None


def whole(number: float | None) -> int | None:
    """A number without a fraction as an integer; None for any other, infinity among them."""
    return int(number) if number is not None and number.is_integer() else None


def operand_of(made: Operation, name: str) -> Operand | None:
    """The operand of a name, or None."""
    return next((operand for operand in made.operands if operand.name == name), None)
