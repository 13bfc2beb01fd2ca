import numpy as np


def stable_softmax(x, axis=-1):
    z = np.exp(x - x.max(axis=axis, keepdims=True))
    return z / z.sum(axis=axis, keepdims=True)


class SelfAttention:
    """softmax(Q K^T / sqrt(d_k)) V for a batch of sequences."""

    def __init__(self, embed_dim, d_k, d_v, seed=42):
        rng = np.random.default_rng(seed)
        self.W_query = rng.normal(scale=0.2, size=(embed_dim, d_k))
        self.W_key = rng.normal(scale=0.2, size=(embed_dim, d_k))
        self.W_value = rng.normal(scale=0.2, size=(embed_dim, d_v))

    def __call__(self, x, mask=None):
        Q = x @ self.W_query
        K = x @ self.W_key
        V = x @ self.W_value

        scores = np.einsum('bqd,bkd->bqk', Q, K) / np.sqrt(K.shape[1])
        if mask is not None:
            scores = np.where(mask[:, None, :], scores, -1e9)
        attention = stable_softmax(scores)
        return attention @ V, attention
