"""ATN506 where queries and keys are turned by their positions before they meet."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

MODULE = """import torch
from torch import nn

class Latent(nn.Module):
    def __init__(self, dim, heads, rank, nope, rope, v_dim):
        super().__init__()
        self.heads, self.rank, self.nope, self.rope, self.v_dim = heads, rank, nope, rope, v_dim
        self.q = nn.Linear(dim, heads * (nope + rope))
        self.kv_a, self.kv_b = nn.Linear(dim, rank + rope), nn.Linear(rank, heads * (nope + v_dim))
        self.w_uk = nn.Parameter(torch.randn(heads, nope, rank))
        self.out = nn.Linear(heads * v_dim, dim)
        self.scale = {size} ** -0.5

    def turned(self, x):
        angles = torch.arange(x.size(1)).float()[:, None] * torch.ones(self.rope // 2)
        angles = angles[:, None]
        a, b = x.chunk(2, dim=-1)
        {turn}

    def forward(self, x):
        B, T, _ = x.shape
        q = self.q(x).view(B, T, self.heads, self.nope + self.rope)
        q_nope, q_pe = q.split([self.nope, self.rope], dim=-1)
        latent, k_pe = self.kv_a(x).split([self.rank, self.rope], dim=-1)
        q_pe, k_pe = self.turned(q_pe), self.turned(k_pe[:, :, None])
        {scores}
        return (scores * self.scale).softmax(-1)
"""
WRITTEN_OUT = """cos, sin = angles.cos(), angles.sin()
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)"""
HALVES = (
    "cos, sin = (torch.cat([t, t], -1) for t in (angles.cos(), angles.sin()))\n"
    "        return x * cos + torch.cat([-b, a], -1) * sin"
)
LEARNED = "return torch.cat([a * self.w_uk[0, 0, 0], b], -1)"
EXPANDED = """q = torch.cat([q_nope, q_pe], -1)
        k = self.kv_b(latent).view(B, T, self.heads, self.nope + self.v_dim)[..., :self.nope]
        k = torch.cat([k, k_pe.expand(-1, -1, self.heads, -1)], -1)
        scores = torch.einsum("bthd,bshd->bhts", q, k)"""
ABSORBED = """q = torch.cat([torch.einsum("bthd,hdr->bthr", q_nope, self.w_uk), q_pe], -1)
        k = torch.cat([latent, k_pe[:, :, 0]], -1)
        scores = torch.einsum("bthr,bsr->bhts", q, k)"""


def found(size, turn=WRITTEN_OUT, scores=EXPANDED):
    code = MODULE.format(size=size, turn=turn, scores=scores)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize("turn", [WRITTEN_OUT, HALVES])
@pytest.mark.parametrize("size", ["rank", "v_dim"])
def test_the_root_of_another_width(size, turn):
    assert found(size, turn) == [("ATN506", "self.scale = (nope + rope) ** -0.5")]


@pytest.mark.parametrize("turn", [WRITTEN_OUT, HALVES])
def test_the_root_of_what_is_turned_and_what_is_not(turn):
    assert found("(nope + rope)", turn) == []


def test_a_learned_factor_may_be_a_scale():
    assert found("rank", LEARNED) == []


def test_a_projection_that_was_moved_to_the_query_keeps_the_scale():
    assert found("(nope + rope)", scores=ABSORBED) == []
