import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x, axis=-1):
    x = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return x / np.sum(x, axis=axis, keepdims=True)


class AttentionLSTM:
    """Image captioning decoder: attends over the 4x4 grid of CNN features at every word."""

    def __init__(self, n_words, D, W, H, seed=0):
        rng = np.random.RandomState(seed)
        self.H = H
        self.W_proj = rng.randn(D, H) / np.sqrt(D)
        self.W_embed = rng.randn(n_words, W) / 100
        self.Wx = rng.randn(W, 4 * H) / np.sqrt(W)
        self.Wh = rng.randn(H, 4 * H) / np.sqrt(H)
        self.Wattn = rng.randn(H, 4 * H) / np.sqrt(H)
        self.b = np.zeros(4 * H)
        self.W_vocab = rng.randn(H, n_words) / np.sqrt(H)

    def step(self, x, prev_h, prev_c, attn):
        z = x @ self.Wx + prev_h @ self.Wh + attn @ self.Wattn + self.b
        i, f, o, g = np.split(z, 4)
        c = sigmoid(f) * prev_c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c

    def forward(self, captions, features):
        """captions (N, T) word ids, features (N, 4, 4, D) -> scores (N, T, n_words)"""
        N, T = captions.shape
        A = features.reshape(N, 16, -1) @ self.W_proj
        h = c = A.mean(axis=1)
        x = self.W_embed[captions]
        out = np.zeros((N, T, self.H))
        for t in range(T):
            weights = softmax(np.einsum("nph,nh->np", A, h) / np.sqrt(self.H))
            attn = np.einsum("np,nph->nh", weights, A)
            h, c = self.step(x[:, t], h, c, attn)
            out[:, t] = h
        return out @ self.W_vocab
