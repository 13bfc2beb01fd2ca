# At least 6 places are known.
# ruff: noqa
"""Boolean masks and integer arrays as indices."""

import numpy as np


def masked(scores, lengths):
    B, T = scores.shape
    keep = np.arange(T)[None, :] < lengths[:, None]
    scores = np.where(keep, scores, -np.inf)
    picked = scores[keep]
    filled = scores.copy()
    filled[~keep] = 0.0
    rows = scores[np.array([0, 1, 1])]
    last = scores[np.arange(B), lengths - 1]
    return picked, filled, rows, last


scores = np.random.default_rng(0).standard_normal((3, 5))
picked, filled, rows, last = masked(scores, np.array([2, 5, 3]))
mask = scores > 0
outside = scores[mask]
