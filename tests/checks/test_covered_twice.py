"""ATN302: a coverage loss whose coverage has the weights of the same step in it."""

import pytest
import torch

from attncheck.engine import check_source
from attncheck.settings import Settings

SUMMARIZER = """import torch
from torch import nn


class Summarizer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.key, self.seen = nn.Linear(d, d), nn.Linear(1, d)

    def attend(self, query, memory, coverage):
        keys = torch.tanh(self.key(memory) + self.seen(coverage.unsqueeze(2)))
        scores = torch.einsum("bd,btd->bt", query, keys)
        weights = torch.softmax(scores, dim=1)
        return weights, coverage + weights

    def forward(self, queries: torch.Tensor, memory: torch.Tensor):
        B, T, d = memory.shape
        coverage = {start}
        losses, contexts = [], []
        for query in queries.unbind(dim=1):
            weights, covered = self.attend(query, memory, coverage)
            contexts.append(torch.einsum("bt,btd->bd", weights, memory))
            {loss}
            losses.append(loss)
            coverage = covered
        return torch.stack(contexts, 1), torch.stack(losses).mean()
"""
ZEROS = "memory.new_zeros(B, T)"


def summarizer(loss, start=ZEROS):
    return SUMMARIZER.format(loss=loss, start=start)


def found(code):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.span.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


@pytest.mark.parametrize(
    ("loss", "right"),
    [
        (
            "loss = torch.min(weights, covered).sum(1)",
            "loss = torch.min(weights, coverage).sum(1)",
        ),
        (
            "loss = torch.minimum(covered, weights).sum(dim=1).mean()",
            "loss = torch.minimum(coverage, weights).sum(dim=1).mean()",
        ),
        (
            "loss = torch.sum(torch.min(weights, covered), dim=1)",
            "loss = torch.sum(torch.min(weights, coverage), dim=1)",
        ),
    ],
)
def test_the_step_itself_is_counted(loss, right):
    assert found(summarizer(loss)) == [("ATN302", 23, right)]
    assert found(summarizer(right)) == []


@pytest.mark.parametrize("start", ["torch.zeros(B, T)", "torch.zeros_like(memory[..., 0])"])
def test_other_beginnings(start):
    code = summarizer("loss = torch.min(weights, covered).sum(1)", start)
    assert found(code) == [("ATN302", 23, "loss = torch.min(weights, coverage).sum(1)")]


def test_a_coverage_that_is_gone():
    loss = "coverage = coverage + weights; loss = torch.min(weights, coverage).sum(1)"
    assert found(summarizer(loss)) == [("ATN302", 23, None)]


def test_what_the_finding_says():
    code = summarizer("loss = torch.min(weights, covered).sum(1)")
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert finding.severity == "error"
    assert finding.tensor.name == "covered"
    assert finding.tensor.shape == finding.expected.shape == ("B", "T_enc")
    assert finding.message == (
        "`torch.min(weights, covered)` takes the smaller of the weights and of `covered`, which has"
        " the same weights in it: that is the weights themselves, whatever was attended to before,"
        " and they sum to 1 at every step; nothing raises"
    )


@pytest.mark.parametrize(
    ("loss", "start"),
    [
        ("loss = torch.min(weights, coverage).sum(1)", ZEROS),
        ("loss = torch.min(weights, covered - weights).sum(1)", ZEROS),
        ("loss = torch.max(weights, covered).sum(1)", ZEROS),
        ("loss = torch.min(covered, torch.ones(B, T)).sum(1)", ZEROS),
        # What may be negative makes another minimum.
        ("loss = torch.min(weights, covered).sum(1)", "torch.randn(B, T)"),
        ("loss = torch.min(weights, covered).sum(1)", "torch.full((B, T), -1.0)"),
    ],
)
def test_minima_that_are_left_alone(loss, start):
    assert found(summarizer(loss, start)) == []


def test_the_loss_is_one_before_the_fix():
    def run(loss):
        scope = {}
        exec(summarizer(loss), scope)
        torch.manual_seed(0)
        return scope["Summarizer"](4)(torch.randn(2, 3, 4), torch.randn(2, 5, 4))

    contexts, loss = run("loss = torch.min(weights, covered).sum(1)")
    assert contexts.shape == (2, 3, 4)
    assert torch.allclose(loss, torch.ones(()))
    assert run("loss = torch.min(weights, coverage).sum(1)")[1] < 0.9
