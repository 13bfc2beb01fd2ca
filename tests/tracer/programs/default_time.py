# At least 5 places are known.
# ruff: noqa
"""A default is evaluated where the function is defined."""

import numpy as np

n = 3


def make(rows=n, table=np.zeros((n, 2))):
    made = np.zeros((rows, 2))
    return made, table


n = 5
made, table = make()
late = np.zeros((n,))
