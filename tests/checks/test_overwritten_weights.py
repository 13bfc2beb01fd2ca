"""ATN503: weights that are put at the words of their positions, and overwrite each other."""

import pytest
import torch

from attncheck.engine import check_source
from attncheck.settings import Settings

COPY = """import torch
import torch.nn.functional as F
from torch import nn


class Pointer(nn.Module):
    def __init__(self, words, d):
        super().__init__()
        self.words = words
        self.embed, self.out = nn.Embedding(words, d), nn.Linear(2 * d, words)
        self.gate = nn.Linear(2 * d, 1)

    def forward(self, source, state, memory):
        \"\"\"source (B, T), state (B, d), memory (B, T, d).\"\"\"
        B = state.shape[0]
        {memory}
        scores = torch.einsum("bd,btd->bt", state, memory)
        weights = torch.softmax(scores, dim=1)
        both = torch.cat((torch.einsum("bt,btd->bd", weights, memory), state), dim=1)
        gate = torch.sigmoid(self.gate(both))
        said = torch.softmax(self.out(both), dim=1)
        copied = torch.zeros(B, self.words)
        {copy}
        return {result}
"""
MIXED = "gate * said + (1 - gate) * copied"


def pointer(copy, result=MIXED, memory="memory = memory + 0"):
    return COPY.format(copy=copy, result=result, memory=memory)


def found(code):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.span.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


@pytest.mark.parametrize(
    ("copy", "right"),
    [
        ("copied.scatter_(1, source, weights)", "copied.scatter_add_(1, source, weights)"),
        (
            "copied.scatter_(dim=-1, index=source, src=weights)",
            "copied.scatter_add_(dim=-1, index=source, src=weights)",
        ),
        (
            "copied = copied.scatter(1, source, (1 - gate) * weights)",
            "copied = copied.scatter_add(1, source, (1 - gate) * weights)",
        ),
        (
            "copied = torch.scatter(copied, 1, source, weights)",
            "copied = torch.scatter_add(copied, 1, source, weights)",
        ),
        (
            "copied.scatter_(1, source.long().contiguous(), weights)",
            "copied.scatter_add_(1, source.long().contiguous(), weights)",
        ),
    ],
)
def test_weights_that_overwrite_each_other(copy, right):
    assert found(pointer(copy)) == [("ATN503", 23, right)]
    assert found(pointer(right)) == []


def test_an_embedding_tells_the_words_too():
    code = pointer("copied.scatter_(1, source, weights)", "copied", "memory = self.embed(source)")
    assert found(code) == [("ATN503", 23, "copied.scatter_add_(1, source, weights)")]


def test_a_vocabulary_made_longer():
    result = "F.pad(gate * said, (0, 3)) + F.pad(copied, (0, 3))"
    code = pointer("copied.scatter_(1, source, weights)", result)
    assert found(code) == [("ATN503", 23, "copied.scatter_add_(1, source, weights)")]


def test_what_the_finding_says():
    code = pointer("copied.scatter_(1, source, weights)")
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert finding.tensor.name == "copied"
    assert finding.tensor.shape == finding.expected.shape == ("B", "words")
    assert finding.message == (
        "`copied.scatter_(1, source, weights)` writes the weight of each position at its word:"
        " where `source` has a word twice, one weight overwrites the other, and what is copied no"
        " longer sums to one; hidden while no word is repeated"
    )


@pytest.mark.parametrize(
    ("copy", "result"),
    [
        ("copied.scatter_add_(1, source, weights)", MIXED),
        ("copied.scatter_(1, source, weights, reduce='add')", MIXED),
        ("copied.scatter_reduce_(1, source, weights, reduce='sum')", MIXED),
        # Places that occur once: of the largest weights, or in another order.
        ("best, at = weights.topk(2); copied.scatter_(1, at, best)", MIXED),
        ("copied.scatter_(1, weights.argsort(1), weights)", MIXED),
        # Weights put back where they were taken from, for whoever looks at them.
        ("copied.scatter_(1, source, weights)", "said, copied"),
        # Marks, and what is no attention.
        ("copied.scatter_(1, source, 1.0)", MIXED),
        ("copied.scatter_(1, source, torch.ones(source.shape))", MIXED),
        ("copied.scatter_(1, source, scores)", MIXED),
    ],
)
def test_scatters_that_are_left_alone(copy, result):
    assert found(pointer(copy, result)) == []


EXPERTS = """import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self, d, n, k):
        super().__init__()
        self.gate, self.k = nn.Linear(d, n), k

    def forward(self, x):
        logits = self.gate(x)
        best, at = logits.topk(self.k, dim=-1)
        gates = torch.zeros_like(logits).scatter_(-1, at, best.softmax(-1))
        return gates + logits.softmax(-1)
"""


def test_gates_of_experts():
    assert found(EXPERTS) == []


def test_the_copied_distribution_sums_to_one_after_the_fix():
    def run(copy):
        scope = {}
        exec(pointer(copy), scope)
        torch.manual_seed(0)
        model = scope["Pointer"](9, 4)
        source = torch.tensor([[3, 8, 3, 1, 3], [5, 5, 0, 2, 7]])
        return model(source, torch.randn(2, 4), torch.randn(2, 5, 4)).sum(1)

    assert (run("copied.scatter_(1, source, weights)") < 0.99).all()
    assert torch.allclose(run("copied.scatter_add_(1, source, weights)"), torch.ones(2))
