import numpy as np


def softmax(x):
    x = x - np.max(x, axis=-1, keepdims=True)
    return np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True)


def causal_mask(size):
    """Lower triangular matrix, a token sees itself and the tokens before it."""
    return np.tril(np.ones((size, size))).astype(bool)


def masked_attention(Q, K, V):
    d_k = Q.shape[-1]
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d_k)
    mask = causal_mask(scores.shape[-1])
    scores = np.where(mask, -1e9, scores)
    weights = softmax(scores)
    return weights @ V, weights


class TinyDecoderLayer:
    def __init__(self, d_model):
        rng = np.random.RandomState(0)
        self.Wq = rng.randn(d_model, d_model) / np.sqrt(d_model)
        self.Wk = rng.randn(d_model, d_model) / np.sqrt(d_model)
        self.Wv = rng.randn(d_model, d_model) / np.sqrt(d_model)

    def forward(self, x):
        out, weights = masked_attention(x @ self.Wq, x @ self.Wk, x @ self.Wv)
        return x + out, weights


if __name__ == "__main__":
    x = np.random.RandomState(1).randn(2, 5, 16)
    y, weights = TinyDecoderLayer(16).forward(x)
    print(y.shape)
    print(np.round(weights[0], 2))
