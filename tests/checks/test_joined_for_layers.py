"""ATN106: tensors joined along another axis than the one that the layer behind them takes."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import torch
from torch import nn
class Head(nn.Module):
    def __init__(self, d_model, d_head):
        super().__init__()
        self.W_q, self.W_k = nn.Linear(d_model, d_head), nn.Linear(d_model, d_head)
        self.W_v = nn.Linear(d_model, d_head)
    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.W_q(x), self.W_k(x), self.W_v(x)
        return torch.softmax(q @ k.transpose(1, 2) / k.shape[-1] ** 0.5, dim=-1) @ v
class Heads(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.heads = nn.ModuleList([Head(d_model, d_model // n_heads) for _ in range(n_heads)])
        self.first, self.second = Head(d_model, d_model), Head(d_model, d_model)
        self.W_o = nn.Linear({width}, d_model)
    def forward(self, x):
        {joined}
        return self.W_o(joined)
"""


def found(joined, width="d_model"):
    code = CODE.format(joined=joined, width=width)
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("wrong", "right", "width"),
    [
        (
            "joined = torch.cat([head(x) for head in self.heads], dim=1)",
            "joined = torch.cat([head(x) for head in self.heads], dim=-1)",
            "d_model",
        ),
        (
            "joined = torch.cat([head(x) for head in self.heads], 0)",
            "joined = torch.cat([head(x) for head in self.heads], -1)",
            "d_model",
        ),
        (
            "joined = torch.cat((self.first(x), self.second(x)), dim=1)",
            "joined = torch.cat((self.first(x), self.second(x)), dim=-1)",
            "2 * d_model",
        ),
    ],
)
def test_heads_one_behind_the_other(wrong, right, width):
    (finding,) = found(wrong, width)
    assert (finding.code, finding.line, finding.function) == ("ATN106", 19, "Heads.forward")
    assert "takes side by side" in finding.message and "`self.W_o`" in finding.message
    assert finding.fix is not None and finding.fix.line == right
    assert found(right, width) == ()


def test_a_layer_that_would_not_take_them_side_by_side_either():
    findings = found("joined = torch.cat((self.first(x), self.second(x)), dim=1)", "3 * d_model")
    assert [each.code for each in findings] == ["ATN103"]
