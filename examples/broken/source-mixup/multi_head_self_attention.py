"""Multi-head self-attention (Vaswani et al., 2017) for a batch, with plain weight matrices."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def multi_head_self_attention(x, W_q, W_k, W_v, W_o, n_heads):
    """Attend from every position to all positions of the same sequence.

    Args:
        x: (B, T, d_model)
        W_q, W_k, W_v, W_o: (d_model, d_model)
        n_heads: number of heads, a divisor of d_model

    Returns:
        output (B, T, d_model) and weights (B, n_heads, T, T)
    """
    B, T, d_model = x.shape
    d_k = d_model // n_heads
    queries, keys, values = x @ W_q, x @ W_k, x @ W_v
    q = queries.reshape(B, T, n_heads, d_k).transpose(0, 2, 1, 3)
    k = queries.reshape(B, T, n_heads, d_k).transpose(0, 2, 1, 3)
    v = values.reshape(B, T, n_heads, d_k).transpose(0, 2, 1, 3)
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(d_k)
    weights = softmax(scores)
    heads = weights @ v
    merged = heads.transpose(0, 2, 1, 3).reshape(B, T, d_model)
    return merged @ W_o, weights


if __name__ == "__main__":
    B, T, d_model, n_heads = 2, 5, 12, 3
    rng = np.random.default_rng(0)
    x = rng.standard_normal((B, T, d_model))
    W_q, W_k, W_v, W_o = (rng.standard_normal((d_model, d_model)) for _ in range(4))
    output, weights = multi_head_self_attention(x, W_q, W_k, W_v, W_o, n_heads)
    print("weights", weights.shape, "smallest sum", weights.sum(axis=-1).min().round(6))
    print("output", output.shape)
