# At least 14 places are known.
# ruff: noqa
"""x.shape sliced, spread, concatenated and passed on."""

import numpy as np
import torch


def fold(x):
    lead = x.shape[:-1]
    d = x.shape[-1]
    flat = x.reshape(-1, d)
    back = flat.reshape(*x.shape[:-1], d)
    split = x.reshape(*x.shape[:-1], 2, d // 2)
    made = np.zeros(lead + (4,))
    same = np.zeros(x.shape)
    turned = np.zeros(x.shape[::-1])
    tail = np.zeros(x.shape[-2:])
    return flat, back, split, made, same, turned, tail


def folded(x):
    B, T = x.shape[:2]
    y = x.view(B * T, -1)
    z = y.view(B, T, *x.shape[2:])
    n = x.size(-1)
    w = torch.zeros(*x.size()[:2], n)
    return y, z, w


def unfold(x, y):
    *lead, n, d = x.shape
    out = y.reshape(*lead, n, 1)
    return out


flat, back, split, made, same, turned, tail = fold(np.ones((2, 5, 6)))
y, z, w = folded(torch.ones(2, 5, 3, 4))
out = unfold(np.ones((2, 3, 4)), np.ones((2, 3)))
rank = len(out.shape)
by_rank = np.zeros((1,) * rank)
