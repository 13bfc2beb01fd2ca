# At least 6 places are known.
# ruff: noqa
"""Builtins and library names that mean something else here."""

import numpy as np

len = 3
made = np.zeros((len, 2))


def sum(x):
    return x[:1]


one = sum(np.ones((4, 3)))


def local(x):
    range = x[:2]
    zip = range @ x.T
    return zip


product = local(np.ones((4, 3)))
max = np.max
largest = max(np.ones((4, 3)), axis=0)


class list:
    def __init__(self, n):
        self.x = np.zeros((n,))


inside = list(6).x
