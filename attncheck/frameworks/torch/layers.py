"""Layer classes of torch.nn that work on features or on elements by themselves.

Projections, embeddings, dropout, activations and softmaxes.
"""

from __future__ import annotations

from attncheck.algebra.size import const
from attncheck.frameworks.spelling import Table
from attncheck.operators import elementwise, layers, repeating, splitting
from attncheck.operators.softmax import softmax
from attncheck.values.value import TRUE, Const, Int

TABLE = Table("torch")

_OPTIONS = "device=None, dtype=None"

# Projections.
_PROJECTED = {"weight": "out_features in_features", "bias": "out_features if has_bias"}
TABLE.add_layer(
    "torch.nn.Linear",
    layers.linear_layer,
    f"in_features, out_features, bias:has_bias=True, {_OPTIONS}",
    weights=_PROJECTED,
)
TABLE.add_layer(
    "torch.nn.LazyLinear",
    layers.linear_layer,
    f"out_features, bias:has_bias=True, {_OPTIONS}",
    weights=_PROJECTED,
)
TABLE.add_layer(
    "torch.nn.Bilinear",
    layers.bilinear,
    "in1_features:left_features, in2_features:right_features, out_features, bias:has_bias=True, "
    f"{_OPTIONS}",
    "input1:x, input2:y",
    weights={
        "weight": "out_features left_features right_features",
        "bias": "out_features if has_bias",
    },
)
TABLE.add_layer("torch.nn.Identity", repeating.identity, "*rest")

# Embeddings.
_TABLE = "num_embeddings:rows, embedding_dim:width"
_LIMITS = "max_norm=None, norm_type=2.0, scale_grad_by_freq=False"
TABLE.add_layer(
    "torch.nn.Embedding",
    layers.embedding,
    f"{_TABLE}, padding_idx=None, {_LIMITS}, sparse=False, _weight=None, _freeze=False, {_OPTIONS}",
    weights={"weight": "rows width"},
)
TABLE.add_layer(
    "torch.nn.EmbeddingBag",
    layers.embedding_bag,
    f"{_TABLE}, {_LIMITS}, mode=mean, sparse=False, _weight=None, "
    f"include_last_offset:with_end=False, padding_idx=None, {_OPTIONS}",
    "input:x, offsets=None, per_sample_weights=None",
    weights={"weight": "rows width"},
)

# Their class methods, which make them of a table.
TABLE.add(
    "torch.nn.Embedding.from_pretrained",
    layers.embedding_of,
    f"embeddings:table, freeze=True, padding_idx=None, {_LIMITS}, sparse=False",
    path=Const("torch.nn.Embedding"),
)
TABLE.add(
    "torch.nn.EmbeddingBag.from_pretrained",
    layers.embedding_of,
    f"embeddings:table, freeze=True, {_LIMITS}, mode=mean, sparse=False, "
    "include_last_offset:with_end=False, padding_idx=None",
    path=Const("torch.nn.EmbeddingBag"),
)

# Dropout.
TABLE.add_layer(
    "torch.nn.Dropout torch.nn.Dropout1d torch.nn.Dropout2d torch.nn.Dropout3d "
    "torch.nn.AlphaDropout torch.nn.FeatureAlphaDropout",
    elementwise.dropout,
    "p=0.5, inplace=False",
)

#: Class -> (what it is called as a function, the constructor's parameters).
_ACTIVATIONS = {
    "ReLU": ("relu", "inplace=False"),
    "ReLU6": ("relu6", "inplace=False"),
    "LeakyReLU": ("leaky_relu", "negative_slope=0.01, inplace=False"),
    "RReLU": ("rrelu", "lower=0.125, upper=0.333, inplace=False"),
    "ELU": ("elu", "alpha=1.0, inplace=False"),
    "SELU": ("selu", "inplace=False"),
    "CELU": ("celu", "alpha=1.0, inplace=False"),
    "GELU": ("gelu", "approximate=none"),
    "SiLU": ("silu", "inplace=False"),
    "Mish": ("mish", "inplace=False"),
    "Softplus": ("softplus", "beta=1.0, threshold=20.0"),
    "Softsign": ("softsign", ""),
    "Softshrink": ("softshrink", "lambd=0.5"),
    "Hardshrink": ("hardshrink", "lambd=0.5"),
    "Tanhshrink": ("tanhshrink", ""),
    "Hardtanh": ("hardtanh", "min_val=-1.0, max_val=1.0, inplace=False"),
    "Hardsigmoid": ("hardsigmoid", "inplace=False"),
    "Hardswish": ("hardswish", "inplace=False"),
    "LogSigmoid": ("logsigmoid", ""),
    "Sigmoid": ("sigmoid", ""),
    "Tanh": ("tanh", ""),
    "Threshold": ("threshold", "threshold, value, inplace=False"),
}
for _class, (_name, _making) in _ACTIVATIONS.items():
    TABLE.add_layer(f"torch.nn.{_class}", elementwise.unary, _making, symbol=Const(_name))
TABLE.add_layer("torch.nn.GLU", splitting.halve, "dim:axis=-1")
TABLE.add_layer(
    "torch.nn.PReLU",
    layers.prelu,
    f"num_parameters:slopes=1, init=0.25, {_OPTIONS}",
    weights={"weight": "slopes"},
)

# Softmaxes.
TABLE.add_layer("torch.nn.Softmax torch.nn.Softmin", softmax, "dim:axis=None")
TABLE.add_layer("torch.nn.LogSoftmax", softmax, "dim:axis=None", log=TRUE)
TABLE.add_layer("torch.nn.Softmax2d", softmax, "", axis=Int(const(-3)))
