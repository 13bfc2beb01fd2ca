# At least 7 places are known.
# ruff: noqa
"""What a loop leaves behind when it is left in the middle."""

import numpy as np


def find(x, flag):
    y = x[:3]
    for i in range(3):
        if flag:
            y = x[:5]
            break
        y = x[:4]
    found = y
    z = x[:2]
    for i in range(x.shape[0]):
        if i == 1:
            z = x[:6]
            continue
        w = x[:1]
    last = z
    for i in range(2):
        u = x[:1]
    else:
        u = x[:2]
    done = u
    return found, last, done


found, last, done = find(np.ones((9, 2)), True)
found, last, done = find(np.ones((9, 2)), False)
for i in range(3):
    if i == 1:
        out = np.ones((5,))
        break
    out = np.ones((4,))
kept = out
