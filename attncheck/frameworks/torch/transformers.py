"""torch's multi-head attention and the layers of the Transformer."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import multihead, transformers

TABLE = Table("torch")

_FACTORY = "device=None, dtype=None"

# Which weights project query, key and value hangs on whether kdim and vdim differ from embed_dim.
TABLE.add_layer(
    "torch.nn.MultiheadAttention",
    multihead.multihead_attention,
    "embed_dim, num_heads, dropout=0.0, bias:has_bias=True, add_bias_kv=False, "
    f"add_zero_attn=False, kdim=None, vdim=None, batch_first=False, {_FACTORY}",
    "query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, "
    "average_attn_weights:averaged=True, is_causal=False",
    {
        "in_proj_bias": "3*embed_dim if has_bias",
        "bias_k": "1 1 embed_dim if add_bias_kv",
        "bias_v": "1 1 embed_dim if add_bias_kv",
    },
)
TABLE.add(
    "torch.nn.functional.multi_head_attention_forward",
    multihead.multihead_function,
    "query, key, value, embed_dim_to_check:embed_dim, num_heads, in_proj_weight:in_proj, "
    "in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p, out_proj_weight:out_proj, "
    "out_proj_bias, training=True, key_padding_mask=None, need_weights=True, attn_mask=None, "
    "use_separate_proj_weight:separate=False, q_proj_weight=None, k_proj_weight:key_proj=None, "
    "v_proj_weight:value_proj=None, static_k=None, static_v=None, "
    "average_attn_weights:averaged=True, is_causal=False",
)

_SIZES = "d_model, nhead"
_INNER = "dim_feedforward=2048, dropout=0.1, activation=None"
_END = f"layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias:has_bias=True, {_FACTORY}"
_ENCODING = "src, {}=None, src_key_padding_mask=None, is_causal=None"
_DECODING = (
    "tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, "
    "memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False"
)
TABLE.add_layer(
    "torch.nn.TransformerEncoderLayer",
    transformers.encoder_layer,
    f"{_SIZES}, {_INNER}, {_END}",
    _ENCODING.format("src_mask"),
)
TABLE.add_layer(
    "torch.nn.TransformerDecoderLayer",
    transformers.decoder_layer,
    f"{_SIZES}, {_INNER}, {_END}",
    _DECODING,
)
TABLE.add_layer(
    "torch.nn.TransformerEncoder",
    transformers.encoder,
    "encoder_layer:layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True",
    _ENCODING.format("mask:src_mask"),
)
TABLE.add_layer(
    "torch.nn.TransformerDecoder",
    transformers.decoder,
    "decoder_layer:layer, num_layers, norm=None",
    _DECODING,
)
TABLE.add_layer(
    "torch.nn.Transformer",
    transformers.transformer,
    "d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, "
    f"{_INNER}, custom_encoder=None, custom_decoder=None, {_END}",
    "src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None, "
    "tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, "
    "tgt_is_causal=None, memory_is_causal=False",
)
TABLE.add(
    "torch.nn.Transformer.generate_square_subsequent_mask",
    transformers.causal_mask,
    "sz:size, device=None, dtype=None",
)
