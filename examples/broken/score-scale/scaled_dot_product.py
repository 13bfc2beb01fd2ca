"""Scaled dot-product attention (Vaswani et al., 2017) with heads and an optional mask, in PyTorch."""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    """Attend with every query over all keys.

    Args:
        query: (B, n_heads, T_dec, d_k)
        key: (B, n_heads, T_enc, d_k)
        value: (B, n_heads, T_enc, d_v)
        mask: (B, T_enc), True where a key may be attended to

    Returns:
        output (B, n_heads, T_dec, d_v) and weights (B, n_heads, T_dec, T_enc)
    """
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) * math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(weights, value)
    return output, weights


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
