"""A scale that belongs to the scores and is put on the weights; weights of weights."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import math, torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def told(code, head=HEAD):
    found = check_source((head + code).encode(), "x.py", Settings()).findings
    return [(each.code, each.fix and each.fix.line) for each in found]


SCALED = """
def attend(q, k, v):
    '''q: (B, T, d_k), k: (B, S, d_k), v: (B, S, d_v)'''
    scores = q @ k.transpose(-2, -1){scores}
    weights = torch.softmax(scores, dim=-1)
    weights = F.dropout(weights, 0.1)
    weights = {weights}
    return weights @ v
"""


@pytest.mark.parametrize(
    ("scores", "weights", "expected"),
    [
        (" / math.sqrt(q.size(-1))", "weights", []),
        ("", "weights / math.sqrt(q.size(-1))", ["ATN506"]),
        ("", "weights * k.shape[-1] ** -0.5", ["ATN506"]),
        # A root of how many keys there are keeps the spread of the sum.
        ("", "weights * math.sqrt(k.size(1))", []),
        ("", "weights / 2", []),
        (" / math.sqrt(q.size(-1))", "weights / math.sqrt(q.size(-1))", []),
    ],
)
def test_the_scale_belongs_to_the_scores(scores, weights, expected):
    found = told(SCALED.format(scores=scores, weights=weights))
    assert [code for code, _ in found] == expected


BY_HAND = """
import numpy as np


class Dot:
    def __init__(self, d_s, d_h, d_k):
        self.W_q, self.W_k = np.zeros((d_s, d_k)), np.zeros((d_h, d_k))
        self.scale = np.sqrt(d_k)

    def forward(self, s, H):
        q, k = s.dot(self.W_q), H.dot(self.W_k)
        e = k.dot(q)
        w = np.exp(e - e.max())
        w = w / w.sum() / self.scale
        return w.dot(H)


Dot(6, 8, 16).forward(np.zeros(6), np.zeros((5, 8)))
"""


def test_the_scale_is_moved_to_the_scores():
    fix = "e = k.dot(q) / self.scale\nw = w / w.sum()"
    assert told(BY_HAND, "") == [("ATN506", fix)]
    right = BY_HAND.replace("k.dot(q)", "k.dot(q) / self.scale").replace("() / self.scale", "()")
    assert told(right, "") == []


OVER = """
class Reader(nn.Module):
    def forward(self, doc, query):
        '''doc: (B, N, d), query: (B, M, d)'''
        scores = torch.bmm(doc, query.transpose(1, 2))
        alpha, beta = F.softmax(scores, dim=1), F.softmax(scores, dim=2)
        return torch.bmm(alpha, {other})
"""


def test_weights_over_weights_are_summed_as_values():
    assert told(OVER.format(other="beta.mean(dim=1, keepdim=True).transpose(1, 2)")) == []
    assert [code for code, _ in told(OVER.format(other="query"))] == ["ATN301"]
