"""Scaled dot-product attention (Vaswani et al., 2017) from one sequence to itself."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def scaled_dot_product_attention(query, key, value):
    d_k = query.shape[-1]
    scores = query @ key.T / np.sqrt(d_k)
    weights = softmax(scores)
    output = weights.T @ value
    return output, weights


if __name__ == "__main__":
    T, d_model, d_k, d_v = 5, 3, 4, 6
    rng = np.random.default_rng(0)
    x = rng.standard_normal((T, d_model))
    query = x @ rng.standard_normal((d_model, d_k))
    key = x @ rng.standard_normal((d_model, d_k))
    value = x @ rng.standard_normal((d_model, d_v))
    output, weights = scaled_dot_product_attention(query, key, value)
    print("weights", weights.shape, "output", output.shape)
