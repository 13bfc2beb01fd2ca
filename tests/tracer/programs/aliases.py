# At least 0 places are known.
# ruff: noqa
"""Two names of one list, and functions that change the list that they are given."""

import numpy as np


def push(xs, x):
    xs.append(x)


def collect(x):
    outs = []
    push(outs, x)
    push(outs, x)
    return outs


first = second = [np.zeros(2)]
second.append(np.zeros(2))
stacked = np.stack(first)
outs = collect(np.zeros(3))
collected = np.stack(outs)
nested = [[], []]
nested[0].append(np.zeros(4))
inner = np.stack(nested[0])
store = {"k": []}
store["k"].append(np.zeros(5))
store["k"].append(np.zeros(5))
kept = np.stack(store["k"])
