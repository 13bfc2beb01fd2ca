"""Weights that are drawn or returned as a reason: told only where the rule is selected."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Choice, Settings

SELECTED = Settings(choices=(Choice(select=("ATN",), extend_select=("ATN7",)),))
MODULE = """import numpy as np
import matplotlib.pyplot as plt


def attend(query, key, value):
    scores = query @ key.T / np.sqrt(key.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ value, weights


query, key, value = np.ones((3, 4)), np.ones((5, 4)), np.ones((5, 6))
context, weights = attend(query, key, value)
{}
"""


def lines(drawn, settings=SELECTED):
    code = MODULE.format(drawn)
    found = check_source(code.encode(), "drawn.py", settings).findings
    return [code.split("\n")[each.line - 1] for each in found if each.code == "ATN701"]


@pytest.mark.parametrize(
    "drawn", ["plt.imshow(weights)", "plt.matshow(weights[:2])", "sns.heatmap(weights.copy())"]
)
def test_drawn_weights(drawn):
    assert lines(drawn) == [drawn]
    assert lines(drawn, Settings()) == []


@pytest.mark.parametrize(
    "drawn",
    [
        "plt.imshow(context)",
        "plt.plot(weights[0])",
        "print(weights)",
        "plt.imshow(weights)  # beside the ablation in test_ablation",
    ],
)
def test_other_drawings(drawn):
    assert lines(drawn) == []
