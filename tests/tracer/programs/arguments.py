# At least 14 places are known.
# ruff: noqa
"""Default, keyword-only, positional-only and spread arguments."""

import numpy as np


def project(x, /, w, bias=None, *, scale=1.0, axis=-1):
    y = x @ w * scale
    if bias is not None:
        y = y + bias
    return y.sum(axis=axis)


def total(*xs, axis=0, **options):
    first = xs[0]
    joined = np.concatenate(xs, axis=axis)
    return joined, first


def forwarded(*args, **kwargs):
    return project(*args, **kwargs)


x, w, b = np.ones((4, 3)), np.ones((3, 6)), np.ones(6)
one = project(x, w)
two = project(x, w, b, scale=2.0, axis=0)
three = project(x, bias=b, w=w)
joined, first = total(x, x, x)
wide, _ = total(x, x, axis=1)
four = forwarded(x, w, bias=b, axis=0)
five = forwarded(*[x, w], **{"axis": 0})
shape = (2, 3)
six = np.zeros((*shape, 4))
seven = np.ones(shape).reshape(*shape[:1], 1, -1)
