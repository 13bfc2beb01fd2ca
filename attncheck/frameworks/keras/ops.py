"""``keras.ops`` and ``keras.random``: NumPy's functions under Keras' names, and its own.

Where Keras has a function of NumPy's it has its rules: only the parameters are written here.
"""

from __future__ import annotations

from attncheck.algebra.size import const
from attncheck.frameworks.numpy import (
    creation,
    elementwise,
    indexing,
    joining,
    products,
    queries,
    reductions,
    shaping,
)
from attncheck.frameworks.spelling import Spelling, Table
from attncheck.operators import creation as makers
from attncheck.operators import (
    elementwise as functions,
)
from attncheck.operators import (
    heads_last,
    normalising,
    places,
    reduction,
    repeating,
    selection,
    splitting,
)
from attncheck.operators.einsum import einsum
from attncheck.operators.softmax import softmax
from attncheck.values.value import TRUE, Const, Int

TABLE = Table("keras")

_OPS = "keras.ops"
_LAST = Int(const(-1))
_NUMPY: dict[str, Spelling] = {}
for _module in (creation, elementwise, indexing, joining, products, queries, reductions, shaping):
    _NUMPY |= _module.TABLE.spellings

#: Parameters -> the functions of NumPy's that have these in Keras.
_BORROWED = {
    "x": "exp exp2 expm1 log log2 log10 log1p tanh reciprocal square abs absolute negative sign "
    "sin cos tan sinh cosh arcsin arccos arctan isnan isinf isfinite logical_not "
    "sqrt ravel ndim size copy nonzero trace",
    "x1:x, x2:y": "add subtract multiply divide true_divide floor_divide mod power maximum minimum "
    "arctan2 equal not_equal less less_equal greater greater_equal logical_and logical_or "
    "logical_xor matmul dot outer",
    "x, axis=None, keepdims=False": "sum mean std var prod all any argmax argmin median",
    "x, axis=None": "count_nonzero squeeze",
    "x, axis": "expand_dims",
    "x, axis=-1": "argsort sort",
    "x, axis=None, dtype=None": "cumsum cumprod",
    "x, decimals=0": "round",
    "x, newshape:sizes": "reshape",
    "x, axes=None": "transpose",
    "x, axis1:first, axis2:second": "swapaxes",
    "x, source, destination:target": "moveaxis",
    "x, shape:sizes": "broadcast_to",
    "x, repeats:counts": "tile",
    "x, repeats:counts, axis=None": "repeat",
    "x, shift:shifts, axis=None": "roll",
    "x, indices:index, axis=None": "take take_along_axis",
    "x, k:diagonal=0": "tril triu",
    "x, k:offset=0": "diag",
    "x, offset=0, axis1=0, axis2=1": "diagonal",
    "x, x_min:low, x_max:high": "clip",
    "x, indices_or_sections:parts, axis=0": "split array_split",
    "x, pad_width:widths, mode=constant, constant_values=None": "pad",
    "xs, axis=0": "concatenate",
    "x:xs, axis=0": "stack",
    "x1:x, x2:y, axes=2": "tensordot",
    "condition, x1:x=None, x2:y=None": "where",
    "shape, dtype=None": "zeros ones empty",
    "shape, fill_value:value, dtype=None": "full",
    "x, dtype=None": "zeros_like ones_like",
    "x, fill_value:value, dtype=None": "full_like",
    "N:rows, M:columns=None, k=0, dtype=None": "eye",
    "start, stop=None, step=None, dtype=None": "arange",
    "start, stop, num:count=50, endpoint=True, retstep=False, dtype=None, axis=0": "linspace",
    "*x:xs, indexing=xy": "meshgrid",
    "xs": "hstack vstack",
    "x, axis=None, weights=None": "average",
}
for _signature, _names in _BORROWED.items():
    for _name in _names.split():
        _known = _NUMPY[f"numpy.{_name}"]
        TABLE.add(f"{_OPS}.{_name}", _known.operator, _signature, **_known.fixed)

# Other defaults or parameters than NumPy's.
for _name in ("max", "min"):
    TABLE.add(
        f"{_OPS}.{_name} {_OPS}.a{_name}",
        reduction.reduce,
        "x, axis=None, keepdims=False, initial=None",
        kind=Const(_name),
    )
