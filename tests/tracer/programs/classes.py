# At least 11 places are known.
# ruff: noqa
"""Plain classes: attributes, methods, __call__, properties, static and class methods."""

import numpy as np


class Attention:
    scale = 2.0

    def __init__(self, d, n):
        self.W = np.ones((d, n))
        self.n = n
        self._table = None

    @property
    def turned(self):
        return self.W.T

    @staticmethod
    def softmax(x):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    @classmethod
    def square(cls, n):
        return cls(n, n)

    def scores(self, x):
        y = x @ self.W
        return y * self.scale

    def __call__(self, x):
        scores = self.scores(x)
        weights = self.softmax(scores)
        out = weights @ self.turned
        return out, weights


attention = Attention(3, 6)
out, weights = attention(np.ones((4, 3)))
turned = attention.turned
square = Attention.square(5)
table = square.W
attention.W = np.ones((3, 9))
wider = attention.scores(np.ones((2, 3)))
made = np.zeros((attention.n, 2))
direct = Attention.softmax(np.ones((2, 2)))
unbound = Attention.scores(attention, np.ones((2, 3)))
