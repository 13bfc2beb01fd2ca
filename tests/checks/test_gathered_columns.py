"""ATN201: rows that are gathered with an index of one feature."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import torch
from torch import nn
class Decoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.key, self.cell = nn.Linear(d, d), nn.GRUCell(d, d)
    def forward(self, nodes, h, pick):
        \"\"\"nodes (B, n, d), h (B, d), pick (B,).\"\"\"
        B, n, d = nodes.shape
        keys = self.key(nodes)
        last = {}
        return {}
"""


def found(row, result="h + last"):
    """(code, line, fix) of every finding but notes."""
    code = CODE.format(row, result)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(f.code, f.line, f.fix and f.fix.line) for f in findings if f.severity != "note"]


@pytest.mark.parametrize("result", ["h + last", "last * h", "self.cell(h - last, h)"])
@pytest.mark.parametrize(
    ("row", "fixed"),
    [
        (
            "keys.gather(1, pick.view(B, 1, 1)).squeeze(1)",
            "keys.gather(1, pick.view(B, 1, 1).expand(-1, -1, keys.shape[-1])).squeeze(1)",
        ),
        (
            "torch.gather(keys, 1, pick[:, None, None])[:, 0]",
            "torch.gather(keys, 1, pick[:, None, None].expand(-1, -1, keys.shape[-1]))[:, 0]",
        ),
        (
            "keys.gather(dim=1, index=pick.unsqueeze(-1).unsqueeze(-1)).squeeze(1)",
            "keys.gather(dim=1, index=pick.unsqueeze(-1).unsqueeze(-1).expand(-1, -1,"
            " keys.shape[-1])).squeeze(1)",
        ),
    ],
)
def test_one_feature_for_all(row, fixed, result):
    assert found(row, result) == [("ATN201", 11, f"last = {fixed}")]
    assert found(fixed, result) == []


def test_what_a_loop_carries_on():
    code = """import torch
from torch import nn
class Decoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.embed, self.cell = nn.Linear(3, d), nn.GRUCell(d, d)
        self.start = nn.Parameter(torch.randn(d))
    def forward(self, stops):
        nodes = self.embed(stops)
        bs, n, d = nodes.shape
        h, last = nodes.new_zeros(bs, d), self.start.expand(bs, d)
        for _ in range(n):
            h = self.cell(nodes.mean(dim=1) + last, h)
            pick = (nodes @ h.unsqueeze(-1)).squeeze(-1).argmax(dim=-1)
            last = nodes.gather(1, {}).squeeze(1)
        return h
"""

    def lines(index):
        findings = check_source(code.format(index).encode(), "x.py", Settings()).findings
        return [(f.code, f.line) for f in findings if f.severity != "note"]

    assert lines("pick.view(bs, 1, 1)") == [("ATN201", 15)]
    assert lines("pick.view(bs, 1, 1).expand(-1, -1, d)") == []


@pytest.mark.parametrize(
    ("row", "result"),
    [
        ("keys.sum(-1).gather(1, pick.unsqueeze(1))", "h + last"),
        (
            "keys.gather(2, pick.view(B, 1, 1).expand(-1, n, 1)).squeeze(-1)",
            "h.unsqueeze(1) + keys",
        ),
        ("keys[torch.arange(B), pick]", "h + last"),
        ("keys.gather(1, pick.view(B, 1, 1)).squeeze(1)", "(h, last)"),
        ("keys.gather(1, pick.view(B, 1, 1)).squeeze(1)", "last / n"),
        ("keys[..., :1].gather(1, pick.view(B, 1, 1)).squeeze(1)", "h + last"),
        ("keys.sum(-1, keepdim=True).gather(1, pick.view(B, 1, 1)).squeeze(1)", "h * last"),
        ("keys.gather(1, pick.view(B, 1, 1)).squeeze(1).expand(-1, n)", "keys.sum(-1) + last"),
    ],
)
def test_what_may_be_meant(row, result):
    assert found(row, result) == []
