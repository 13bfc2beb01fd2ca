"""``flax.nnx``: layers that are made with what they take and what they give."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import carried, dense, elementwise, heads_last, layers, repeating
from attncheck.values.value import Const

TABLE = Table("jax")

_NNX = "flax.nnx"
_MADE = (
    "dtype=None, param_dtype=None, precision=None, kernel_init=None, bias_init=None, "
    "dot_general=None, promote_dtype=None, preferred_element_type=None, rngs=None, "
    "kernel_metadata=None, bias_metadata=None"
)
_NORM = (
    "epsilon=1e-06, dtype=None, param_dtype=None, use_bias=True, use_scale=True, bias_init=None, "
    "scale_init=None, reduction_axes=-1, feature_axes=-1, axis_name=None, axis_index_groups=None, "
    "use_fast_variance=True, rngs=None, promote_dtype=None, bias_metadata=None, "
    "scale_metadata=None"
)

TABLE.add_layer(
    f"{_NNX}.Linear",
    layers.linear_layer,
    f"in_features, out_features, *, use_bias=True, {_MADE}",
    "inputs:x",
    {"kernel": "in_features out_features", "bias": "out_features if use_bias"},
)
TABLE.add_layer(
    f"{_NNX}.LinearGeneral",
    dense.dense_general,
    f"in_features:taken, out_features:features, *, axis=-1, batch_axis:batch_dims=(), "
    f"use_bias=True, {_MADE}",
    "inputs:x",
)
TABLE.add_layer(
    f"{_NNX}.Embed",
    layers.embedding,
    "num_embeddings:rows, features:width, *, dtype=None, param_dtype=None, embedding_init=None, "
    "promote_dtype=None, rngs=None, embedding_metadata=None",
    "inputs:x",
    {"embedding": "rows width"},
)
TABLE.add_layer(
    f"{_NNX}.Conv",
    dense.convolve_last,
    "in_features, out_features:features, kernel_size:kernel, strides=1, *, padding=SAME, "
    "input_dilation=1, kernel_dilation=1, feature_group_count=1, use_bias=True, mask=None, "
    f"{_MADE}",
    "inputs:x",
)
TABLE.add_layer(
    f"{_NNX}.LayerNorm {_NNX}.RMSNorm",
    dense.layer_norm_last,
    f"num_features, *, {_NORM}",
    "x, *, mask=None",
)
TABLE.add_layer(
    f"{_NNX}.Dropout",
    elementwise.dropout,
    "rate, *, broadcast_dims=(), deterministic=False, rng_collection=None, rngs=None",
    "inputs:x, *, deterministic=None, rngs=None",
)
TABLE.add_layer(
    f"{_NNX}.MultiHeadAttention",
    heads_last.projected,
    "num_heads, in_features, qkv_features=None, out_features=None, in_kv_features=None, *, "
    "dtype=None, param_dtype=None, broadcast_dropout=True, dropout_rate=0.0, deterministic=None, "
    "precision=None, kernel_init=None, out_kernel_init=None, bias_init=None, out_bias_init=None, "
    "use_bias=True, attention_fn=None, decode=None, normalize_qk=False, rngs=None, "
    "keep_rngs=True",
    "inputs_q:query, inputs_k:key=None, inputs_v:value=None, *, mask=None, deterministic=None, "
    "rngs=None, sow_weights=False, decode=None",
)
for _name, _kind in (("LSTMCell", "lstm"), ("OptimizedLSTMCell", "lstm"), ("GRUCell", "gru")):
    TABLE.add_layer(
        f"{_NNX}.{_name}",
        carried.cell,
        "in_features, hidden_features:features, *, gate_fn=None, activation_fn=None, "
        "kernel_init=None, recurrent_kernel_init=None, bias_init=None, carry_init=None, "
        "dtype=None, param_dtype=None, promote_dtype=None, keep_rngs=True, rngs=None",
        "carry, inputs:x",
        kind=Const(_kind),
    )
TABLE.add(f"{_NNX}.Param {_NNX}.Variable", repeating.learned, "value:x, **metadata")
