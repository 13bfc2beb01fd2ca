import numpy as np


class ResidueAttention:
    """Inference only: one encoder layer of a small protein language model, weights from an npz file."""

    def __init__(self, weights, n_heads):
        self.w = weights
        self.n_heads = n_heads

    def __call__(self, x):
        L, width = x.shape
        h, d = self.n_heads, width // self.n_heads
        q = (x @ self.w["q"] + self.w["q_bias"]).reshape(L, h, d).transpose(1, 0, 2)
        kT = (x @ self.w["k"] + self.w["k_bias"]).reshape(L, d, h).transpose(2, 1, 0)
        v = (x @ self.w["v"] + self.w["v_bias"]).reshape(L, h, d).transpose(1, 0, 2)

        logits = q @ kT / np.sqrt(d)
        logits -= logits.max(-1, keepdims=True)
        p = np.exp(logits)
        p /= p.sum(-1, keepdims=True)

        y = (p @ v).transpose(1, 0, 2).reshape(L, width)
        return x + y @ self.w["o"] + self.w["o_bias"], p


def contact_features(layer, x):
    _, p = layer(x)
    sym = p + p.transpose(0, 2, 1)
    # average product correction per head
    a1, a2 = sym.sum(-1, keepdims=True), sym.sum(-2, keepdims=True)
    return sym - a1 * a2 / sym.sum((-1, -2), keepdims=True)
