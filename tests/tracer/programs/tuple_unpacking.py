# At least 21 places are known.
# ruff: noqa
"""Tuples taken apart: nested, starred, swapped, from functions and from shapes."""

import numpy as np


def split(x):
    B, T, d = x.shape
    first, (second, third) = x[:, 0], (x[:, 1], x.sum(axis=1))
    first, second = second, first
    return first, second + third


def starred(x):
    *lead, d = x.shape
    B, *rest = x.shape
    flat = x.reshape(-1, d)
    back = flat.reshape(*lead, d)
    head, *tail = [x[:, 0], x[:, 1], x[:, 2]]
    stacked = np.stack(tail)
    return flat, back, stacked


x = np.zeros((2, 5, 7))
a, b = split(x)
(c, d), [e, f] = (x, a), [b, x]
flat, back, stacked = starred(x)
pairs = [(x, a), (c, d)]
for left, right in pairs:
    both = left.sum(axis=1) + right
