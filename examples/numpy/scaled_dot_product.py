"""Scaled dot-product attention (Vaswani et al., 2017) for one sequence of queries."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def scaled_dot_product_attention(query, key, value):
    """Attend with every query over all keys.

    Parameters
    ----------
    query : (T_dec, d_k)
    key : (T_enc, d_k)
    value : (T_enc, d_v)

    Returns
    -------
    output : (T_dec, d_v)
    weights : (T_dec, T_enc)
    """
    d_k = query.shape[-1]
    scores = query @ key.T / np.sqrt(d_k)
    weights = softmax(scores)
    output = weights @ value
    return output, weights


if __name__ == "__main__":
    T_dec, T_enc, d_k, d_v = 3, 5, 4, 6
    rng = np.random.default_rng(0)
    query = rng.standard_normal((T_dec, d_k))
    key = rng.standard_normal((T_enc, d_k))
    value = rng.standard_normal((T_enc, d_v))
    output, weights = scaled_dot_product_attention(query, key, value)
    print("weights", weights.round(2).tolist())
    print("output", output.shape)
