"""Operands of elementwise operations: tensors, and the numbers that act like tensors of no axes."""

from __future__ import annotations

from attncheck.algebra.shape import SCALAR, Shape
from attncheck.operators.call import Call
from attncheck.values.tensor import Tensor
from attncheck.values.value import Const, Int, Scalar, Value, as_tensor, is_truth


def operand_shape(call: Call, name: str) -> Shape | None:
    """The shape of an operand: of a tensor its own, of a number that of no axes; else None."""
    value = call.arguments.get(name)
    if value is None:
        return None
    if is_number(value):
        return SCALAR
    return call.shape(name)


def factor_shape(call: Call, name: str) -> Shape | None:
    """The shape of what is multiplied as a matrix: None for what only its name makes a number.

    ``def project(A, B): return A @ B`` has no size called `B`.
    """
    return None if is_named_size(call.arguments.get(name)) else operand_shape(call, name)


def is_named_size(value: Value | None) -> bool:
    """Whether a value is a size that stands under a name of its own."""
    return type(value) is Int and value.size is not None and value.size.symbol is not None


def is_number(value: Value) -> bool:
    """Whether a value is certainly a plain number.

    What a comparison with something unknown gives may be of any shape.
    """
    if type(value) is Const:
        return isinstance(value.value, bool | int | float | complex)
    if type(value) is Scalar:
        return value.kind != "str" and not is_truth(value)
    return type(value) is Int


def dtype_of(value: Value | None) -> str | None:
    """The dtype category of a tensor or a number, or None."""
    if value is None:
        return None
    tensor = as_tensor(value)
    if isinstance(value, Tensor):
        return value.dtype
    if tensor is not None:
        return None
    if isinstance(value, Int):
        return "int"
    if isinstance(value, Scalar):
        return value.kind if value.kind in ("float", "int", "bool", "number") else None
    if isinstance(value, Const) and isinstance(value.value, bool | int | float):
        return type(value.value).__name__
    return None
