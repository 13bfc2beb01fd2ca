"""ATN301: additive scores of all with all that have the queries where the keys belong."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import torch
from torch import nn
class Additive(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.W_q, self.W_k, self.v = nn.Linear(d, h), nn.Linear(d, h), nn.Linear(h, 1)
    def forward(self, x):
        B, T, _ = x.shape
        queries, keys = self.W_q(x), self.W_k(x)
        features = {sum}
        scores = self.v(torch.tanh(features)).squeeze(-1)
        return torch.softmax(scores, dim={axis}) @ x
"""


def found(text, axis=-1):
    findings = check_source(CODE.format(sum=text, axis=axis).encode(), "x.py", Settings()).findings
    return [(each.code, each.fix and each.fix.line) for each in findings]


WAYS = [
    ("queries.unsqueeze(1) + keys.unsqueeze(2)", "queries.unsqueeze(2) + keys.unsqueeze(1)"),
    ("keys.unsqueeze(2) + queries.unsqueeze(1)", "keys.unsqueeze(1) + queries.unsqueeze(2)"),
    ("queries[:, None] + keys[:, :, None]", "queries[:, :, None] + keys[:, None]"),
]


@pytest.mark.parametrize(("wrong", "right"), WAYS)
def test_queries_behind_their_keys(wrong, right):
    assert found(wrong) == [("ATN301", f"features = {right}")]
    assert found(right) == []


def test_names_that_do_not_tell():
    code = CODE.format(sum=WAYS[0][0], axis=-1).replace("queries", "left").replace("keys", "right")
    assert check_source(code.encode(), "x.py", Settings()).findings == ()
