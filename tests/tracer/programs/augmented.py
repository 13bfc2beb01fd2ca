# At least 14 places are known.
# ruff: noqa
"""Augmented assignment to names, items, attributes and lists."""

import numpy as np


class Box:
    def __init__(self, x):
        self.x = x


def accumulate(x, y):
    B, T, d = x.shape
    total = np.zeros((B, d))
    total += x[:, 0]
    total *= 2.0
    x[:, 1] += total
    total @= np.ones((d, d))
    n = T
    n += 2
    n *= 3
    n -= 1
    n //= 2
    made = np.ones((n, d))
    return total, made


x = np.ones((2, 5, 7))
total, made = accumulate(x, None)
items = [total]
items += [total, total]
stacked = np.stack(items)
box = Box(stacked)
box.x += 1.0
grown = box.x
