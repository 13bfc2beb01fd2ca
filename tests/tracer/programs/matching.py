# At least 2 places are known.
# ruff: noqa
"""match: on values, on tuples that bind names, on classes."""

import numpy as np


def norm(x, kind):
    match kind:
        case "sum":
            y = x.sum(axis=-1, keepdims=True)
        case "max":
            y = x.max(axis=-1, keepdims=True)
        case _:
            y = x[..., :1]
    return x / y, y


def flat(x, B=1):
    match x.shape:
        case (T, d):
            return np.zeros((T * d,))
        case (B, T, d):
            return np.zeros((B, T * d))
    return x


def named(x, y):
    match y:
        case [x, *rest]:
            z = x
        case {"a": x}:
            z = x
        case np.ndarray() as z:
            pass
        case (1 | 2) as n:
            z = np.zeros((n,))
        case _:
            z = x
    return x, z


normed, y = norm(np.ones((4, 3)), "sum")
a = flat(np.ones((4, 3)))
b = flat(np.ones((2, 4, 3)))
c, d = named(np.ones(3), [np.ones(5), np.ones(6)])
e, f = named(np.ones(3), {"a": np.ones(7)})
g, h = named(np.ones(3), 2)
