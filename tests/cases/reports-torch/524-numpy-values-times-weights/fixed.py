import numpy as np


def softmax(a, axis):
    a = np.exp(a - a.max(axis=axis, keepdims=True))
    return a / a.sum(axis=axis, keepdims=True)


class CrossAttention:
    """decoder tokens look at encoder tokens"""

    def __init__(self, dim, rng):
        self.Wq, self.Wk, self.Wv, self.Wo = rng.standard_normal((4, dim, dim)) / np.sqrt(dim)

    def __call__(self, tgt, mem, mem_pad=None):
        Q = tgt @ self.Wq
        K = mem @ self.Wk
        V = mem @ self.Wv
        S = Q @ np.swapaxes(K, 1, 2) / np.sqrt(Q.shape[-1])
        if mem_pad is not None:
            S = np.where(mem_pad[:, None, :], -1e9, S)
        P = softmax(S, axis=-1)
        return np.matmul(P, V) @ self.Wo


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    layer = CrossAttention(24, rng)
    tgt = rng.standard_normal((3, 5, 24))
    mem = rng.standard_normal((3, 8, 24))
    pad = np.zeros((3, 8), dtype=bool)
    pad[1, 6:] = True
    print(layer(tgt, mem, pad).shape)
