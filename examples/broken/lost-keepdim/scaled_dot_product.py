"""Scaled dot-product attention (Vaswani et al., 2017) for one sequence of queries."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1)


def scaled_dot_product_attention(query, key, value):
    d_k = query.shape[-1]
    scores = query @ key.T / np.sqrt(d_k)
    weights = softmax(scores)
    output = weights @ value
    return output, weights


if __name__ == "__main__":
    T, d_k, d_v = 5, 4, 6
    rng = np.random.default_rng(0)
    query = rng.standard_normal((T, d_k))
    key = rng.standard_normal((T, d_k))
    value = rng.standard_normal((T, d_v))
    output, weights = scaled_dot_product_attention(query, key, value)
    print("row sums", weights.sum(axis=-1).round(3))
