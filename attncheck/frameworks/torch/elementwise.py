"""torch's elementwise operations, with their in-place forms."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import elementwise
from attncheck.operators.call import Operator
from attncheck.values.value import TRUE, Const

TABLE = Table("torch")

#: Names that exist as ``torch.name``, ``Tensor.name`` and (if marked) ``Tensor.name_``.
_BINARY: dict[Operator, str] = {
    elementwise.add: "add_",
    elementwise.subtract: "sub_ subtract_",
    elementwise.multiply: "mul_ multiply_",
    elementwise.divide: "div_ divide_ true_divide_",
    elementwise.floor_divide: "floor_divide_",
    elementwise.remainder: "remainder_ fmod_",
    elementwise.power: "pow_",
    elementwise.maximum: "maximum fmax",
    elementwise.minimum: "minimum fmin",
    elementwise.arctan2: "atan2_ arctan2_",
    elementwise.log_add: "logaddexp",
    elementwise.multiply_log: "xlogy_",
    elementwise.equal: "eq_",
    elementwise.not_equal: "ne_ not_equal_",
    elementwise.less: "lt_ less_",
    elementwise.less_equal: "le_ less_equal_",
    elementwise.greater: "gt_ greater_",
    elementwise.greater_equal: "ge_ greater_equal_",
    elementwise.isclose: "isclose",
    elementwise.logical_and: "logical_and_",
    elementwise.logical_or: "logical_or_",
    elementwise.logical_xor: "logical_xor_",
    elementwise.bit_and: "bitwise_and_",
    elementwise.bit_or: "bitwise_or_",
    elementwise.bit_xor: "bitwise_xor_",
}

#: The second parameter, where it is not called ``other``.
_SECOND = {"pow": "exponent"}

_EXTRA = ", *, alpha=1, rounding_mode=None, rtol=0, atol=0, equal_nan=False, out=None"

for _operator, _names in _BINARY.items():
    for _marked in _names.split():
        _name = _marked.removesuffix("_")
        _other = f"{_SECOND.get(_name, 'other')}:y{_EXTRA}"
        TABLE.add(f"torch.{_name}", _operator, f"input:x, {_other}")
        TABLE.add(f"torch.Tensor.{_name}", _operator, f"self:x, {_other}")
        if _marked.endswith("_"):
            TABLE.add(f"torch.Tensor.{_marked}", _operator, f"self:x, {_other}", in_place=TRUE)

#: Symbol -> names like above.
_UNARY = {
    "exp": "exp_",
    "exp2": "exp2_",
    "expm1": "expm1_",
    "log": "log_",
    "log2": "log2_",
    "log10": "log10_",
    "log1p": "log1p_",
    "tanh": "tanh_",
    "sigmoid": "sigmoid_",
    "relu": "relu_",
    "rsqrt": "rsqrt_",
    "reciprocal": "reciprocal_",
    "square": "square_",
    "absolute": "abs_ absolute_",
    "negative": "neg_ negative_",
    "positive": "positive",
    "sign": "sign_",
    "floor": "floor_",
    "ceil": "ceil_",
    "round": "round_",
    "sin": "sin_",
    "cos": "cos_",
    "tan": "tan_",
    "sinh": "sinh_",
    "cosh": "cosh_",
    "arcsin": "asin_",
    "arccos": "acos_",
    "arctan": "atan_",
    "arctanh": "atanh_",
    "erf": "erf_",
    "erfc": "erfc_",
    "erfinv": "erfinv_",
    "sinc": "sinc_",
    "deg2rad": "deg2rad_",
    "trunc": "trunc_ fix_",
    "logit": "logit_",
    "isnan": "isnan",
    "isinf": "isinf",
    "isfinite": "isfinite",
    "logical_not": "logical_not_",
    "invert": "bitwise_not_",
    "nan_to_num": "nan_to_num_",
}

for _symbol, _names in _UNARY.items():
    for _marked in _names.split():
        _name, _fixed = _marked.removesuffix("_"), Const(_symbol)
        _rest = "*, nan=0, posinf=None, neginf=None, decimals=0, eps=None, out=None"
        TABLE.add(f"torch.{_name}", elementwise.unary, f"input:x, {_rest}", symbol=_fixed)
        TABLE.add(f"torch.Tensor.{_name}", elementwise.unary, f"self:x, {_rest}", symbol=_fixed)
        if _marked.endswith("_"):
            TABLE.add(
                f"torch.Tensor.{_marked}",
                elementwise.unary,
                "self:x",
                symbol=_fixed,
                in_place=TRUE,
            )

for _name in ("expit", "erf", "log1p", "expm1", "exp2", "logit"):
    TABLE.add(f"torch.special.{_name}", elementwise.unary, "input:x", symbol=Const(_name))

#: Activations of torch.nn.functional, with the parameters behind the input.
_ACTIVATIONS = {
    "relu": "inplace=False",
    "relu6": "inplace=False",
    "leaky_relu": "negative_slope=0.01, inplace=False",
    "elu": "alpha=1, inplace=False",
    "selu": "inplace=False",
    "celu": "alpha=1, inplace=False",
    "gelu": "approximate=none",
    "silu": "inplace=False",
    "mish": "inplace=False",
    "softplus": "beta=1, threshold=20",
    "softsign": "",
    "softshrink": "lambd=0.5",
    "hardshrink": "lambd=0.5",
    "rrelu": "lower=0.125, upper=0.333, training=False, inplace=False",
    "tanhshrink": "",
    "hardtanh": "min_val=-1, max_val=1, inplace=False",
    "hardsigmoid": "inplace=False",
    "hardswish": "inplace=False",
    "logsigmoid": "",
    "sigmoid": "",
    "tanh": "",
    "threshold": "threshold, value, inplace=False",
}

for _name, _rest in _ACTIVATIONS.items():
    TABLE.add(
        f"torch.nn.functional.{_name}",
        elementwise.unary,
        f"input:x, {_rest}",
        symbol=Const(_name),
    )

TABLE.add("torch.sqrt", elementwise.sqrt, "input:x, *, out=None")
TABLE.add("torch.Tensor.sqrt torch.Tensor.sqrt_", elementwise.sqrt, "self:x")
TABLE.add(
    "torch.nn.functional.dropout torch.nn.functional.dropout1d torch.nn.functional.dropout2d "
    "torch.nn.functional.dropout3d torch.nn.functional.alpha_dropout "
    "torch.nn.functional.feature_alpha_dropout",
    elementwise.dropout,
    "input:x, p=0.5, training=True, inplace=False",
)
TABLE.add("torch.dropout", elementwise.dropout, "input:x, p, train")
TABLE.add("torch.where", elementwise.where, "condition, input:x=None, other:y=None, *, out=None")
TABLE.add("torch.Tensor.where", elementwise.where, "self:x, condition, other:y")
TABLE.add("torch.masked_fill", elementwise.masked_fill, "input:x, mask, value")
TABLE.add("torch.Tensor.masked_fill", elementwise.masked_fill, "self:x, mask, value")
TABLE.add(
    "torch.Tensor.masked_fill_", elementwise.masked_fill, "self:x, mask, value", in_place=TRUE
)
_BLENDS = {
    "lerp": "end:y, weight:z",
    "addcmul": "tensor1:y, tensor2:z, *, value=1",
    "addcdiv": "tensor1:y, tensor2:z, *, value=1",
}
for _name, _rest in _BLENDS.items():
    TABLE.add(f"torch.{_name}", elementwise.blend, f"input:x, {_rest}")
    TABLE.add(f"torch.Tensor.{_name}", elementwise.blend, f"self:x, {_rest}")
    TABLE.add(f"torch.Tensor.{_name}_", elementwise.blend, f"self:x, {_rest}", in_place=TRUE)
_BOUNDS = "min:low=None, max:high=None"
TABLE.add("torch.clamp torch.clip", elementwise.clip, f"input:x, {_BOUNDS}, *, out=None")
TABLE.add("torch.Tensor.clamp torch.Tensor.clip", elementwise.clip, f"self:x, {_BOUNDS}")
TABLE.add(
    "torch.Tensor.clamp_ torch.Tensor.clip_", elementwise.clip, f"self:x, {_BOUNDS}", in_place=TRUE
)
for _side, _neutral in (("min", "low"), ("max", "high")):
    _bound = f"{_side}:{_neutral}"
    TABLE.add(f"torch.clamp_{_side}", elementwise.clip, f"input:x, {_bound}, *, out=None")
    TABLE.add(f"torch.Tensor.clamp_{_side}", elementwise.clip, f"self:x, {_bound}")
    TABLE.add(f"torch.Tensor.clamp_{_side}_", elementwise.clip, f"self:x, {_bound}", in_place=TRUE)

_TOLERANCES = "rtol=0, atol=0, equal_nan=False"
TABLE.add("torch.allclose", elementwise.allclose, f"input:x, other:y, {_TOLERANCES}")
TABLE.add("torch.Tensor.allclose", elementwise.allclose, f"self:x, other:y, {_TOLERANCES}")
TABLE.add("torch.equal", elementwise.same_array, "input:x, other:y")
TABLE.add("torch.Tensor.equal", elementwise.same_array, "self:x, other:y")
