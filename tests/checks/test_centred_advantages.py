"""ATN203: advantages that are centred over a batch, and those that are centred over the actions."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

MODULE = """import torch
from torch import nn

class Agent(nn.Module):
    def __init__(self, obs, actions, d=64):
        super().__init__()
        self.body = nn.Linear(obs, d)
        self.value = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 1))
        self.advantage = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, actions))
        self.other = nn.Linear(d, actions)

    def forward(self, x):
        {state}
        v, a = self.value(h), self.advantage(h)
        {body}
"""
BATCH = "h = torch.relu(self.body(x)).mean(dim=1)\n        h = h.view(x.size(0), -1)"


def found(body, state=BATCH):
    code = MODULE.format(body=body, state=state)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.severity, each.fix and each.fix.line) for each in findings]


KEPT = "dim=-1, keepdim=True"


@pytest.mark.parametrize(
    ("body", "fix"),
    [
        ("return v + a - a.mean()", f"return v + a - a.mean({KEPT})"),
        ("return v + (a - a.mean())", f"return v + (a - a.mean({KEPT}))"),
        ("return (a - a.mean()) + v", f"return (a - a.mean({KEPT})) + v"),
        ("return v + a - torch.mean(a)", f"return v + a - torch.mean(a, {KEPT})"),
        (
            "return v.expand_as(a) + a - a.mean().expand_as(a)",
            f"return v.expand_as(a) + a - a.mean({KEPT}).expand_as(a)",
        ),
        ("q = a - a.mean()\n        return q + v", f"q = a - a.mean({KEPT})"),
    ],
)
def test_centred_over_the_batch(body, fix):
    assert found(body) == [("ATN203", "warning", fix)]
    assert found(body.replace(body.splitlines()[0], fix)) == []


@pytest.mark.parametrize(
    "body",
    [
        "return v + a - a.mean(dim=1, keepdim=True)",
        "return v + a - a.mean(-1, keepdim=True)",
        "return v + a - a.max()",
        # what is no dueling head: normalised advantages, logits without a value
        "return a - a.mean()",
        "return v.detach(), (a - a.mean()) / a.std()",
        # the mean of something else
        "return v + a - self.other(h).mean()",
        "return self.other(h) + a - a.mean()",
        "return v + self.other(h) - a.mean()",
    ],
)
def test_what_is_left_alone(body):
    assert found(body) == []


@pytest.mark.parametrize(
    "state",
    [
        # of any rank: one state is a vector
        "h = torch.relu(self.body(x))",
        # a batch of one
        "h = torch.relu(self.body(x)).view(1, -1)",
    ],
)
def test_one_state(state):
    assert found("return v + a - a.mean()", state) == []
