# At least 12 places are known.
# ruff: noqa
"""A starred target takes a list, also where nobody knows how long it is."""

import numpy as np


def stacked_rest(xs):
    first, *rest = xs
    return np.stack(rest)


def of_rows(n):
    rows = [np.zeros((3, 4)) for _ in range(n)]
    first, *rest = rows
    picked = rest[0]
    *init, last = rows
    return first, picked, init[0], last


rest = stacked_rest([np.zeros((3,)), np.zeros((3,)), np.zeros((3,))])
first, picked, initial, last = of_rows(5)
