# At least 5 places are known.
# ruff: noqa
"""functools.partial over functions of the project and of a library."""

from functools import partial

import numpy as np


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


over_keys = partial(softmax, axis=-1)
total = partial(np.sum, axis=0)
x = np.ones((4, 3))
weights = over_keys(x)
column = total(x)
kept = partial(total, keepdims=True)(x)
scaled = partial(lambda a, b: a @ b, x)(np.ones((3, 6)))
