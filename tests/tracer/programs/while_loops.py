# At least 4 places are known.
# ruff: noqa
"""While loops, with break, continue and else."""

import numpy as np


def decode(x, W):
    n = 0
    while n < x.shape[0]:
        y = x @ W
        n += 1
        if n == 3:
            break
    else:
        y = x @ W
    out = np.zeros((4, 2))
    while True:
        out = out @ np.ones((2, 5))
        if out.shape[1] == 5:
            break
    return out


out = decode(np.ones((4, 3)), np.ones((3, 3)))
n = 1
while n < 9:
    n *= 2
made = np.zeros((n, 2))
size = np.zeros((2,))
while len(size) < 9:
    if len(size) == 3:
        size = np.zeros((5,))
        continue
    size = np.zeros((len(size) + 1,))
end = size
