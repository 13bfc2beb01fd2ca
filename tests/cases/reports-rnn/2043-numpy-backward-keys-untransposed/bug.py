import numpy as np


class SelfAttentionLayer:
    """single head, one sequence at a time, with a manual backward pass"""

    def __init__(self, d_in, d_head, seed=0):
        rng = np.random.RandomState(seed)
        self.Wq = rng.randn(d_in, d_head) / np.sqrt(d_in)
        self.Wk = rng.randn(d_in, d_head) / np.sqrt(d_in)
        self.Wv = rng.randn(d_in, d_head) / np.sqrt(d_in)
        self.grads = {}

    def forward(self, X):
        self.X = X
        self.Q, self.K, self.V = X @ self.Wq, X @ self.Wk, X @ self.Wv
        self.scale = 1.0 / np.sqrt(self.K.shape[1])
        S = self.Q @ self.K.T * self.scale
        E = np.exp(S - S.max(axis=1, keepdims=True))
        self.A = E / E.sum(axis=1, keepdims=True)
        return self.A @ self.V

    def backward(self, dO):
        dV = self.A.T @ dO
        dA = dO @ self.V.T
        # softmax
        dS = self.A * (dA - (dA * self.A).sum(axis=1, keepdims=True))
        dS = dS * self.scale
        dQ = dS @ self.K
        dK = dS @ self.Q
        self.grads["Wq"] = self.X.T @ dQ
        self.grads["Wk"] = self.X.T @ dK
        self.grads["Wv"] = self.X.T @ dV
        return dQ @ self.Wq.T + dK @ self.Wk.T + dV @ self.Wv.T


if __name__ == "__main__":
    layer = SelfAttentionLayer(12, 6)
    X = np.random.RandomState(1).randn(5, 12)
    out = layer.forward(X)
    dX = layer.backward(np.ones_like(out))
    for name, g in layer.grads.items():
        print(name, np.abs(g).mean())
