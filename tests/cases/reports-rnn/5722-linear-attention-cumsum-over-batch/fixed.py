import numpy as np


def phi(x):
    return np.where(x > 0, x + 1.0, np.exp(np.minimum(x, 0.0)))


def causal_linear_attention(q, k, v, eps=1e-6):
    """q, k: (B, T, d), v: (B, T, e)"""
    q, k = phi(q), phi(k)
    kv = np.einsum("btd,bte->btde", k, v)
    state = np.cumsum(kv, axis=1)
    norm = np.cumsum(k, axis=1)
    num = np.einsum("btd,btde->bte", q, state)
    den = np.einsum("btd,btd->bt", q, norm)[..., None]
    return num / (den + eps)


def layer_norm(x, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)


class Block:
    def __init__(self, d_model, rng):
        mat = lambda a, b: rng.normal(0, a ** -0.5, (a, b))
        self.q, self.k, self.v, self.o = (mat(d_model, d_model) for _ in range(4))
        self.up, self.down = mat(d_model, 4 * d_model), mat(4 * d_model, d_model)

    def __call__(self, x):
        n = layer_norm(x)
        x = x + causal_linear_attention(n @ self.q, n @ self.k, n @ self.v) @ self.o
        return x + np.maximum(layer_norm(x) @ self.up, 0) @ self.down


rng = np.random.default_rng(0)
blocks = [Block(32, rng) for _ in range(2)]
h = rng.normal(size=(4, 50, 32))
for block in blocks:
    h = block(h)
print(h.shape, h.std())
