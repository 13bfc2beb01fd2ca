"""ATN504: masks that a squashing function undoes on the way to softmax."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import torch
import torch.nn.functional as F
from torch import nn

class Pointer(nn.Module):
    def __init__(self, d, clip=10.0):
        super().__init__()
        self.clip = clip
        self.v = nn.Parameter(torch.rand(d))

    def forward(self, query, refs, visited):
        \"\"\"query (B, d), refs (B, T, d), visited (B, T).\"\"\"
        u = torch.tanh(refs + query[:, None]) @ self.v
        {}
        {}
        w = {}
        return torch.einsum("bt,btd->bd", w, refs)
"""
SOFTMAX = "F.softmax(u, dim=-1)"
FILL = 'u = u.masked_fill(visited, float("-inf"))'


def found(first, second, weights=SOFTMAX):
    """(code, line, fix) of every finding but notes."""
    code = CODE.format(first, second, weights)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(f.code, f.line, f.fix and f.fix.line) for f in findings if f.severity != "note"]


@pytest.mark.parametrize(
    "squash",
    [
        "u = self.clip * torch.tanh(u)",
        "u = torch.tanh(u)",
        "u = u.tanh() * 10",
        "u = F.softplus(u)",
        "u = torch.relu(u / 0.3)",
        "u = torch.sigmoid(u)",
        "u = u.clamp(min=-5)",
        "u = torch.clamp(u, -10.0, 10.0)",
    ],
)
@pytest.mark.parametrize(
    "mask",
    [
        FILL,
        "u = u.masked_fill(visited, -1e9)",
        "u = torch.where(visited, -torch.inf, u)",
        'u.masked_fill_(visited, float("-inf"))',
    ],
)
def test_what_was_hidden_comes_back(mask, squash):
    ((code, line, _),) = found(mask, squash)
    assert (code, line) == ("ATN504", 14)
    assert found(squash, mask) == []


def test_the_statements_in_the_other_order():
    squash = "u = self.clip * torch.tanh(u)"
    assert found(FILL, squash) == [("ATN504", 14, f"{squash}\n{FILL}")]


def test_softmax_by_hand():
    weights = "torch.exp(u - u.max(-1, keepdim=True).values); w = w / w.sum(-1, keepdim=True)"
    assert [each[:2] for each in found(FILL, "u = torch.tanh(u)", weights)] == [("ATN504", 14)]


@pytest.mark.parametrize(
    ("first", "second", "weights"),
    [
        (FILL, "u = F.leaky_relu(u)", SOFTMAX),
        (FILL, "u = u.clamp(min=-1e4)", SOFTMAX),
        (FILL, "u = torch.clamp(u, max=50.0)", SOFTMAX),
        (FILL, "u = torch.nan_to_num(u)", SOFTMAX),
        (FILL, "u = 1e4 * torch.tanh(u)", SOFTMAX),
        # masked once more, before softmax or behind it
        (FILL, "u = torch.tanh(u).masked_fill(visited, -1e9)", SOFTMAX),
        (FILL, "u = torch.tanh(u)", "F.softmax(u, dim=-1).masked_fill(visited, 0)"),
        # a gate of 0 closes what it is multiplied with: it is no score
        ("g = torch.sigmoid(u.masked_fill(visited, -1e9))", "u = u * g", SOFTMAX),
        ("g = torch.sigmoid(u.masked_fill(visited, -1e9))", "pass", "g / g.sum(-1, keepdim=True)"),
        ("g = torch.sigmoid(u.masked_fill(visited, -1e9))", "pass", SOFTMAX),
    ],
)
def test_what_stays_hidden(first, second, weights):
    assert [each for each in found(first, second, weights) if each[0] == "ATN504"] == []
