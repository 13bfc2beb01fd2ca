import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


class KVCache:
    def __init__(self):
        self.keys = self.values = None
        self.offset = 0

    def update(self, k, v):
        if self.keys is not None:
            k = np.concatenate([self.keys, k], axis=2)
            v = np.concatenate([self.values, v], axis=2)
        self.keys, self.values, self.offset = k, v, k.shape[2]
        return k, v


class GPT2:
    def __init__(self, vocab, dim, heads, layers, n_positions=64, seed=0):
        rng = np.random.default_rng(seed)
        self.heads = heads
        self.wte, self.wpe = rng.normal(0, 1, (vocab, dim)), rng.normal(0, 1, (n_positions, dim))
        self.blocks = [(rng.normal(0, dim ** -0.5, (dim, 3 * dim)), rng.normal(0, dim ** -0.5, (dim, dim))) for _ in range(layers)]

    def attention(self, x, w_qkv, w_o, cache):
        B, L, D = x.shape
        q, k, v = (t.reshape(B, L, self.heads, -1).transpose(0, 2, 1, 3) for t in np.split(x @ w_qkv, 3, axis=-1))
        if cache is not None:
            k, v = cache.update(k, v)
        scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1])
        scores = np.where(np.tri(L, k.shape[2], k.shape[2] - L, dtype=bool), scores, -np.inf)
        out = softmax(scores) @ v
        return out.transpose(0, 2, 1, 3).reshape(B, L, D) @ w_o

    def __call__(self, tokens, caches=None):
        B, L = tokens.shape
        offset = caches[0].offset if caches is not None else 0
        assert offset + L <= len(self.wpe), "sequence too long"
        position_ids = np.arange(offset, offset + L)
        x = self.wte[tokens] + self.wpe[position_ids]
        for i, (w_qkv, w_o) in enumerate(self.blocks):
            x = x + self.attention(layer_norm(x), w_qkv, w_o, caches[i] if caches is not None else None)
        return layer_norm(x) @ self.wte.T
