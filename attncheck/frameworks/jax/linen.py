"""``flax.linen``: layers made with what they give, which learn what they take when called."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import carried, dense, elementwise, heads_last, layers
from attncheck.values.value import FALSE, Const

TABLE = Table("jax")

_LINEN = "flax.linen"
_TYPES = "dtype=None, param_dtype=None"
_NAME = "parent=None, name=None"
_MADE = "precision=None, kernel_init=None, bias_init=None, promote_dtype=None, dot_general=None, "
_MADE += "dot_general_cls=None"

# Projections.
TABLE.add_layer(
    f"{_LINEN}.Dense",
    layers.linear_layer,
    f"features:out_features, use_bias=True, {_TYPES}, {_MADE}, {_NAME}",
    "inputs:x",
)
TABLE.add_layer(
    f"{_LINEN}.DenseGeneral",
    dense.dense_general,
    f"features, axis=-1, batch_dims=(), use_bias=True, {_TYPES}, kernel_init=None, "
    "bias_init=None, precision=None, promote_dtype=None, dot_general=None, dot_general_cls=None, "
    f"{_NAME}",
    "inputs:x",
)
TABLE.add_layer(
    f"{_LINEN}.Embed",
    layers.embedding,
    f"num_embeddings:rows, features:width, {_TYPES}, embedding_init=None, promote_dtype=None, "
    f"{_NAME}",
    "inputs:x",
)
TABLE.add_layer(
    f"{_LINEN}.Conv",
    dense.convolve_last,
    "features, kernel_size:kernel, strides=1, padding=SAME, input_dilation=1, kernel_dilation=1, "
    f"feature_group_count=1, use_bias=True, mask=None, {_TYPES}, {_MADE}, {_NAME}",
    "inputs:x",
)

# What keeps the shape.
_NORM = f"{_TYPES}, use_bias=True, use_scale=True, bias_init=None, scale_init=None, "
_AXES = "reduction_axes=-1, feature_axes=-1, axis_name=None, axis_index_groups=None, "
_FAST = "use_fast_variance=True, force_float32_reductions=True"
TABLE.add_layer(
    f"{_LINEN}.LayerNorm",
    dense.layer_norm_last,
    f"epsilon=1e-06, {_NORM}{_AXES}{_FAST}, {_NAME}",
    "x, *, mask=None",
)
TABLE.add_layer(
    f"{_LINEN}.RMSNorm",
    dense.layer_norm_last,
    f"epsilon=1e-06, {_TYPES}, use_scale=True, scale_init=None, {_AXES}{_FAST}, {_NAME}",
    "x, *, mask=None",
)
TABLE.add_layer(
    f"{_LINEN}.Dropout",
    elementwise.dropout,
    f"rate, broadcast_dims=(), deterministic=None, rng_collection=None, {_NAME}",
    "inputs:x, deterministic=None, rng=None",
)

# Attention.
_ATTENTION = (
    f"num_heads, {_TYPES}, qkv_features=None, out_features=None, broadcast_dropout=True, "
    "dropout_rate=0.0, deterministic=None, precision=None, kernel_init=None, "
    "out_kernel_init=None, bias_init=None, out_bias_init=None, use_bias=True, "
    "attention_fn=None, decode=False, normalize_qk=False, force_fp32_for_softmax=False, "
    f"qk_attn_weights_einsum_cls=None, attn_weights_value_einsum_cls=None, {_NAME}"
)
_DROPPING = "deterministic=None, dropout_rng=None, sow_weights=False"
TABLE.add_layer(
    f"{_LINEN}.MultiHeadDotProductAttention {_LINEN}.MultiHeadAttention",
    heads_last.projected,
    _ATTENTION,
    "inputs_q:query, inputs_k:key=None, inputs_v:value=None, *, inputs_kv:kv=None, mask=None, "
    f"{_DROPPING}",
)
TABLE.add_layer(
    f"{_LINEN}.SelfAttention",
    heads_last.projected,
    _ATTENTION,
    f"inputs_q:query, mask=None, {_DROPPING}",
)
_RATES = (
    "broadcast_dropout=True, dropout_rng=None, dropout_rate=0.0, deterministic=False, "
    "dtype=None, precision=None, module=None, force_fp32_for_softmax=False, "
    "einsum_dot_general=None"
)
TABLE.add(
    f"{_LINEN}.dot_product_attention flax.nnx.dot_product_attention",
    heads_last.attention,
    f"query, key, value, bias=None, mask=None, *, {_RATES}",
    grouped=FALSE,
)
TABLE.add(
    f"{_LINEN}.dot_product_attention_weights",
    heads_last.weights,
    f"query, key, bias=None, mask=None, *, {_RATES}",
    grouped=FALSE,
)
TABLE.add(
    f"{_LINEN}.make_causal_mask flax.nnx.make_causal_mask",
    dense.causal_mask,
    "x, extra_batch_dims:extra=0, dtype=None",
)
TABLE.add(
    f"{_LINEN}.make_attention_mask flax.nnx.make_attention_mask",
    dense.attention_mask,
    "query_input:query, key_input:key, pairwise_fn=None, extra_batch_dims:extra=0, dtype=None",
)

# Recurrence.
_CELL = f"carry_init=None, {_TYPES}"
_INITS = "kernel_init=None, recurrent_kernel_init=None, bias_init=None"
_GATES = f"gate_fn=None, activation_fn=None, {_INITS}, {_CELL}, {_NAME}"
for _name, _kind in (("LSTMCell", "lstm"), ("OptimizedLSTMCell", "lstm"), ("GRUCell", "gru")):
    TABLE.add_layer(
        f"{_LINEN}.{_name}",
        carried.cell,
        f"features, {_GATES}",
        "carry, inputs:x",
        kind=Const(_kind),
    )
TABLE.add_layer(
    f"{_LINEN}.SimpleCell",
    carried.cell,
    f"features, activation_fn=None, {_INITS}, {_CELL}, residual=False, {_NAME}",
    "carry, inputs:x",
    kind=Const("rnn"),
)
TABLE.add_layer(
    f"{_LINEN}.RNN",
    carried.network,
    "cell, time_major=False, return_carry=False, reverse=False, keep_order=False, unroll=1, "
    f"variable_axes=None, variable_broadcast=None, variable_carry=None, split_rngs=None, {_NAME}",
    "inputs:x, *, initial_carry:carry=None, init_key=None, seq_lengths=None, "
    "return_carry:asked=None, "
    "time_major=None, reverse=None, keep_order=None",
    time_major=FALSE,
    return_carry=FALSE,
)
