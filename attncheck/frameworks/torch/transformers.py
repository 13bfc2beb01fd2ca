"""torch's multi-head attention and the layers of the Transformer."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import multihead

TABLE = Table("torch")

_FACTORY = "device=None, dtype=None"

# The weights of separate projections are there only where kdim or vdim differ from embed_dim.
TABLE.add_layer(
    "torch.nn.MultiheadAttention",
    multihead.multihead_attention,
    "embed_dim, num_heads, dropout=0.0, bias:has_bias=True, add_bias_kv=False, "
    f"add_zero_attn=False, kdim=None, vdim=None, batch_first=False, {_FACTORY}",
    "query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, "
    "average_attn_weights:averaged=True, is_causal=False",
    {
        "in_proj_weight": "3*embed_dim embed_dim",
        "in_proj_bias": "3*embed_dim",
    },
)
