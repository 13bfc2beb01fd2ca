"""Scaled dot-product attention (Vaswani et al., 2017) with the heads folded into the batch."""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask):
    """Attend with every query over the keys that the mask keeps.

    Args:
        query: (B, n_heads, T_dec, d_k)
        key: (B, n_heads, T_enc, d_k)
        value: (B, n_heads, T_enc, d_v)
        mask: (B, T_enc), True where a key may be attended to
    """
    B, n_heads, T_dec, d_k = query.shape
    T_enc, d_v = value.shape[-2:]
    folded = query.reshape(B * n_heads, T_dec, d_k)
    scores = torch.bmm(folded, key.reshape(B * n_heads, T_enc, d_k).transpose(1, 2))
    padding = (~mask).repeat(n_heads, 1)
    scores = scores.masked_fill(padding.unsqueeze(1), float("-inf")) / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1)
    output = torch.bmm(weights, value.reshape(B * n_heads, T_enc, d_v))
    return output.view(B, n_heads, T_dec, d_v), weights.view(B, n_heads, T_dec, T_enc)


if __name__ == "__main__":
    torch.manual_seed(0)
    B, n_heads, T_dec, T_enc, d_k, d_v = 2, 7, 3, 5, 4, 6
    query = torch.randn(B, n_heads, T_dec, d_k)
    key = torch.randn(B, n_heads, T_enc, d_k)
    value = torch.randn(B, n_heads, T_enc, d_v)
    mask = torch.arange(T_enc)[None, :] < torch.tensor([5, 3])[:, None]
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    print("second sequence, of length 3, first head:", weights[1, 0].tolist())
    print("output", tuple(output.shape))
