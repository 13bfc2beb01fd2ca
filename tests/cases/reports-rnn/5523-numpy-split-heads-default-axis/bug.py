import numpy as np

np.random.seed(3)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(Q, K, V):
    d_k = Q.shape[-1]
    return softmax(Q @ K.T / np.sqrt(d_k)) @ V


class MultiHeadAttention:
    """X has one row per word."""

    def __init__(self, d_model, num_heads):
        assert d_model % num_heads == 0
        self.num_heads = num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (np.random.randn(d_model, d_model) / np.sqrt(d_model) for _ in range(4))

    def split(self, M):
        return np.split(M, self.num_heads)

    def forward(self, X):
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        heads = [attention(q, k, v) for q, k, v in zip(self.split(Q), self.split(K), self.split(V))]
        return np.concatenate(heads) @ self.W_O


words = ["the", "cat", "sat", "on", "the", "mat"]
X = np.random.randn(len(words), 16)
mha = MultiHeadAttention(d_model=16, num_heads=2)
out = mha.forward(X)
print("input:", X.shape, "output:", out.shape)