TABLE.add(f"{_OPS}.einsum", einsum, "*operands, **options")
TABLE.add(f"{_OPS}.flip", repeating.flip, "x, axis=None")
TABLE.add(f"{_OPS}.unstack", splitting.unbind, "x, num=None, axis=0")
TABLE.add(
    f"{_OPS}.norm",
    reduction.norm,
    "x, ord:order=None, axis=None, keepdims=False",
    kind=Const("norm"),
)
for _name, _symbol in (("floor", "floored"), ("ceil", "ceiled")):
    TABLE.add(f"{_OPS}.{_name}", functions.unary, "x", symbol=Const(_symbol))
TABLE.add(f"{_OPS}.shape", _NUMPY["numpy.shape"].operator, "x")

# Its own.
TABLE.add(
    f"{_OPS}.logsumexp", reduction.reduce, "x, axis=None, keepdims=False", kind=Const("logsumexp")
)
for _name, _log in (("softmax", False), ("log_softmax", True)):
    TABLE.add(
        f"{_OPS}.{_name} keras.activations.{_name}",
        softmax,
        "x, axis=-1",
        axis=_LAST,
        log=Const(_log),
    )
#: Activations, with the parameters behind the input.
_ACTIVATIONS = {
    "relu": "",
    "relu6": "",
    "leaky_relu": "negative_slope=0.2",
    "elu": "alpha=1.0",
    "selu": "",
    "gelu": "approximate=False",
    "silu": "",
    "swish": "",
    "softplus": "",
    "softsign": "",
    "sigmoid": "",
    "hard_sigmoid": "",
    "hard_silu": "",
    "log_sigmoid": "",
    "tanh": "",
    "erf": "",
    "rsqrt": "",
}
for _name, _rest in _ACTIVATIONS.items():
    TABLE.add(f"{_OPS}.{_name}", functions.unary, f"x, {_rest}", symbol=Const(_name))
_OF_OPS_ALONE = frozenset(["erf", "rsqrt"])
for _name in (*(_ACTIVATIONS.keys() - _OF_OPS_ALONE), "linear", "exponential"):
    _symbol = {"linear": "positive", "exponential": "exp"}.get(_name, _name)
    TABLE.add(f"keras.activations.{_name}", functions.unary, "x, **options", symbol=Const(_symbol))
TABLE.add(
    f"{_OPS}.normalize", normalising.normalize, "x, axis=-1, order=2, epsilon=None", axis=_LAST
)
TABLE.add(
    f"{_OPS}.one_hot",
    makers.one_hot,
    "x, num_classes:count, axis=-1, dtype=None, sparse=False",
    dtype_is=Const("float"),
)
TABLE.add(f"{_OPS}.top_k", selection.topk, "x, k:count, sorted=True")
TABLE.add(f"{_OPS}.slice", places.part, "inputs:x, start_indices, shape:sizes")
TABLE.add(f"{_OPS}.slice_update", places.written, "inputs:x, start_indices, updates:y")
TABLE.add(
    f"{_OPS}.dot_product_attention",
    heads_last.attention,
    "query, key, value, bias=None, mask=None, scale=None, is_causal=False, "
    "flash_attention=None, attn_logits_soft_cap=None",
    grouped=TRUE,
)

# The same elements.
TABLE.add(f"{_OPS}.cast", repeating.identity, "x, dtype")
TABLE.add(f"{_OPS}.stop_gradient", repeating.identity, "variable:x")
TABLE.add(f"{_OPS}.convert_to_tensor", makers.array, "x, dtype=None, sparse=None, ragged=None")
TABLE.add(f"{_OPS}.array", makers.array, "x, dtype=None")
TABLE.add(f"{_OPS}.convert_to_numpy", repeating.identity, "x", becomes=Const("numpy"))
TABLE.add(
    "keras.Variable",
    repeating.learned,
    "initializer:x, shape=None, dtype=None, trainable=True, **options",
)

# Random numbers.
_FLOAT = Const("float")
for _name, _rest in {
    "normal": "mean=0.0, stddev=1.0",
    "truncated_normal": "mean=0.0, stddev=1.0",
    "uniform": "minval=0.0, maxval=1.0",
}.items():
    TABLE.add(
        f"keras.random.{_name}",
        makers.filled,
        f"shape, {_rest}, dtype=None, seed=None",
        dtype_is=_FLOAT,
    )
TABLE.add(
    "keras.random.randint",
    makers.filled,
    "shape, minval, maxval, dtype=None, seed=None",
    dtype_is=Const("int"),
)
TABLE.add("keras.random.dropout", functions.dropout, "inputs:x, rate, noise_shape=None, seed=None")
