"""ATN308: a tensor joined with itself while the one that was made beside it is never read."""

import numpy
import pytest
import torch

from attncheck.engine import check_source
from attncheck.settings import Settings

TWO_CONTEXTS = '''import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.words, self.tags = nn.Linear(d, d), nn.Linear(d, d)
        self.wide, self.out = nn.Linear(d, 2 * d), nn.Linear(2 * d, d)

    def attend(self, query, keys):
        weights = torch.softmax(query @ keys.transpose(1, 2), dim=-1)
        return weights @ keys, weights

    def forward(self, query, words, tags):
        """query (B, 1, d), words (B, T, d), tags (B, N, d)."""
        of_words, weights = self.attend(query, self.words(words))
        of_tags, _ = self.attend(query, self.tags(tags))
        {more}
        context = {join}
        return self.out(context), weights
'''
TWO_DIRECTIONS = """import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.there, self.back = nn.GRU(d, h, batch_first=True), nn.GRU(d, h, batch_first=True)

    def forward(self, x):
        states, last = self.there(x)
        turned, first = self.back(x.flip(1))
        turned = turned.flip(1)
        both = {join}
        return both, torch.cat((last, first), dim=-1)
"""
WITH_NUMPY = """import numpy as np


def encode(x, W, U):
    \"\"\"x (T, d), W (d, h), U (d, h).\"\"\"
    left = np.tanh(x @ W)
    right = np.tanh(x[::-1] @ U)
    return {join}
"""


def found(code):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.span.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


@pytest.mark.parametrize(
    ("join", "right"),
    [
        ("torch.cat([of_words, of_words], dim=2)", "torch.cat([of_words, of_tags], dim=2)"),
        ("torch.cat((of_words, of_words), -1)", "torch.cat((of_words, of_tags), -1)"),
        ("torch.concat((of_words, of_words), dim=-1)", "torch.concat((of_words, of_tags), dim=-1)"),
    ],
)
def test_a_context_twice(join, right):
    code = TWO_CONTEXTS.format(join=join, more="")
    line = code.splitlines().index(f"        context = {join}") + 1
    assert found(code) == [("ATN308", line, f"context = {right}")]
    assert found(TWO_CONTEXTS.format(join=right, more="")) == []


def test_outputs_of_one_direction_twice():
    code = TWO_DIRECTIONS.format(join="torch.cat((states, states), dim=-1)")
    assert found(code) == [("ATN308", 14, "both = torch.cat((states, turned), dim=-1)")]
    assert found(TWO_DIRECTIONS.format(join="torch.cat((states, turned), dim=-1)")) == []


def test_features_of_numpy():
    code = WITH_NUMPY.format(join="np.concatenate([left, left], axis=1)")
    assert found(code) == [("ATN308", 8, "return np.concatenate([left, right], axis=1)")]


def test_what_the_message_says():
    code = TWO_CONTEXTS.format(join="torch.cat([of_words, of_words], dim=2)", more="")
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert finding.message == (
        "`torch.cat([of_words, of_words], dim=2)` joins `of_words` with itself: its features stand"
        " there twice, and `of_tags`, which line 18 makes in the same way, is never read; both"
        " are of one shape, so nothing raises"
    )
    assert finding.severity == "error"


@pytest.mark.parametrize(
    "more",
    [
        "print(of_tags.shape)",
        "print(f'{of_tags.mean()}')",
        "self.seen = of_tags",
        "query = query + of_tags",
        "of_tags += query",
    ],
)
def test_a_twin_that_is_read(more):
    code = TWO_CONTEXTS.format(join="torch.cat([of_words, of_words], dim=2)", more=more)
    assert found(code) == []


@pytest.mark.parametrize(
    "join",
    [
        # A batch of conditional and unconditional samples, and a sequence that is said twice.
        "self.wide(torch.cat([of_words, of_words], dim=0))",
        "self.wide(torch.cat([of_words, of_words], dim=1))",
        "torch.stack([of_words, of_words], dim=2).flatten(2)",
    ],
)
def test_copies_along_another_axis(join):
    assert found(TWO_CONTEXTS.format(join=join, more="")) == []


ROTARY = """import torch


def tables(positions, frequencies, x):
    \"\"\"positions (T,), frequencies (d,), x (T, 2*d).\"\"\"
    angles = positions[:, None] * frequencies[None, :]
    angles = torch.cat((angles, angles), dim=-1)
    {unread}
    return x * angles.cos() + turned(x) * angles.sin()


def turned(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)
"""


@pytest.mark.parametrize("unread", ["", "length = x.shape[0]", "_ = x * 2", "mean = x.mean(-1)"])
def test_tables_of_rotary_positions(unread):
    assert found(ROTARY.format(unread=unread)) == []


def test_what_another_branch_returns_is_no_twin():
    unread = "if x is None:\n        return torch.cat((angles.cos(), angles.sin()), dim=-1)"
    assert found(ROTARY.format(unread=unread)) == []
    before = "    if positions is None:\n        return torch.cat((x.cos(), x.sin()), dim=-1)\n"
    code = ROTARY.format(unread="")
    at = code.index("    angles = torch.cat")
    assert found(code[:at] + before + code[at:]) == []


def test_the_other_tensor_reaches_the_result_only_after_the_fix():
    def run(join):
        scope = {}
        exec(TWO_CONTEXTS.format(join=join, more=""), scope)
        torch.manual_seed(0)
        decoder = scope["Decoder"](4)
        query, words = torch.randn(2, 1, 4), torch.randn(2, 5, 4)
        return [decoder(query, words, torch.full((2, 3, 4), fill))[0] for fill in (1.0, -2.0)]

    one, other = run("torch.cat([of_words, of_words], dim=2)")
    assert one.shape == (2, 1, 4)
    assert torch.equal(one, other)
    one, other = run("torch.cat([of_words, of_tags], dim=2)")
    assert one.shape == (2, 1, 4)
    assert not torch.allclose(one, other)


def test_both_halves_of_numpy_are_one_before_the_fix():
    def run(join):
        scope = {}
        exec(WITH_NUMPY.format(join=join), scope)
        rng = numpy.random.default_rng(0)
        return scope["encode"](rng.normal(size=(5, 3)), *rng.normal(size=(2, 3, 4)))

    wrong, right = (run(f"np.concatenate([left, {each}], axis=1)") for each in ("left", "right"))
    assert wrong.shape == right.shape == (5, 8)
    assert numpy.array_equal(wrong[:, :4], wrong[:, 4:])
    assert not numpy.allclose(right[:, :4], right[:, 4:])
