"""Scaled dot-product attention (Vaswani et al., 2017) for a batch, with an optional mask."""

import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def scaled_dot_product_attention(query, key, value, mask=None):
    """query (B, T_dec, d_k), key (B, T_enc, d_k), value (B, T_enc, d_v).

    mask (B, T_enc) is True where a key may be attended to. Returns the output (B, T_dec, d_v)
    and the weights (B, T_dec, T_enc).
    """
    d_k = key.shape[-1]
    scores = np.matmul(query, np.swapaxes(key, 1, 2)) / np.sqrt(d_k)
    if mask is not None:
        scores = np.where(mask[:, None, :], scores, -np.inf)
    weights = softmax(scores)
    output = np.matmul(weights, value)
    return output, weights


if __name__ == "__main__":
    B, T_dec, T_enc, d_k, d_v = 2, 3, 5, 4, 6
    rng = np.random.default_rng(0)
    query = rng.standard_normal((B, T_dec, d_k))
    key = rng.standard_normal((B, T_enc, d_k))
    value = rng.standard_normal((B, T_enc, d_v))
    mask = np.arange(T_enc)[None, :] < np.array([5, 3])[:, None]
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    print("second sequence, of length 3:", weights[1].round(2).tolist())
    print("output", output.shape)
