# At least 7 places are known.
# ruff: noqa
"""Branches on flags, known and unknown, and conditional expressions."""

import numpy as np


def layer(x, w, transpose=False, double=True):
    y = x @ (w.T if transpose else w)
    if double:
        y = np.concatenate([y, y], axis=-1)
    z = y if transpose else y[:, :1]
    return z


x = np.ones((4, 3))
plain = layer(x, np.ones((3, 6)))
turned = layer(x, np.ones((6, 3)), transpose=True)
single = layer(x, np.ones((3, 6)), double=False)
USE = True
if USE:
    chosen = x
else:
    chosen = x.T
shape = (2, 3) if USE and not plain is None else (4, 5)
made = np.zeros(shape)
other = np.zeros((3,) if len(x) > 9 else (5,))
