"""Keras' attention layers: the query comes first, then the value, then the key."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import value_first
from attncheck.values.value import Const

TABLE = Table("keras")

_L = "keras.layers"
_CALLED = (
    "inputs:xs, mask=None, training=None, return_attention_scores=False, use_causal_mask=False"
)
TABLE.add_layer(
    f"{_L}.Attention",
    value_first.list_attention,
    "use_scale=False, score_mode=dot, dropout=0.0, seed=None, **options",
    _CALLED,
    additive=Const(False),
)
TABLE.add_layer(
    f"{_L}.AdditiveAttention",
    value_first.list_attention,
    "use_scale=True, dropout=0.0, **options",
    _CALLED,
    additive=Const(True),
)
TABLE.add_layer(
    f"{_L}.MultiHeadAttention",
    value_first.value_first_attention,
    "num_heads, key_dim, value_dim=None, dropout=0.0, use_bias=True, output_shape=None, "
    "attention_axes=None, **options",
    "query, value, key=None, query_mask=None, value_mask=None, key_mask=None, "
    "attention_mask:mask=None, return_attention_scores=False, training=None, "
    "use_causal_mask=False",
)
TABLE.add_features(f"{_L}.MultiHeadAttention", "num_heads key_dim value_dim")
