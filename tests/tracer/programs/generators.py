# At least 2 places are known.
# ruff: noqa
"""Generator functions give nothing that can be known, but break nothing."""

import numpy as np


def windows(x, size):
    for start in range(0, len(x), size):
        yield x[start : start + size]


def first(xs):
    for x in xs:
        return x


x = np.ones((10, 3))
parts = list(windows(x, 4))
joined = np.concatenate(parts)
head = first(windows(x, 4))
again = next(iter(parts))
whole = x.sum(axis=0)
