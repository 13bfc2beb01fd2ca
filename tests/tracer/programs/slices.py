# At least 37 places are known.
# ruff: noqa
"""Slices with bounds and steps, negative ones, None and an ellipsis."""

import numpy as np


def cut(x):
    B, T, d = x.shape
    a = x[:, 1:]
    b = x[:, :-1]
    c = x[:, -2:]
    e = x[:, ::2]
    f = x[:, ::-1]
    g = x[..., 0]
    h = x[:, None]
    i = x[..., None, :]
    j = x[0, :, None, 2:4]
    k = x[:, 1:-1]
    left, right = x[..., : d // 2], x[..., d // 2 :]
    return a, b, c, e, f, g, h, i, j, k, left, right


x = np.zeros((3, 9, 8))
a, b, c, e, f, g, h, i, j, k, left, right = cut(x)
m = x[1:3, 2:9:3, -1]
n = x[10:]
o = x[2:1]
p = x[-100:, 5::-2]
q = x[np.newaxis, ..., :1]
