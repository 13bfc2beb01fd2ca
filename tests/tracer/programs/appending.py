# At least 5 places are known.
# ruff: noqa
"""Lists that grow in loops, then stacked and concatenated."""

import numpy as np
import torch


def unroll(x, w):
    B, T, d = x.shape
    outs = []
    both = []
    for t in range(T):
        y = x[:, t] @ w
        outs.append(y)
        both.append(y)
        both.append(y)
    stacked = np.stack(outs, axis=1)
    twice = np.stack(both)
    return stacked, twice


def chunks(x):
    parts = []
    for row in x:
        parts.append(row[None])
    return torch.cat(parts, dim=0)


stacked, twice = unroll(np.ones((2, 5, 3)), np.ones((3, 4)))
joined = chunks(torch.ones(4, 6))
few = []
few.append(joined)
few.extend([joined, joined])
few.insert(0, joined)
all_of_them = torch.stack(few)
few.pop()
fewer = torch.stack(few)
fewer_again = few[0]
del few[0]
fewest = torch.stack(few)
