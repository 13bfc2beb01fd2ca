import numpy as np


class CausalSelfAttention:
    def __init__(self, d_model, d_head, seed=0):
        rng = np.random.default_rng(seed)
        s = 1.0 / np.sqrt(d_model)
        self.Wq = rng.normal(0, s, (d_model, d_head))
        self.Wk = rng.normal(0, s, (d_model, d_head))
        self.Wv = rng.normal(0, s, (d_model, d_head))
        self.scale = 1.0 / np.sqrt(d_head)

    def forward(self, x):
        """x: one sequence (T, d_model)"""
        q, k, v = x @ self.Wq, x @ self.Wk, x @ self.Wv
        scores = q @ k.T * self.scale
        scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
        p = np.exp(scores - scores.max(axis=-1, keepdims=True))
        p /= p.sum(axis=-1, keepdims=True)
        self.cache = x, q, k, v, p
        return p @ v

    def backward(self, dout):
        x, q, k, v, p = self.cache
        dv = p.T @ dout
        dp = dout @ v.T
        ds = p * (dp - np.sum(dp * p, axis=-1, keepdims=True))
        dq = ds @ k * self.scale
        dk = ds.T @ q * self.scale
        self.grads = {"Wq": x.T @ dq, "Wk": x.T @ dk, "Wv": x.T @ dv}
        return dq @ self.Wq.T + dk @ self.Wk.T + dv @ self.Wv.T

    def step(self, lr):
        for name, g in self.grads.items():
            setattr(self, name, getattr(self, name) - lr * g)


if __name__ == "__main__":
    layer = CausalSelfAttention(16, 8)
    x = np.random.default_rng(1).normal(size=(12, 16))
    target = np.cumsum(x[:, :8], axis=0) / np.arange(1, 13)[:, None]
    for it in range(50):
        y = layer.forward(x)
        layer.backward((y - target) / len(x))
        layer.step(0.1)
    print("loss", 0.5 * np.mean((y - target) ** 2))
