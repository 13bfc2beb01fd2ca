# At least 1 places are known.
# ruff: noqa
"""Recursion, direct and mutual, is not followed but ends."""

import numpy as np


def power(x, n):
    if n == 1:
        return x
    return x @ power(x, n - 1)


def even(x, n):
    return x if n == 0 else odd(x[:-1], n - 1)


def odd(x, n):
    return x[:1] if n == 0 else even(x[:-1], n - 1)


def halves(x):
    if len(x) == 1:
        return [x]
    middle = len(x) // 2
    return halves(x[:middle]) + halves(x[middle:])


x = np.ones((3, 3))
cubed = power(x, 3)
short = even(np.ones((8, 2)), 3)
parts = halves(np.ones((4, 2)))
stacked = np.stack(parts)
