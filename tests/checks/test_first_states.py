"""ATN401 and ATN402: attention that asks with the first state in every step of a loop."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import torch
from torch import nn
class Seq2Seq(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.encoder = nn.{layer}(d, h, batch_first=True)
        self.decoder = nn.{layer}(d + h, h, batch_first=True)
        self.W_q, self.W_k, self.v = nn.Linear(h, h), nn.Linear(h, h), nn.Linear(h, 1)
    def additive(self, query, keys):
        scores = self.v(torch.tanh(self.W_q(query).unsqueeze(1) + self.W_k(keys))).squeeze(-1)
        return torch.softmax(scores, -1).unsqueeze(1) @ keys
    def dot(self, query, keys):
        scores = (keys @ query.unsqueeze(-1)).squeeze(-1)
        return torch.softmax(scores, -1).unsqueeze(1) @ keys
    def forward(self, src, trg):
        keys, {first} = self.encoder(src)
        {start}
        outputs = []
        for t in range(trg.shape[1]):
            context = self.{scorer}({query}, keys)
            step = torch.cat((trg[:, t : t + 1], context), dim=-1)
            output, {state} = self.decoder(step, {state})
            outputs.append(output)
        return torch.cat(outputs, 1)
"""
GRU = {"layer": "GRU", "first": "first", "start": "state = first", "state": "state"}
LSTM = {
    "layer": "LSTM",
    "first": "(first, memory)",
    "start": "state, cell = first, memory",
    "state": "(state, cell)",
}


def found(parts, scorer, query):
    code = CODE.format(**parts, scorer=scorer, query=query)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.severity, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize("parts", [GRU, LSTM], ids=["GRU", "LSTM"])
@pytest.mark.parametrize(("scorer", "code"), [("additive", "ATN401"), ("dot", "ATN402")])
def test_the_first_state_in_every_step(parts, scorer, code):
    fixed = f"context = self.{scorer}(state[-1], keys)"
    assert found(parts, scorer, "first[-1]") == [(code, "warning", fixed)]


@pytest.mark.parametrize("parts", [GRU, LSTM], ids=["GRU", "LSTM"])
def test_the_state_that_is_carried_on(parts):
    assert found(parts, "additive", "state[-1]") == []


def test_a_query_that_is_no_state_of_the_decoder():
    assert found(GRU, "additive", "keys[:, -1]") == []
