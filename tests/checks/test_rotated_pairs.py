"""ATN307: rotary tables that are laid out for other pairs than those that are rotated."""

import pytest
import torch

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import torch
from torch import nn
{rotate}
class Rotary(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        angles = torch.outer(torch.arange(n).float(), 10000.0 ** (-torch.arange(0, d, 2) / d))
        angles = {table}
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())
    def forward(self, q):
        B, H, T, d = q.shape
        return q * self.cos[:T] + rotate(q) * self.sin[:T]
"""
HALVES = """def rotate(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)"""
CHUNKS = """def rotate(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)"""
NEIGHBOURS = """def rotate(x):
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack((-odd, even), dim=-1).flatten(-2)"""
TABLES = {
    "halves": "torch.cat((angles, angles), dim=-1)",
    "neighbours": "angles.repeat_interleave(2, dim=-1)",
}


def found(rotate, table):
    code = CODE.format(rotate=rotate, table=TABLES[table])
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(
    ("rotate", "layout"),
    [(HALVES, "halves"), (CHUNKS, "halves"), (NEIGHBOURS, "neighbours")],
    ids=["halves", "chunks", "neighbours"],
)
def test_tables_and_what_is_rotated(rotate, layout):
    other = next(each for each in TABLES if each != layout)
    assert found(rotate, layout) == []
    assert found(rotate, other) == [("ATN307", f"angles = {TABLES[layout]}")]


@pytest.mark.parametrize("rotate", [HALVES, CHUNKS, NEIGHBOURS])
@pytest.mark.parametrize("table", TABLES)
def test_scores_depend_on_relative_positions_only_where_nothing_is_reported(rotate, table):
    scope = {}
    exec(CODE.format(rotate=rotate, table=TABLES[table]), scope)
    torch.manual_seed(0)
    module, q, k = scope["Rotary"](8, 9), torch.randn(8), torch.randn(8)
    rows = module(q.expand(1, 1, 9, 8))[0, 0] @ module(k.expand(1, 1, 9, 8))[0, 0].T
    relative = torch.allclose(rows[1:, 1:], rows[:-1, :-1], atol=1e-5)
    assert relative == (found(rotate, table) == [])
