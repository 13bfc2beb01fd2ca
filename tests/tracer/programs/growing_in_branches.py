# At least 4 places are known.
# ruff: noqa
"""A list that grows in some rounds only has no known length."""

import numpy as np


def some(x, flag):
    outs = []
    for t in range(x.shape[0]):
        if t % 2 == 0:
            outs.append(x[t])
    picked = np.stack(outs)
    more = [x[0]]
    if flag:
        more.append(x[1])
    stacked = np.stack(more)
    return picked, stacked


def nested(x):
    outs = []
    for i in range(3):
        for j in range(x.shape[1]):
            outs.append(x[i, j])
    return np.stack(outs)


picked, stacked = some(np.ones((5, 4)), True)
one, two = some(np.ones((6, 4)), False)
grid = nested(np.ones((3, 10, 2)))
outs = []
for i in range(3):
    for j in range(20):
        outs.append(np.zeros(2))
many = np.stack(outs)
