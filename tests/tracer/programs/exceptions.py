# At least 5 places are known.
# ruff: noqa
"""try, except, else and finally; raising guards."""

import numpy as np


def guarded(x, y):
    if x.ndim != 2:
        raise ValueError("x must have two axes")
    if x.shape[1] != y.shape[0]:
        raise ValueError
    try:
        z = x @ y
    except ValueError as error:
        z = np.zeros((x.shape[0], y.shape[1]))
    else:
        z = z + 1.0
    finally:
        done = x
    return z, done


def fallback(x):
    y = x[:3]
    try:
        y = x[:4]
        float("no number")
    except ValueError:
        z = y
    return y, z


z, done = guarded(np.ones((4, 3)), np.ones((3, 6)))
y, caught = fallback(np.ones((9, 2)))
