# At least 9 places are known.
# ruff: noqa
"""Branches on the number of axes and on sizes: what is learned is undone at the join."""

import numpy as np


def batched(x):
    if x.ndim == 2:
        x = x[None]
    B, T, d = x.shape
    return x.mean(axis=1)


def flatten(x):
    if len(x.shape) == 3:
        y = x.reshape(x.shape[0], -1)
    elif x.ndim == 2:
        y = x
    else:
        y = x.reshape(1, -1)
    return y


def square(x):
    if x.shape[0] == x.shape[1]:
        y = x + x.T
    else:
        y = x
    return y


one = batched(np.ones((5, 3)))
two = batched(np.ones((2, 5, 3)))
a, b, c = flatten(np.ones((2, 3, 4))), flatten(np.ones((2, 3))), flatten(np.ones(5))
s, r = square(np.ones((3, 3))), square(np.ones((3, 4)))
