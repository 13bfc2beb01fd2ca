"""Python's own operators on tensors: the operator of each token.

Binary operators take ``x`` and ``y``, unary ones ``x``. An augmented assignment is the binary
operator with the argument ``in_place`` true, where the library works in place.
"""

from __future__ import annotations

from attncheck.operators import contraction, elementwise
from attncheck.operators.call import Operator

BINARY: dict[str, Operator] = {
    "+": elementwise.add,
    "-": elementwise.subtract,
    "*": elementwise.multiply,
    "/": elementwise.divide,
    "//": elementwise.floor_divide,
    "%": elementwise.remainder,
    "**": elementwise.power,
    "@": contraction.matmul,
    "==": elementwise.equal,
    "!=": elementwise.not_equal,
    "<": elementwise.less,
    "<=": elementwise.less_equal,
    ">": elementwise.greater,
    ">=": elementwise.greater_equal,
    "&": elementwise.bit_and,
    "|": elementwise.bit_or,
    "^": elementwise.bit_xor,
    "<<": elementwise.shift_left,
    ">>": elementwise.shift_right,
}

UNARY: dict[str, Operator] = {
    "-": elementwise.negative,
    "+": elementwise.positive,
    "~": elementwise.invert,
}
