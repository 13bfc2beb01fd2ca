# At least 3 places are known.
# ruff: noqa
"""Decorators: those that pass calls through, and those that may do anything."""

import functools

import numpy as np
import torch


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return np.concatenate([function(*args, **kwargs)] * 2)

    return wrapper


@doubled
def rows(x):
    return x[:2]


@torch.no_grad()
def plain(x):
    return x.sum(dim=-1)


@functools.lru_cache(maxsize=None)
def table(n):
    return np.zeros((n, 3))


four = rows(np.ones((5, 2)))
summed = plain(torch.ones(4, 3))
made = table(7)
