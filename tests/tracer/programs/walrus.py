# At least 7 places are known.
# ruff: noqa
"""Assignment expressions in conditions, calls and comprehensions."""

import numpy as np


def forward(x, w):
    if (y := x @ w) is not None:
        z = y + 1.0
    total = (s := z.sum(axis=0)) * 2
    return y, z, total + s


x, w = np.ones((4, 3)), np.ones((3, 6))
y, z, total = forward(x, w)
print((n := len(x)))
made = np.zeros((n, 2))
state = np.zeros((5,))
[(state := np.zeros((k,))) for k in (1, 2)]
after = state
