"""numpy's elementwise operations, and the few of scipy that attention code uses."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import elementwise
from attncheck.operators.call import Operator
from attncheck.values.value import Const

TABLE = Table("numpy")

_UFUNC = "out=None, *, where=True, casting=same_kind, order=K, dtype=None, subok=True"

_BINARY: dict[Operator, str] = {
    elementwise.add: "add",
    elementwise.subtract: "subtract",
    elementwise.multiply: "multiply",
    elementwise.divide: "divide true_divide",
    elementwise.floor_divide: "floor_divide",
    elementwise.remainder: "remainder mod fmod",
    elementwise.power: "power",
    elementwise.maximum: "maximum fmax",
    elementwise.minimum: "minimum fmin",
    elementwise.arctan2: "arctan2",
    elementwise.equal: "equal",
    elementwise.not_equal: "not_equal",
    elementwise.less: "less",
    elementwise.less_equal: "less_equal",
    elementwise.greater: "greater",
    elementwise.greater_equal: "greater_equal",
    elementwise.logical_and: "logical_and",
    elementwise.logical_or: "logical_or",
    elementwise.logical_xor: "logical_xor",
    elementwise.bit_and: "bitwise_and",
    elementwise.bit_or: "bitwise_or",
    elementwise.bit_xor: "bitwise_xor",
}

for _operator, _names in _BINARY.items():
    for _name in _names.split():
        TABLE.add(f"numpy.{_name}", _operator, f"x1:x, x2:y, /, {_UFUNC}")

#: Symbol -> names of universal functions.
_UNARY = {
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "log": "log",
    "log2": "log2",
    "log10": "log10",
    "log1p": "log1p",
    "tanh": "tanh",
    "reciprocal": "reciprocal",
    "square": "square",
    "absolute": "abs absolute",
    "fabs": "fabs",
    "negative": "negative",
    "positive": "positive",
    "sign": "sign",
    "floor": "floor",
    "ceil": "ceil",
    "rint": "rint",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "sinh": "sinh",
    "cosh": "cosh",
    "arcsin": "arcsin",
    "arccos": "arccos",
    "arctan": "arctan",
    "isnan": "isnan",
    "isinf": "isinf",
    "isfinite": "isfinite",
    "logical_not": "logical_not",
    "invert": "invert bitwise_not",
}

for _symbol, _names in _UNARY.items():
    for _name in _names.split():
        TABLE.add(f"numpy.{_name}", elementwise.unary, f"x, /, {_UFUNC}", symbol=Const(_symbol))

TABLE.add("numpy.sqrt", elementwise.sqrt, f"x, /, {_UFUNC}")
TABLE.add(
    "numpy.nan_to_num",
    elementwise.unary,
    "x, copy=True, nan=0, posinf=None, neginf=None",
    symbol=Const("nan_to_num"),
)
_ROUND = "decimals=0, out=None"
TABLE.add("numpy.round numpy.around", elementwise.unary, f"a:x, {_ROUND}", symbol=Const("round"))
TABLE.add("numpy.ndarray.round", elementwise.unary, f"self:x, {_ROUND}", symbol=Const("round"))
for _name in ("expit", "erf", "logit"):
    TABLE.add(f"scipy.special.{_name}", elementwise.unary, "x, out=None", symbol=Const(_name))

TABLE.add("numpy.where", elementwise.where, "condition, x=None, y=None, /")
_BOUNDS = "a_min:low=None, a_max:high=None, out=None"
TABLE.add("numpy.clip", elementwise.clip, f"a:x, {_BOUNDS}")
TABLE.add("numpy.ndarray.clip", elementwise.clip, "self:x, min:low=None, max:high=None, out=None")
_TOLERANCES = "rtol=0, atol=0, equal_nan=False"
TABLE.add("numpy.isclose", elementwise.isclose, f"a:x, b:y, {_TOLERANCES}")
TABLE.add("numpy.allclose", elementwise.allclose, f"a:x, b:y, {_TOLERANCES}")
TABLE.add("numpy.array_equal", elementwise.same_array, "a1:x, a2:y, equal_nan=False")
