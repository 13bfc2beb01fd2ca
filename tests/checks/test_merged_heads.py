"""ATN301: softmax over the keys of all heads at once, and over heads in the place of positions."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

MAP = """import torch
from torch import nn
class AttentionMap(nn.Module):
    def __init__(self, d, num_heads):
        super().__init__()
        self.num_heads, self.d_k = num_heads, d // num_heads
        self.W_q, self.W_k = nn.Linear(d, d), nn.Conv2d(d, d, 1)
    def forward(self, q, k):
        B, N, _ = q.shape
        q = self.W_q(q).view(B, N, self.num_heads, self.d_k)
        k = self.W_k(k)
        k = k.view(B, self.num_heads, self.d_k, k.shape[-2], k.shape[-1])
        scores = torch.einsum("bqnc,bnchw->bqnhw", q, k) * self.d_k ** -0.5
        return {weights}.view(scores.shape)
"""


def of_map(weights):
    return check_source(MAP.format(weights=weights).encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("scores.flatten(2).softmax(-1)", "scores.flatten(3).softmax(-1)"),
        ("torch.softmax(scores.flatten(2), dim=-1)", "torch.softmax(scores.flatten(3), dim=-1)"),
        ("scores.flatten(start_dim=2).softmax(-1)", "scores.flatten(start_dim=3).softmax(-1)"),
    ],
)
def test_heads_merged_with_the_keys(wrong, right):
    (finding,) = of_map(wrong)
    assert (finding.code, finding.severity) == ("ATN301", "warning")
    assert "normalises an axis that merges num_heads with" in finding.message
    assert finding.fix is not None and right in finding.fix.line
    assert of_map(right) == ()


def test_an_axis_of_the_same_size_that_counts_no_heads():
    code = MAP.replace("num_heads", "groups").format(weights="scores.flatten(2).softmax(-1)")
    assert check_source(code.encode(), "x.py", Settings()).findings == ()


POOL = """import torch
from torch import nn
class Pooling(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.score = nn.Linear(d, {width})
        self.split = lambda x: x.view(x.shape[0], x.shape[1], heads, d // heads)
    def forward(self, x):
        B, T, d = x.shape
        weights = self.score(x).softmax(dim={axis})
        return torch.einsum("bth,bthd->bhd", weights, self.split(x))
"""


@pytest.mark.parametrize(
    ("width", "axis", "codes"),
    [("heads", -1, ["ATN301"]), ("heads", 2, ["ATN301"]), ("heads", 1, []), ("slots", -1, [])],
)
def test_heads_that_compete_for_positions(width, axis, codes):
    code = POOL.format(width=width, axis=axis).replace("d, heads)", f"d, {width})", 1)
    code = code.replace("heads, d // heads", f"{width}, d // {width}")
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert [each.code for each in findings] == codes
    assert all("softmax(dim=1)" in each.fix.line for each in findings)
