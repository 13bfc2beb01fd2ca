"""A place that was taken of the batch, and the axis that it is to be taken of."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = '''import numpy as np


def attend(states, W):
    """states (B, T_enc, d_h), W (d_h, d_h)."""
    query = {query}
    scores = {scores}
    e = np.exp(scores - scores.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    return np.einsum("bt,bth->bh", weights, states)
'''
SCORES = (
    "(states @ query[:, :, None])[:, :, 0]",
    "(states * query[:, None, :]).sum(-1)",
    'np.einsum("bth,bh->bt", states, query)',
)


def findings(query, scores):
    code = CODE.format(query=query, scores=scores)
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("query", ["states[-1]", "states[-1] @ W", "np.tanh(states[-1] @ W)"])
def test_the_last_state_of_each_sequence(query, scores):
    (finding,) = findings(query, scores)
    right = query.replace("[-1]", "[:, -1]")
    assert finding.fix.line == f"query = {right}"
    assert list(findings(right, scores)) == []
