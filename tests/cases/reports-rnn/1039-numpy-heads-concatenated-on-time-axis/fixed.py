import numpy as np

np.random.seed(0)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention_head(X, Wq, Wk, Wv):
    Q, K, V = X @ Wq, X @ Wk, X @ Wv
    scores = Q @ K.T / np.sqrt(K.shape[-1])
    return softmax(scores) @ V


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.heads = [
            tuple(np.random.randn(d_model, self.d_k) * 0.1 for _ in range(3))
            for _ in range(num_heads)
        ]
        self.Wo = np.random.randn(num_heads * self.d_k, d_model) * 0.1

    def forward(self, X):
        outputs = [attention_head(X, *weights) for weights in self.heads]
        multi_head = np.concatenate(outputs, axis=-1)
        return multi_head @ self.Wo


if __name__ == "__main__":
    # "the cat sat on the mat": 6 tokens
    X = np.random.randn(6, 32)
    mha = MultiHeadAttention(d_model=32, num_heads=4)
    print(mha.forward(X).shape)
