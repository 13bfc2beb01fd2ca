# At least 22 places are known.
# ruff: noqa
"""Size arithmetic: //, %, **, negative numbers, chained comparisons, min, max, sum and sorted."""

import math

import numpy as np


def arithmetic(x, n):
    B, T, d = x.shape
    half, rest = d // 2, d % 2
    a = np.zeros((half * 2 + rest, T))
    b = np.zeros((T**2, B - 1))
    c = np.zeros((-(-T // 4), 4))
    e = np.zeros((2 * half, d - half))
    if 0 < n <= T < 100:
        f = x[:, :n]
    else:
        f = x[:, :1]
    g = np.zeros((min(T, 3), max(B, 2)))
    h = np.zeros((int(d / 2), len(x)))
    return a, b, c, e, f, g, h


x = np.ones((3, 10, 7))
a, b, c, e, f, g, h = arithmetic(x, 4)
i = np.zeros((7 // 2, 7 % 4, 2**3, -7 // -2))
j = np.zeros(sorted([3, 1, 2]))
k = np.zeros(sorted([3, 1, 2])[0])
m = np.zeros(sum([1, 2], 3))
n = np.zeros(math.prod([2, 3]))
o = np.zeros(len(range(5, 2)))
p = np.zeros(len(range(100, 10)))
q = np.stack([np.zeros(2) for _ in range(0, 40, 2)])
r = np.zeros(int(3.7))
s = np.zeros(abs(-4))
t = np.zeros(divmod(7, 2))
u = np.zeros(len({1, 1, 2}))
v = np.zeros(round(2.5) + True)
w = np.zeros((1 if x.ndim > 2 else 2, 3 and 4, 0 or 5))
