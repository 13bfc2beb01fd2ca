"""Keras' layers over features or elements: projections, embeddings, norms, dropout, shapes.

A layer is made with what it gives, and learns what it takes when it is called.
"""

from __future__ import annotations

from attncheck.algebra.size import const
from attncheck.frameworks.spelling import Table
from attncheck.operators import creation, dense, elementwise, layers, merging, repeating
from attncheck.operators.softmax import softmax
from attncheck.values.value import Const, Int

TABLE = Table("keras")

_L = "keras.layers"
#: What leaves shapes alone: initialisers, regularisers, constraints, names.
_REST = "**options"
_CALLED = "inputs:x, training=None, mask=None"

# Projections.
TABLE.add_layer(
    f"{_L}.Dense",
    layers.linear_layer,
    f"units:out_features, activation=None, use_bias=True, {_REST}",
    _CALLED,
    {"bias": "out_features if use_bias"},
)
TABLE.add_layer(
    f"{_L}.EinsumDense",
    dense.einsum_dense,
    f"equation, output_shape:sizes, activation=None, bias_axes=None, {_REST}",
    _CALLED,
)
TABLE.add_layer(
    f"{_L}.Embedding",
    layers.embedding,
    "input_dim:rows, output_dim:width, embeddings_initializer=None, embeddings_regularizer=None, "
    f"embeddings_constraint=None, mask_zero=False, {_REST}",
    "inputs:x",
    {"embeddings": "rows width"},
)
TABLE.add_layer(
    f"{_L}.Conv1D",
    dense.convolve_last,
    "filters:features, kernel_size:kernel, strides=1, padding=valid, data_format=None, "
    f"dilation_rate=1, groups=1, activation=None, use_bias=True, {_REST}",
    _CALLED,
    padding=Const("VALID"),
)

# What keeps the shape.
TABLE.add_layer(
    f"{_L}.LayerNormalization {_L}.BatchNormalization",
    dense.layer_norm_last,
    f"axis=-1, {_REST}",
    _CALLED,
)
TABLE.add_layer(
    f"{_L}.Dropout {_L}.SpatialDropout1D {_L}.AlphaDropout {_L}.GaussianDropout {_L}.GaussianNoise",
    elementwise.dropout,
    f"rate, {_REST}",
    "inputs:x, training=None",
)
TABLE.add_layer(f"{_L}.Masking", repeating.identity, f"mask_value=0.0, {_REST}", "inputs:x")
TABLE.add_layer(f"{_L}.Identity {_L}.ActivityRegularization", repeating.identity, _REST, "inputs:x")
for _class, _symbol in {
    "ReLU": "relu",
    "LeakyReLU": "leaky_relu",
    "ELU": "elu",
    "PReLU": "prelu",
    "ThresholdedReLU": "threshold",
}.items():
    TABLE.add_layer(
        f"{_L}.{_class}", elementwise.unary, f"*rest, {_REST}", "inputs:x", symbol=Const(_symbol)
    )
TABLE.add_layer(
    f"{_L}.Softmax",
    softmax,
    f"axis=-1, {_REST}",
    "inputs:x, mask=None",
    axis=Int(const(-1)),
)

# Axes: what these are made with leaves out the batch.
TABLE.add_layer(f"{_L}.Reshape", merging.reshape_behind, f"target_shape:sizes, {_REST}", "inputs:x")
TABLE.add_layer(f"{_L}.Permute", merging.permute_behind, f"dims:order, {_REST}", "inputs:x")
TABLE.add_layer(f"{_L}.Flatten", merging.flatten_behind, f"data_format=None, {_REST}", "inputs:x")
TABLE.add_layer(f"{_L}.RepeatVector", merging.repeat_vector, f"n:count, {_REST}", "inputs:x")
for _kind, _short in (("Average", "Avg"), ("Max", "Max")):
    for _name in (f"Global{_kind}Pooling1D", f"Global{_short}Pool1D"):
        TABLE.add_layer(
            f"{_L}.{_name}",
            merging.pooled,
            f"data_format=None, keepdims=False, {_REST}",
            "inputs:x, mask=None",
            kind=Const("mean" if _kind == "Average" else "max"),
        )

#: Initialisers are called with the shape that they fill.
_INITIALIZERS = (
    "Zeros Ones Constant RandomNormal RandomUniform TruncatedNormal GlorotNormal GlorotUniform "
    "HeNormal HeUniform LecunNormal LecunUniform VarianceScaling Orthogonal"
)
for _name in _INITIALIZERS.split():
    TABLE.add_layer(
        f"keras.initializers.{_name}",
        creation.filled,
        f"*rest, {_REST}",
        "shape, dtype=None",
        dtype_is=Const("float"),
    )
