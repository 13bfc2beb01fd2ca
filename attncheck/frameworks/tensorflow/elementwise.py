"""TensorFlow's elementwise operations."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import elementwise
from attncheck.operators.call import Operator
from attncheck.values.value import Const

TABLE = Table("tensorflow")

#: What ``tf.math`` and, if marked by a dot in front, ``tf`` itself have.
_BINARY: dict[Operator, str] = {
    elementwise.add: ".add",
    elementwise.subtract: ".subtract",
    elementwise.multiply: ".multiply",
    elementwise.divide: ".divide .truediv divide_no_nan",
    elementwise.floor_divide: "floordiv",
    elementwise.remainder: "mod floormod",
    elementwise.power: ".pow",
    elementwise.maximum: ".maximum",
    elementwise.minimum: ".minimum",
    elementwise.arctan2: "atan2",
    elementwise.equal: ".equal",
    elementwise.not_equal: ".not_equal",
    elementwise.less: ".less",
    elementwise.less_equal: ".less_equal",
    elementwise.greater: ".greater",
    elementwise.greater_equal: ".greater_equal",
    elementwise.logical_and: ".logical_and",
    elementwise.logical_or: ".logical_or",
    elementwise.logical_xor: "logical_xor",
}
#: The two parameters, where they are not called ``x`` and ``y``.
_PAIRS = {"atan2": "y:x, x:y"}


def _names(marked: str) -> str:
    name = marked.removeprefix(".")
    plain = f"tensorflow.{name} " if marked.startswith(".") else ""
    return f"{plain}tensorflow.math.{name}"


for _operator, _marked in _BINARY.items():
    for _name in _marked.split():
        _pair = _PAIRS.get(_name, "x, y")
        TABLE.add(_names(_name), _operator, f"{_pair}, name=None")
TABLE.add("tensorflow.math.multiply_no_nan", elementwise.multiply, "x, y, name=None")

#: Symbol -> names like above.
_UNARY = {
    "exp": ".exp",
    "expm1": "expm1",
    "log": "log",
    "log1p": "log1p",
    "tanh": ".tanh",
    "sigmoid": ".sigmoid",
    "rsqrt": "rsqrt",
    "reciprocal": "reciprocal",
    "square": ".square",
    "absolute": ".abs",
    "negative": ".negative",
    "sign": ".sign",
    "floor": ".floor",
    "ceil": "ceil",
    "round": ".round",
    "sin": ".sin",
    "cos": ".cos",
    "tan": ".tan",
    "sinh": ".sinh",
    "cosh": ".cosh",
    "arcsin": ".asin",
    "arccos": ".acos",
    "arctan": ".atan",
    "erf": "erf",
    "isnan": "is_nan",
    "isinf": "is_inf",
    "isfinite": "is_finite",
    "logical_not": ".logical_not",
    "softplus": "softplus",
    "log_sigmoid": "log_sigmoid",
}
for _symbol, _marked in _UNARY.items():
    for _name in _marked.split():
        _fixed = Const(_symbol)
        TABLE.add(_names(_name), elementwise.unary, "x, name=None", symbol=_fixed)
TABLE.add("tensorflow.sqrt tensorflow.math.sqrt", elementwise.sqrt, "x, name=None")

#: Activations of ``tf.nn``, with their parameters.
_ACTIVATIONS = {
    "relu": "features:x, name=None",
    "relu6": "features:x, name=None",
    "leaky_relu": "features:x, alpha=0.2, name=None",
    "elu": "features:x, name=None",
    "selu": "features:x, name=None",
    "gelu": "features:x, approximate=False, name=None",
    "silu": "features:x, beta=1.0",
    "swish": "features:x, beta=1.0",
    "softplus": "features:x, name=None",
    "softsign": "features:x, name=None",
    "sigmoid": "x, name=None",
    "tanh": "x, name=None",
}
for _name, _signature in _ACTIVATIONS.items():
    TABLE.add(f"tensorflow.nn.{_name}", elementwise.unary, _signature, symbol=Const(_name))

TABLE.add("tensorflow.where", elementwise.where, "condition, x=None, y=None, name=None")
TABLE.add(
    "tensorflow.clip_by_value",
    elementwise.clip,
    "t:x, clip_value_min:low, clip_value_max:high, name=None",
)
TABLE.add(
    "tensorflow.nn.dropout", elementwise.dropout, "x, rate, noise_shape=None, seed=None, name=None"
)
TABLE.add("tensorflow.nn.bias_add", elementwise.add, "value:x, bias:y, data_format=None, name=None")
