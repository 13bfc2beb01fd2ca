# At least 7 places are known.
# ruff: noqa
"""Functions that return in several places, with one shape or with several."""

import numpy as np


def pool(x, mode="mean"):
    if mode == "mean":
        return x.mean(axis=1)
    if mode == "max":
        return x.max(axis=1)
    return x[:, 0]


def ragged(x, flag):
    if flag:
        return x
    return x.sum(axis=0)


def nothing(x, mask):
    if mask is None:
        return
    return x * mask


x = np.ones((2, 5, 3))
mean = pool(x)
largest = pool(x, "max")
first = pool(x, mode="first")
whole = ragged(x, len(x) > 1)
summed = ragged(x, len(x) > 7)
product = nothing(x, x)
masked = nothing(x, None)
