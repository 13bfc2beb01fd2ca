"""Attention, projections and embeddings as functions of torch.nn.functional."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import attention, layers

TABLE = Table("torch")

TABLE.add(
    "torch.nn.functional.scaled_dot_product_attention",
    attention.scaled_dot_product_attention,
    "query, key, value, attn_mask:mask=None, dropout_p=0.0, is_causal=False, *, scale=None, "
    "enable_gqa:grouped=False",
)
TABLE.add("torch.nn.functional.linear", attention.linear, "input:x, weight, bias=None")
TABLE.add("torch.nn.functional.bilinear", layers.bilinear, "input1:x, input2:y, weight, bias=None")
_TABLE = "max_norm=None, norm_type=2.0, scale_grad_by_freq=False"
TABLE.add(
    "torch.nn.functional.embedding",
    layers.embedding,
    f"input:x, weight, padding_idx=None, {_TABLE}, sparse=False",
)
TABLE.add(
    "torch.nn.functional.embedding_bag",
    layers.embedding_bag,
    f"input:x, weight, offsets=None, {_TABLE}, mode=mean, sparse=False, per_sample_weights=None, "
    "include_last_offset:with_end=False, padding_idx=None",
)
TABLE.add("torch.nn.functional.prelu torch.prelu", layers.prelu, "input:x, weight")
TABLE.add("torch.Tensor.prelu", layers.prelu, "self:x, weight")
