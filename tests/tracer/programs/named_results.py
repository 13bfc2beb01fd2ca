# At least 44 places are known.
# ruff: noqa
"""Results with names: NamedTuples of the program, and what torch's max, topk and sort give."""

from typing import NamedTuple

import torch


class Attended(NamedTuple):
    context: torch.Tensor
    weights: torch.Tensor
    scale: float = 1.0


def attend(q, k, v):
    scores = q @ k.transpose(1, 2)
    weights = scores.softmax(-1)
    return Attended(weights @ v, weights)


def pick(x):
    b, t, d = x.shape
    best = x.max(dim=-1)
    highest = best.values
    where = torch.max(x, dim=1).indices
    few = x.topk(2, dim=1)
    first = few[0]
    sorted_, order = torch.sort(x, dim=-1)
    median = x.median(dim=2, keepdim=True).values
    total = highest.sum() + where.sum() + first.sum() + median.sum()
    return highest, where, first, order, median


def rows(x):
    b, t, d = x.shape
    numbers = torch.arange(b)
    last = x[numbers, -1]
    diagonal = x[numbers, numbers]
    turned = x[:, torch.arange(t - 1, -1, -1)]
    picked = x[:, torch.tensor([0, 2])]
    return last, diagonal, turned, picked


q, k, v = torch.ones(2, 3, 4), torch.ones(2, 5, 4), torch.ones(2, 5, 6)
attended = attend(q, k, v)
context, weights, _ = attended
same = attended.context
again = attended[1]
highest, where, first, order, median = pick(q)
last, diagonal, turned, picked = rows(q)
