# At least 11 places are known.
# ruff: noqa
"""Branches on None, in statements and in expressions; what one side says holds there only."""

import numpy as np


def attend(q, k, v=None, mask=None, scale=None):
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    values = k if v is None else v
    scores = q @ k.T * scale
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    e = np.exp(scores)
    weights = e / e.sum(axis=-1, keepdims=True)
    out = weights @ values
    return out, weights


def either(x, y=None):
    z = x if y is None else y
    if y is not None:
        w = y[:1]
    else:
        w = x[:2]
    u = np.zeros((3,)) if y is None else np.zeros((4,))
    v = y if y is not None else x
    return z, w, u, v


q, k, v = np.ones((4, 3)), np.ones((5, 3)), np.ones((5, 6))
out, weights = attend(q, k, v)
out2, weights2 = attend(q, k, mask=np.ones((4, 5), dtype=bool))
a = either(q)
b = either(q, k)
