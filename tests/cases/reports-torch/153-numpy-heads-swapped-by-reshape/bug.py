import numpy as np


class MultiHeadAttention:
    def __init__(self, d_model, num_heads, seed=0):
        assert d_model % num_heads == 0
        rng = np.random.RandomState(seed)
        self.d_model, self.num_heads, self.depth = d_model, num_heads, d_model // num_heads
        self.wq = rng.randn(d_model, d_model) * 0.1
        self.wk = rng.randn(d_model, d_model) * 0.1
        self.wv = rng.randn(d_model, d_model) * 0.1
        self.wo = rng.randn(d_model, d_model) * 0.1

    def split(self, x):
        batch, length, _ = x.shape
        return x.reshape(batch, self.num_heads, length, self.depth)

    def __call__(self, q, k, v, mask=None):
        q, k, v = self.split(q @ self.wq), self.split(k @ self.wk), self.split(v @ self.wv)
        logits = np.matmul(q, np.swapaxes(k, -1, -2)) / np.sqrt(self.depth)
        if mask is not None:
            logits += mask * -1e9
        logits -= logits.max(axis=-1, keepdims=True)
        weights = np.exp(logits)
        weights /= weights.sum(axis=-1, keepdims=True)
        out = np.matmul(weights, v)
        out = out.transpose(0, 2, 1, 3).reshape(out.shape[0], -1, self.d_model)
        return out @ self.wo, weights
