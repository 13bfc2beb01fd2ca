"""Whole layers as functions of torch.nn.functional."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import attention

TABLE = Table("torch")

TABLE.add(
    "torch.nn.functional.scaled_dot_product_attention",
    attention.scaled_dot_product_attention,
    "query, key, value, attn_mask:mask=None, dropout_p=0.0, is_causal=False, *, scale=None, "
    "enable_gqa:grouped=False",
)
TABLE.add("torch.nn.functional.linear", attention.linear, "input:x, weight, bias=None")
TABLE.add(
    "torch.nn.functional.layer_norm",
    attention.layer_norm,
    "input:x, normalized_shape:sizes, weight=None, bias=None, eps=1e-5",
)
TABLE.add(
    "torch.nn.functional.rms_norm",
    attention.layer_norm,
    "input:x, normalized_shape:sizes, weight=None, eps=None",
)
TABLE.add(
    "torch.nn.functional.normalize",
    attention.normalize,
    "input:x, p=2, dim:axis=1, eps=1e-12, out=None",
)
