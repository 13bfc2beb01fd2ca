# At least 2 places are known.
# ruff: noqa
"""Strings, formatted ones and docstrings get in nobody's way."""

import numpy as np


def report(x, name="x"):
    """Say the shape of `x`."""
    text = f"{name}: {x.shape!r} {x.sum():.2f}" + "\nmore"
    print(text, "%s" % name, text.upper())
    kinds = {"T": x.T}
    return kinds["T"] if text else x


turned = report(np.ones((4, 3)))
letters = np.zeros((len("abc"), 2))
for letter in "ab":
    row = np.zeros(3)
