# At least 3 places are known.
# ruff: noqa
"""with blocks, with and without a name."""

import contextlib

import numpy as np
import torch


def infer(x, w):
    with torch.no_grad():
        y = x @ w
    with torch.no_grad(), contextlib.suppress(ValueError):
        z = y.softmax(dim=-1)
    return z


@contextlib.contextmanager
def opened(x):
    yield x[:2]


z = infer(torch.ones(4, 3), torch.ones(3, 6))
x = np.ones((5, 2))
with opened(x) as part:
    inside = part
with np.errstate(divide="ignore") as x:
    total = np.zeros(3)
