import numpy as np


def softmax(x):
    """Numerically stable softmax."""
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


class DotAttention:
    def __init__(self, hidden_size):
        limit = np.sqrt(6.0 / (2 * hidden_size))
        self.Wc = np.random.uniform(-limit, limit, (2 * hidden_size, hidden_size))

    def forward(self, hs_dec, hs_enc):
        # hs_dec: (T_dec, H), hs_enc: (T_enc, H)
        scores = np.matmul(hs_dec, hs_enc.T)
        self.weights = softmax(scores)
        context = np.matmul(self.weights, hs_enc)
        return np.tanh(np.hstack([context, hs_dec]) @ self.Wc)


if __name__ == "__main__":
    np.random.seed(0)
    source = "je suis content de te voir".split()
    target = "i am happy to see you".split()
    H = 20
    attention = DotAttention(H)
    out = attention.forward(np.random.randn(len(target), H), np.random.randn(len(source), H))
    for word, row in zip(target, attention.weights):
        print(word, "->", source[int(row.argmax())], row.max().round(3))
    print(out.shape)
