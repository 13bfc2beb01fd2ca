# At least 8 places are known.
# ruff: noqa
"""global and nonlocal names, in branches and in loops too."""

import numpy as np

table = np.zeros((3,))
size = 2


def widen(n):
    global table, size
    table = np.zeros((n,))
    size = n


def maybe(flag):
    global table
    if flag:
        table = np.zeros((8,))
    else:
        table = np.zeros((9,))


def count(n):
    seen = np.zeros((1,))

    def step():
        nonlocal seen
        seen = np.concatenate([seen, np.zeros((1,))])

    for _ in range(n):
        step()
    return seen


before = table
widen(5)
after = table
made = np.zeros((size, size))
maybe(len(made) > 7)
either = table
seen = count(20)
