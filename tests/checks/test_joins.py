"""Tensors joined along another axis than the one on which they differ."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """\
import torch
from torch import nn


class Embed(nn.Module):
    def __init__(self, dim, count):
        super().__init__()
        self.count = count
        self.first = nn.Parameter(torch.zeros(1, 1, dim))
        self.several = nn.Parameter(torch.zeros(1, count, dim))
        self.proj = nn.Linear(dim, dim)
        self.out = nn.Linear(2 * dim, dim)

    def forward(self, x, other):
        b = x.shape[0]
        x = self.proj(x.flatten(1, -2))
        few = x[:, : self.count].reshape(b, self.count, -1)
        first = self.first.expand(b, -1, -1)
        several = self.several.expand(b, -1, -1)
        {lines}
        return y
"""


def findings(*lines):
    code = CODE.format(lines="\n        ".join(lines))
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("line", "axis"),
    [
        ("y = torch.cat((first, several), dim=2)", 1),
        ("y = torch.cat((first, several), -1)", 1),
    ],
)
def test_they_are_to_be_joined_where_they_differ(line, axis):
    (finding,) = findings(line)
    assert (finding.code, finding.line) == ("ATN106", 20)
    assert finding.fix.line.replace("dim=", "").endswith(f", {axis})")


@pytest.mark.parametrize(
    "line",
    [
        "y = torch.cat((several, x), dim=1)",
        # Twice as many in the batch, of as many positions each.
        "y = torch.cat((several, x), dim=0)",
        # As many features side by side; that there are as many positions is nobody's mistake.
        "y = torch.cat((several, x), dim=2)",
        "y = torch.cat((x, x), dim=0)",
        "y = torch.cat((x, other), dim=0)",
        # Of the other one nobody knows that it does not have one position.
        "y = torch.cat((first, self.proj(other)), dim=2)",
    ],
)
def test_what_may_well_be_meant_is_left_alone(line):
    assert findings(line) == ()


def test_one_that_stands_the_other_way_round_is_turned():
    line = "y = torch.cat((first.transpose(1, 2), x), dim=1)"
    (finding,) = findings(line)
    assert (finding.code, finding.line) == ("ATN106", 20)
    assert finding.tensor.shape == ("b", "dim", 1)
    assert finding.expected.shape == ("b", 1, "dim")
    assert finding.fix.line == "y = torch.cat((first.transpose(1, 2).transpose(1, 2), x), dim=1)"


LISTED = """\
import torch
from torch import nn
from einops import rearrange


class Axial(nn.Module):
    def __init__(self, heads, dim, wide):
        super().__init__()
        self.heads, self.dim, self.wide = heads, dim, wide
        self.proj = nn.Conv1d(dim, 2 * dim + wide, 1)
        self.norm = nn.LayerNorm((heads, dim))

    def forward(self, x):
        b, _, n = x.shape
        y = self.proj(x)
        one = torch.zeros(b, self.heads, self.dim)
        other = torch.ones(b, self.heads, self.dim)
        turned = one.transpose(1, 2)
        return {expression}
"""


@pytest.mark.parametrize(
    ("expression", "codes"),
    [
        ("torch.stack([one, turned, other])", ["ATN106"]),
        ("rearrange([one, other, turned], 'n b h d -> b (n h) d')", ["ATN106"]),
        ("torch.cat([one, turned, other], 0)", ["ATN106"]),
        ("torch.stack([one, other, turned.transpose(1, 2)])", []),
        ("rearrange([turned, turned, turned], 'n b h d -> b (n h) d')", []),
        # Of two nobody knows which is the odd one.
        ("torch.stack([one, turned])", []),
        ("torch.split(y, [self.dim, self.dim, self.wide], dim=0)", ["ATN108"]),
        ("torch.split(y, [self.dim, self.dim, self.wide], dim=2)", ["ATN108"]),
        ("torch.split(y, [self.dim, self.dim, self.wide], dim=1)", []),
        ("torch.split(y, [self.dim, self.wide], dim=2)", []),
        ("torch.split(y, self.dim, dim=0)", []),
    ],
)
def test_lists_with_one_item_turned_and_splits_along_another_axis(expression, codes):
    code = LISTED.format(expression=expression).encode()
    found = check_source(code, "x.py", Settings()).findings
    assert [each.code for each in found if each.severity != "note"] == codes


TOKEN = """\
import torch
from torch import nn


