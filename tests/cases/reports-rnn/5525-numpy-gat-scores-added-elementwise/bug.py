import numpy as np


def leaky_relu(x, slope=0.2):
    return np.where(x > 0, x, slope * x)


def softmax(x):
    x = np.exp(x - x.max(axis=1, keepdims=True))
    return x / x.sum(axis=1, keepdims=True)


class GATLayer:
    def __init__(self, in_features, out_features, rng):
        self.W = rng.normal(0, 1 / np.sqrt(in_features), (in_features, out_features))
        self.a_src = rng.normal(size=out_features)
        self.a_dst = rng.normal(size=out_features)

    def __call__(self, X, A):
        """X: node features, A: adjacency matrix with self loops"""
        H = X @ self.W
        f_src = H @ self.a_src
        f_dst = H @ self.a_dst
        e = leaky_relu(f_src + f_dst)
        alpha = softmax(np.where(A > 0, e, -1e9))
        return alpha @ H, alpha


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    A = np.array([[1, 1, 0, 0, 1],
                  [1, 1, 1, 0, 0],
                  [0, 1, 1, 1, 0],
                  [0, 0, 1, 1, 1],
                  [1, 0, 0, 1, 1]])
    X = rng.normal(size=(5, 7))
    layers = [GATLayer(7, 8, rng), GATLayer(8, 3, rng)]
    for layer in layers:
        X, alpha = layer(X, A)
    print(alpha.round(2))
