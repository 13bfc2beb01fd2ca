# At least 5 places are known.
# ruff: noqa
"""State that an object carries through a loop."""

import numpy as np


class Cache:
    def __init__(self, d):
        self.keys = np.zeros((1, d))
        self.latest = None

    def push(self, k):
        self.keys = np.concatenate([self.keys, k])
        self.latest = k
        return self.keys


cache = Cache(3)
for t in range(20):
    seen = cache.push(np.ones((2, 3)))
keys = cache.keys
latest = cache.latest
small = Cache(4)
grown = small.push(np.ones((2, 4)))
twice = small.push(np.ones((2, 4)))
if len(keys) > 3:
    small.keys = np.zeros((7, 4))
either = small.keys
