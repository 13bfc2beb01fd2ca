"""``jax.lax``: the functions below ``jax.numpy`` that attention code calls."""

from __future__ import annotations

from attncheck.algebra.size import ZERO
from attncheck.frameworks.spelling import Table
from attncheck.operators import (
    creation,
    dimension_numbers,
    elementwise,
    joining,
    permuting,
    places,
    reduction,
    repeating,
    reshaping,
    selection,
)
from attncheck.operators.call import Operator
from attncheck.values.value import Const, Int

TABLE = Table("jax")

_LAX = "jax.lax"
_PRECISE = "precision=None, preferred_element_type=None"
_ANY = "*, allow_negative_indices=True"
_FIRST = Int(ZERO)

# Products.
TABLE.add(
    f"{_LAX}.dot_general",
    dimension_numbers.dot_general,
    f"lhs:x, rhs:y, dimension_numbers:numbers, {_PRECISE}, *, out_sharding=None",
)
TABLE.add(f"{_LAX}.batch_matmul", dimension_numbers.batch_matmul, "lhs:x, rhs:y, precision=None")

# Parts.
TABLE.add(
    f"{_LAX}.dynamic_slice", places.part, f"operand:x, start_indices, slice_sizes:sizes, {_ANY}"
)
TABLE.add(
    f"{_LAX}.dynamic_slice_in_dim",
    selection.narrow,
    f"operand:x, start_index:from, slice_size:length, axis=0, {_ANY}",
    axis=_FIRST,
)
TABLE.add(
    f"{_LAX}.dynamic_index_in_dim",
    places.one,
    f"operand:x, index, axis=0, keepdims=True, {_ANY}",
)
TABLE.add(f"{_LAX}.index_in_dim", places.one, "operand:x, index, axis=0, keepdims=True")
TABLE.add(
    f"{_LAX}.slice_in_dim",
    places.cut,
    "operand:x, start_index:start, limit_index:stop, stride:step=1, axis=0",
)
TABLE.add(
    f"{_LAX}.dynamic_update_slice", places.written, f"operand:x, update:y, start_indices, {_ANY}"
)
TABLE.add(
    f"{_LAX}.dynamic_update_slice_in_dim",
    places.written,
    f"operand:x, update:y, start_index, axis, {_ANY}",
)
TABLE.add(f"{_LAX}.top_k", selection.topk, "operand:x, k:count, *, axis=-1")

# Axes.
TABLE.add(f"{_LAX}.expand_dims", reshaping.unsqueeze, "array:x, dimensions:axis")
TABLE.add(f"{_LAX}.squeeze", reshaping.squeeze, "array:x, dimensions:axis")
TABLE.add(f"{_LAX}.transpose", permuting.permute_all, "operand:x, permutation:axes")
TABLE.add(f"{_LAX}.reshape", reshaping.reshape, "operand:x, new_sizes:sizes")
TABLE.add(f"{_LAX}.concatenate", joining.concatenate, "operands:xs, dimension:axis")
TABLE.add(
    f"{_LAX}.broadcast_in_dim", places.spread, "operand:x, shape:sizes, broadcast_dimensions:at"
)
TABLE.add(f"{_LAX}.iota", creation.filled, "dtype, size:shape")
TABLE.add(f"{_LAX}.broadcasted_iota", creation.filled, "dtype, shape, dimension")

# Elements.
TABLE.add(f"{_LAX}.select", elementwise.where, "pred:condition, on_true:x, on_false:y")
_UNARY = {
    **{name: name for name in ("exp", "log", "tanh", "sin", "cos", "rsqrt", "floor", "sign")},
    **{name: name for name in ("log1p", "expm1", "erf", "square")},
    "logistic": "sigmoid",
    "abs": "absolute",
    "neg": "negative",
    "is_finite": "isfinite",
}
for _name, _symbol in _UNARY.items():
    TABLE.add(f"{_LAX}.{_name}", elementwise.unary, "x, *, accuracy=None", symbol=Const(_symbol))
TABLE.add(f"{_LAX}.sqrt", elementwise.sqrt, "x, *, accuracy=None")
_BINARY: dict[str, Operator] = {
    "add": elementwise.add,
    "sub": elementwise.subtract,
    "mul": elementwise.multiply,
    "div": elementwise.divide,
    "max": elementwise.maximum,
    "min": elementwise.minimum,
}
for _name, _operator in _BINARY.items():
    TABLE.add(f"{_LAX}.{_name}", _operator, "x, y")
for _name in ("cumsum", "cumprod", "cummax", "cummin"):
    TABLE.add(
        f"{_LAX}.{_name}",
        reduction.scan,
        "operand:x, axis=0, reverse=False",
        kind=Const(_name),
        axis=_FIRST,
    )

# The same elements: elsewhere, without gradients, of another dtype.
TABLE.add(f"{_LAX}.stop_gradient", repeating.identity, "x")
TABLE.add(f"{_LAX}.convert_element_type", repeating.identity, "operand:x, new_dtype:dtype")
TABLE.add(
    f"{_LAX}.with_sharding_constraint flax.linen.with_logical_constraint",
    repeating.identity,
    "x, shardings, *rest",
)
TABLE.add(
    f"{_LAX}.pmean {_LAX}.psum {_LAX}.pmax",
    repeating.identity,
    "x, axis_name, *, axis_index_groups=None",
)
TABLE.add("jax.device_put", repeating.identity, "x, device=None, *, src=None")
TABLE.add("jax.block_until_ready", repeating.identity, "x")
