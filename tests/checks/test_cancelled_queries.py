"""ATN308: additive scores without a nonlinearity, in which the query cancels out."""

import pytest
import torch

from attncheck.engine import check_source
from attncheck.settings import Settings

ADDITIVE = """import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.mix, self.score = nn.Linear(2 * d, d), nn.Linear(d, 1, bias=False)
        self.one, self.norm = nn.Linear(2 * d, 1), nn.LayerNorm(d)
        self.v = nn.Parameter(torch.rand(d))

    def forward(self, state, memory, mask=None):
        \"\"\"state (B, d), memory (B, T, d).\"\"\"
        B, T, d = memory.shape
        query = {query}
        joined = torch.cat((query, memory), dim=2)
        energy = {energy}
        scores = {scores}
        if mask is not None:
            scores = scores.masked_fill(mask, -1e9)
        weights = torch.softmax(scores, dim=1)
        return torch.einsum("bt,btd->bd", weights, memory), weights
"""
EXPANDED = "state.unsqueeze(1).expand(-1, T, -1)"
LAYER = "self.score(energy).squeeze(2)"


def additive(energy="self.mix(joined)", scores=LAYER, query=EXPANDED):
    return ADDITIVE.format(energy=energy, scores=scores, query=query)


def found(code):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.span.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


@pytest.mark.parametrize(
    "query",
    [
        EXPANDED,
        "state.unsqueeze(1).repeat(1, T, 1)",
        "state[:, None].expand(B, T, d)",
        "state.repeat(T, 1, 1).transpose(0, 1)",
    ],
)
def test_queries_that_are_the_same_for_every_key(query):
    code = additive(query=query)
    assert found(code) == [("ATN308", 17, "energy = torch.tanh(self.mix(joined))")]
    assert found(additive("torch.tanh(self.mix(joined))", query=query)) == []


@pytest.mark.parametrize(
    "scores",
    [
        "self.score(energy).squeeze(-1) / 8.0",
        "energy @ self.v",
        "torch.bmm(self.v.repeat(B, 1).unsqueeze(1), energy.transpose(1, 2)).squeeze(1)",
    ],
)
def test_other_last_layers(scores):
    code = additive(scores=scores)
    assert found(code) == [("ATN308", 17, "energy = torch.tanh(self.mix(joined))")]


def test_one_layer_alone():
    assert found(additive("self.one(joined)", "energy.squeeze(2)")) == [("ATN308", 17, None)]


def test_what_the_finding_says():
    (finding,) = check_source(additive().encode(), "x.py", Settings()).findings
    assert finding.tensor.name == "energy"
    assert finding.tensor.shape == finding.expected.shape == ("B", "T", "d")
    assert finding.message == (
        "`self.mix(joined)` goes into the softmax without a nonlinearity: what"
        " `torch.cat((query, memory), dim=2)` has of the query is the same for every key, and"
        " cancels out; all queries get the same weights, and no shape shows it"
    )


@pytest.mark.parametrize(
    ("energy", "scores"),
    [
        ("torch.tanh(self.mix(joined))", LAYER),
        ("self.mix(joined).relu()", LAYER),
        ("self.norm(self.mix(joined))", LAYER),
        ("torch.dropout(self.mix(joined), 0.1, self.training)", LAYER),
        ("self.mix(joined)", "self.score(energy * energy).squeeze(2)"),
        ("self.mix(joined)", "torch.tanh(self.score(energy)).squeeze(2)"),
        # Keys stand on both sides, or the scores are compared with the state.
        ("self.mix(joined)", "(energy * memory).sum(2)"),
        ("self.mix(joined)", "torch.einsum('btd,bd->bt', energy, state)"),
        ("self.mix(joined)", "torch.bmm(energy, state.unsqueeze(2)).squeeze(2)"),
    ],
)
def test_scores_that_depend_on_the_query(energy, scores):
    assert found(additive(energy, scores)) == []


def test_a_query_of_each_position():
    code = additive(query="memory.flip(1)")
    assert found(code) == []


@pytest.mark.parametrize(
    "parts",
    [
        "query, memory, query * memory",
        "query, memory, memory * query",
        "query, memory, torch.abs(query - memory)",
        "query, memory, state.unsqueeze(1) * memory",
        "query, memory, torch.tanh(memory * state[:, None])",
    ],
)
def test_a_part_in_which_the_query_meets_the_keys(parts):
    code = additive("self.one(joined)", "energy.squeeze(2)")
    code = code.replace("(query, memory)", f"({parts})").replace(
        "Linear(2 * d, 1)", "Linear(3 * d, 1)"
    )
    assert found(code) == []


def test_a_third_part_of_the_keys_alone():
    code = additive("self.one(joined)", "energy.squeeze(2)")
    code = code.replace("(query, memory)", "(query, memory, memory * memory)")
    assert found(code.replace("Linear(2 * d, 1)", "Linear(3 * d, 1)")) == [("ATN308", 17, None)]


def test_similarity_of_all_pairs():
    code = """import torch
from torch import nn
class Flow(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.sim = nn.Linear(3 * d, 1)
    def forward(self, c, q):
        \"\"\"c (B, N, d), q (B, M, d).\"\"\"
        n, m = c.size(1), q.size(1)
        cc = c.unsqueeze(2).expand(-1, -1, m, -1)
        qq = q.unsqueeze(1).expand(-1, n, -1, -1)
        s = self.sim(torch.cat([cc, qq, {}], dim=-1)).squeeze(-1)
        return s.softmax(dim=2) @ q
"""
    assert found(code.format("cc * qq")) == []


def test_weights_depend_on_the_state_only_after_the_fix():
    def run(energy):
        scope = {}
        exec(additive(energy), scope)
        torch.manual_seed(0)
        model, memory = scope["Attention"](4), torch.randn(2, 5, 4)
        return [model(state, memory)[1] for state in torch.randn(2, 2, 4)]

    one, other = run("self.mix(joined)")
    assert one.shape == (2, 5)
    assert torch.allclose(one, other, atol=1e-6)
    one, other = run("torch.tanh(self.mix(joined))")
    assert not torch.allclose(one, other, atol=1e-4)
