"""ATN302: scores that are one number for all sequences of a batch."""

import pytest
import torch

from attncheck.engine import check_source
from attncheck.settings import Settings

READER = """import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.encoder, self.decoder = nn.GRU(d, n), nn.GRUCell(d, n)

    def forward(self, x, word):
        memory, last = self.encoder(x)
        state = self.decoder(word, last[0])
        scores = [{score} for i in range(memory.shape[0])]
        weights = torch.softmax(torch.stack(scores, dim=-1), dim=-1)
        weights = weights.view(-1, 1, memory.shape[0])
        return (weights @ memory.transpose(0, 1)).squeeze(1)


if __name__ == "__main__":
    reader = Reader(4, 6)
    made = reader(torch.randn(5, {batch}, 4), torch.randn({batch}, 4))
"""
RIGHT = "(state * memory[i]).sum(dim=-1)"


def reader(score, batch=3):
    return READER.format(score=score, batch=batch)


def found(code):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.span.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


@pytest.mark.parametrize(
    ("score", "right"),
    [
        ("torch.dot(state.view(-1), memory[i].view(-1))", RIGHT),
        ("torch.dot(state.flatten(), memory[i].flatten())", RIGHT),
        ("state.reshape(-1).dot(memory[i].reshape(-1))", RIGHT),
        ("torch.vdot(state.ravel(), memory[i].ravel())", RIGHT),
        ("(state * memory[i]).sum()", RIGHT),
        ("torch.sum(state * memory[i])", RIGHT),
        ("torch.dot(state.view(-1), memory[i].view(-1)) / 2.0", f"{RIGHT} / 2.0"),
    ],
)
def test_one_score_for_a_batch(score, right):
    mended = f"scores = [{right} for i in range(memory.shape[0])]"
    assert found(reader(score)) == [("ATN302", 13, mended)]
    assert found(reader(right)) == []


def test_each_sequence_has_its_own():
    assert found(reader(RIGHT)) == []


def test_what_the_finding_says():
    code = reader("torch.dot(state.view(-1), memory[i].view(-1))")
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert finding.severity == "error"
    assert finding.tensor.shape == ()
    assert finding.expected.shape == (3,)
    assert finding.message == (
        "`torch.dot(state.view(-1), memory[i].view(-1))` sums over the batch (3) as well as over"
        " the features of `state` and `memory[i]`: one number for all sequences, which then attend"
        " by the same weights; the weights are stretched over the batch, so nothing raises (hidden"
        " while the batch has one sequence)"
    )


@pytest.mark.parametrize(
    "score",
    [
        "torch.dot(state.view(-1), memory[i].view(-1))",
        "(state * memory[i]).sum()",
    ],
)
def test_a_batch_of_one(score):
    assert found(reader(score, batch=1)) == []


def test_a_batch_of_which_nothing_is_known():
    code = reader("torch.dot(state.view(-1), memory[i].view(-1))").partition("if __name__")[0]
    assert found(code) == []


def test_numbers_that_are_no_scores():
    code = reader(RIGHT)
    penalty = "self.penalty = torch.dot(state.view(-1), state.view(-1))"
    assert found(code.replace("        weights =", f"        {penalty}\n        weights =")) == []


def test_weights_are_those_of_each_sequence_only_after_the_fix():
    def run(score):
        scope = {}
        exec(reader(score), scope)
        torch.manual_seed(0)
        model = scope["Reader"](4, 6)
        x, word = torch.randn(5, 3, 4), torch.randn(3, 4)
        alone = [model(x[:, i : i + 1], word[i : i + 1]) for i in range(3)]
        return model(x, word), torch.cat(alone)

    together, alone = run("torch.dot(state.view(-1), memory[i].view(-1))")
    assert together.shape == alone.shape == (3, 6)
    assert not torch.allclose(together, alone, atol=1e-4)
    together, alone = run(RIGHT)
    assert torch.allclose(together, alone, atol=1e-5)
