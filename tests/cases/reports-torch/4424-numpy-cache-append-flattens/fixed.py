import numpy as np


def softmax(z):
    e = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class CachedHead:
    """One attention head that generates token by token."""

    def __init__(self, n_embd, head_size, seed=0):
        rng = np.random.default_rng(seed)
        self.Wq = rng.normal(size=(n_embd, head_size)) / np.sqrt(n_embd)
        self.Wk = rng.normal(size=(n_embd, head_size)) / np.sqrt(n_embd)
        self.Wv = rng.normal(size=(n_embd, head_size)) / np.sqrt(n_embd)
        self.keys = np.empty((0, head_size))
        self.values = np.empty((0, head_size))

    def step(self, x):
        """x: (1, n_embd), the newest token"""
        q, k, v = x @ self.Wq, x @ self.Wk, x @ self.Wv
        self.keys = np.append(self.keys, k, axis=0)
        self.values = np.append(self.values, v, axis=0)
        scores = q @ self.keys.T / np.sqrt(q.shape[-1])
        return softmax(scores) @ self.values


if __name__ == "__main__":
    head = CachedHead(n_embd=12, head_size=4)
    for token in np.random.default_rng(1).normal(size=(5, 1, 12)):
        out = head.step(token)
    print(out.shape, head.keys.shape)
