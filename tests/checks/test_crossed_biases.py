"""ATN202: biases of one sequence that are added along the other one of a product of scores."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

MODULE = """import torch
from torch import nn

class Biaffine(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.mlp_head = nn.Sequential(nn.Linear(d, n), nn.ReLU())
        self.mlp_dep = nn.Sequential(nn.Linear(d, n), nn.ReLU())
        self.U, self.u = nn.Parameter(torch.zeros(n, n)), nn.Parameter(torch.zeros(n))
        self.w = nn.Linear(n, 1)

    def forward(self, h):
        B, T, d = h.shape
        head, dep = self.mlp_head(h), self.mlp_dep(h)
        {scores}
        return {biased}
"""
WRONG = "s = head @ self.U @ dep.transpose(1, 2)"
RIGHT = "s = dep @ self.U @ head.transpose(1, 2)"


def found(scores, biased):
    code = MODULE.format(scores=scores, biased=biased)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.severity, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(
    ("scores", "fixed"),
    [
        (WRONG, RIGHT),
        ("s = torch.matmul(head @ self.U, dep.mT)", "s = torch.matmul(dep @ self.U, head.mT)"),
        ("s = torch.bmm(head, dep.transpose(1, 2))", "s = torch.bmm(dep, head.transpose(1, 2))"),
        (
            "s = head @ (dep @ self.U).transpose(-2, -1)",
            "s = dep @ (head @ self.U).transpose(-2, -1)",
        ),
    ],
)
@pytest.mark.parametrize(
    "biased",
    [
        "s + (head @ self.u).unsqueeze(1)",
        "(head @ self.u)[:, None, :] + s",
        "s + self.w(head).transpose(1, 2)",
        "s + self.w(head).squeeze(-1).unsqueeze(-2)",
    ],
)
def test_the_sides_are_exchanged(scores, fixed, biased):
    assert found(scores, biased) == [("ATN202", 15, "warning", fixed)]
    assert found(fixed, biased) == []


@pytest.mark.parametrize(
    ("scores", "biased"),
    [
        # along the rows that it is made of
        (WRONG, "s + (head @ self.u).unsqueeze(-1)"),
        (WRONG, "s + (head @ self.u)[:, :, None]"),
        # of both sides, each along its own
        (WRONG, "s + (head @ self.u)[:, :, None] + (dep @ self.u)[:, None]"),
        # of neither side, or of what both are made of
        (WRONG, "s + self.w(self.mlp_head(h)).transpose(1, 2)"),
        (WRONG, "s + h.mean(-1).unsqueeze(1)"),
        # one tensor on both sides
        ("s = head @ self.U @ head.transpose(1, 2)", "s + (head @ self.u).unsqueeze(1)"),
        # no product with states: what a bias is made of need not be a side of it
        ("s = self.w(head) + 0 * dep", "s + (head @ self.u).unsqueeze(-1)"),
    ],
)
def test_biases_along_their_own_side(scores, biased):
    assert found(scores, biased) == []
