# At least 2 places are known.
# ruff: noqa
"""A property with a setter gives what its getter makes of it."""

import numpy as np


class Weights:
    def __init__(self, w):
        self.w = w

    @property
    def w(self):
        return self._w.T

    @w.setter
    def w(self, value):
        self._w = value


weights = Weights(np.ones((3, 4)))
got = weights.w
weights.w = np.ones((5, 6))
again = weights.w
