"""``keras.backend`` as it was before Keras had ``keras.ops``: the functions of ``K``."""

from __future__ import annotations

from attncheck.algebra.size import ZERO, const
from attncheck.frameworks.spelling import Table
from attncheck.operators import (
    contraction,
    creation,
    elementwise,
    joining,
    merging,
    permuting,
    queries,
    reduction,
    repeating,
    reshaping,
    selection,
)
from attncheck.operators.call import Operator
from attncheck.operators.softmax import softmax
from attncheck.values.value import Const, Int

TABLE = Table("keras")

_K = "keras.backend"
_LAST, _FIRST = Int(const(-1)), Int(ZERO)

# Products.
TABLE.add(f"{_K}.dot", contraction.dot, "x, y")
TABLE.add(f"{_K}.batch_dot", merging.batch_dot, "x, y, axes=None")

# Elementwise.
for _symbol, _name in {
    "exp": "exp",
    "log": "log",
    "tanh": "tanh",
    "sigmoid": "sigmoid",
    "square": "square",
    "absolute": "abs",
    "sign": "sign",
    "round": "round",
    "sin": "sin",
    "cos": "cos",
    "softplus": "softplus",
    "softsign": "softsign",
    "hard_sigmoid": "hard_sigmoid",
}.items():
    TABLE.add(f"{_K}.{_name}", elementwise.unary, "x", symbol=Const(_symbol))
TABLE.add(f"{_K}.sqrt", elementwise.sqrt, "x")
for _name, _rest in {
    "relu": "alpha=0.0, max_value=None, threshold=0.0",
    "elu": "alpha=1.0",
    "l2_normalize": "axis=None",
}.items():
    TABLE.add(f"{_K}.{_name}", elementwise.unary, f"x, {_rest}", symbol=Const(_name))
_BINARY: dict[Operator, str] = {
    elementwise.maximum: "maximum",
    elementwise.minimum: "minimum",
    elementwise.equal: "equal",
    elementwise.not_equal: "not_equal",
    elementwise.less: "less",
    elementwise.less_equal: "less_equal",
    elementwise.greater: "greater",
    elementwise.greater_equal: "greater_equal",
}
for _operator, _name in _BINARY.items():
    TABLE.add(f"{_K}.{_name}", _operator, "x, y")
TABLE.add(f"{_K}.pow", elementwise.power, "x, a:y")
TABLE.add(f"{_K}.clip", elementwise.clip, "x, min_value:low, max_value:high")
TABLE.add(f"{_K}.dropout", elementwise.dropout, "x, level, noise_shape=None, seed=None")

# Reductions.
for _name in ("sum", "mean", "max", "min", "prod", "std", "var", "any", "all"):
    TABLE.add(f"{_K}.{_name}", reduction.reduce, "x, axis=None, keepdims=False", kind=Const(_name))
for _name in ("argmax", "argmin"):
    TABLE.add(f"{_K}.{_name}", reduction.reduce, "x, axis=-1", kind=Const(_name), axis=_LAST)
for _name in ("cumsum", "cumprod"):
    TABLE.add(f"{_K}.{_name}", reduction.scan, "x, axis=0", kind=Const(_name), axis=_FIRST)
TABLE.add(f"{_K}.softmax", softmax, "x, axis=-1", axis=_LAST)

# Shapes.
TABLE.add(f"{_K}.reshape", reshaping.reshape, "x, shape:sizes")
TABLE.add(f"{_K}.expand_dims", reshaping.unsqueeze, "x, axis=-1", axis=_LAST)
TABLE.add(f"{_K}.squeeze", reshaping.squeeze, "x, axis")
TABLE.add(f"{_K}.flatten", reshaping.ravel, "x")
TABLE.add(f"{_K}.batch_flatten", merging.flatten_behind, "x")
TABLE.add(f"{_K}.permute_dimensions", permuting.permute, "x, pattern:axes")
TABLE.add(f"{_K}.transpose", permuting.permute, "x")
TABLE.add(f"{_K}.repeat", merging.repeat_vector, "x, n:count")
TABLE.add(f"{_K}.repeat_elements", repeating.repeat_interleave, "x, rep:counts, axis")
TABLE.add(f"{_K}.tile", repeating.tile, "x, n:counts")
TABLE.add(f"{_K}.concatenate", joining.concatenate, "tensors:xs, axis=-1", axis=_LAST)
TABLE.add(f"{_K}.stack", joining.stack, "x:xs, axis=0")
TABLE.add(f"{_K}.reverse", repeating.flip, "x, axes:axis")
TABLE.add(f"{_K}.gather", selection.take, "reference:x, indices:index", axis=_FIRST)
TABLE.add(f"{_K}.int_shape {_K}.shape", queries.shape, "x")
TABLE.add(f"{_K}.ndim", queries.rank, "x")

# Tensors made.
_FLOAT, _SINGLE = Const("float"), Const("float32")
for _name in ("zeros", "ones"):
    TABLE.add(f"{_K}.{_name}", creation.filled, "shape, dtype=None, name=None", dtype_is=_FLOAT)
    TABLE.add(f"{_K}.{_name}_like", creation.like, "x, dtype=None, name=None")
for _name, _rest in {
    "random_normal": "mean=0.0, stddev=1.0",
    "random_uniform": "minval=0.0, maxval=1.0",
}.items():
    TABLE.add(
        f"{_K}.{_name}", creation.filled, f"shape, {_rest}, dtype=None, seed=None", dtype_is=_FLOAT
    )
TABLE.add(f"{_K}.arange", creation.arange, "start, stop=None, step=1, dtype=int32")
TABLE.add(f"{_K}.eye", creation.square, "size:rows, dtype=None, name=None")
TABLE.add(f"{_K}.one_hot", creation.one_hot, "indices:x, num_classes:count", dtype_is=_FLOAT)
TABLE.add(
    f"{_K}.constant",
    creation.array,
    "value:x, dtype=None, shape=None, name=None",
    dtype=_SINGLE,
)
TABLE.add(
    f"{_K}.variable",
    repeating.learned,
    "value:x, dtype=None, name=None, constraint=None",
    dtype=_SINGLE,
)
TABLE.add(f"{_K}.cast", repeating.identity, "x, dtype")
TABLE.add(f"{_K}.stop_gradient", repeating.identity, "variables:x")
TABLE.add(f"{_K}.bias_add", elementwise.add, "x, bias:y, data_format=None")
