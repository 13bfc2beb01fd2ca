# At least 7 places are known.
# ruff: noqa
"""Dicts of tensors: literal, grown, read with and without default, merged."""

import numpy as np


def attend(params, x):
    q = x @ params["W_q"]
    k = x @ params["W_k"]
    return q @ k.T


params = {"W_q": np.ones((3, 4)), "W_k": np.ones((3, 4))}
scores = attend(params, np.ones((5, 3)))
params["W_v"] = np.ones((3, 6))
value = np.ones((5, 3)) @ params["W_v"]
missing = params.get("W_o", np.ones((6, 3)))
merged = {**params, "W_q": np.ones((3, 8))}
query = merged["W_q"]
params.update(W_q=np.ones((9, 9)))
updated = params["W_q"]
for name, weight in {"a": x0 for x0 in [np.ones(2)]}.items():
    item = weight
made = dict(a=np.zeros((2, 1)), b=np.zeros((3,)))
a = made["a"]
values = list(made.values())
b = values[1]
del merged["W_q"]