class Vision(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.cls = nn.Parameter(torch.zeros(1, 1, d))

    def forward(self, x):
        B, N, d = x.shape
        return torch.cat([{token}, x], dim=1)
"""


def test_a_token_that_is_not_repeated_for_the_batch():
    (finding,) = check_source(TOKEN.format(token="self.cls").encode(), "x.py", Settings()).findings
    assert (finding.code, finding.line) == ("ATN106", 12)
    assert finding.message.endswith("(hidden while B == 1)")
    assert finding.expected.shape == ("B", 1, "d")


@pytest.mark.parametrize("token", ["self.cls.expand(B, -1, -1)", "self.cls.repeat(B, 1, 1)"])
def test_a_token_for_each_sequence_of_the_batch(token):
    assert check_source(TOKEN.format(token=token).encode(), "x.py", Settings()).findings == ()


RANKS = """import torch
import numpy as np
ids, several = torch.randint(0, 9, (4, 3)), torch.ones(2, 4, 5)
context, step, words = torch.ones(4, 8), torch.ones(4, 1, 8), torch.ones(4, 3, 8)
y = {}
"""


@pytest.mark.parametrize(
    ("join", "name", "shape"),
    [
        ("torch.cat([ids[:, 0], context], -1)", "ids[:, 0]", (4,)),
        ("torch.cat((context, ids[:, 1].float()), dim=1)", "ids[:, 1].float()", (4,)),
        ("np.concatenate([ids, words], axis=-1)", "ids", (4, 3)),
    ],
)
def test_what_has_no_features_is_to_blame_beside_what_has(join, name, shape):
    (finding,) = check_source(RANKS.format(join).encode(), "x.py", Settings()).findings
    assert (finding.code, finding.line) == ("ATN106", 5)
    assert (finding.tensor.name, finding.tensor.shape) == (name, shape)
    assert finding.expected.shape == (*shape, "?")


@pytest.mark.parametrize(
    "join",
    [
        "torch.cat([context, step], -1)",  # a step of 1 is what the context lacks
        "torch.cat([ids[0], context], -1)",
        "torch.cat([context, several], 0)",
    ],
)
def test_what_lacks_another_axis_is_told_as_before(join):
    (finding,) = check_source(RANKS.format(join).encode(), "x.py", Settings()).findings
    assert finding.code == "ATN106"
    assert "features of its own" not in finding.expected.derivation


STEP = """import torch
from torch import nn
class Decoder(nn.Module):
    def __init__(self, words, d, h):
        super().__init__()
        self.embed = nn.Embedding(words, d)
        self.rnn = nn.GRU(d + h, h)
    def forward(self, word, hidden, states):
        # word (B,), hidden (1, B, h), states (B, T, h)
        embedded = self.embed(word).unsqueeze({axis})
        weights = torch.softmax(states @ hidden[-1].unsqueeze(-1), dim=1)
        context = weights.transpose(1, 2) @ states
        return self.rnn(torch.cat((embedded, {context}), dim=-1), hidden)
"""


@pytest.mark.parametrize("context", ["context", "context.contiguous()"])
def test_steps_in_two_layouts(context):
    code = STEP.format(axis=0, context=context)
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert finding.code == "ATN106"
    assert "each has 1 where the other one has more" in finding.message
    assert finding.fix is not None and f"{context}.transpose(0, 1)" in finding.fix.line


def test_steps_in_one_layout():
    code = STEP.format(axis=0, context="context.transpose(0, 1)")
    assert check_source(code.encode(), "x.py", Settings()).findings == ()
