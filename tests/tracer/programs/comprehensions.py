# At least 11 places are known.
# ruff: noqa
"""Comprehensions and generator expressions, filtered and nested, known and unknown in length."""

import numpy as np


def heads(x, ws):
    outs = [x @ w for w in ws]
    return np.stack(outs, axis=1)


def steps(x):
    B, T, d = x.shape
    outs = [x[:, t] for t in range(T)]
    stacked = np.stack(outs, axis=1)
    wide = np.concatenate([x for _ in range(3)], axis=-1)
    return stacked, wide


x = np.ones((2, 5, 7))
per_head = heads(x[:, 0], [np.ones((7, 3)) for _ in range(4)])
stacked, wide = steps(x)
some = np.stack([x[i] for i in range(2) if i > 0])
table = {k: np.zeros((k, 2)) for k in (1, 2)}
pairs = [(i, j) for i in range(2) for j in range(3)]
index = np.array(pairs)
total = sum(x[i] for i in range(2))
grid = np.stack([np.stack([x[i, j] for j in range(5)]) for i in range(2)])
