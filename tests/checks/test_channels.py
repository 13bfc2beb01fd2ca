"""ATN103: layers over channels that are given the positions, and features that were left out."""

import pytest

torch = pytest.importorskip("torch")

from attncheck.engine import check_source  # noqa: E402
from attncheck.settings import Settings  # noqa: E402

MODULE = """import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self, words, d, n):
        super().__init__()
        self.table = nn.Embedding(words, d)
        self.conv = nn.Conv1d(d, n, 3, padding=1)
        self.norm = nn.BatchNorm1d(d)
        self.mix = nn.Linear(d, d)
        self.head = nn.Linear(d, n)
        self.pool = nn.AdaptiveAvgPool1d(1)
        self.drop = nn.Dropout(0.0)

    def forward(self, tokens):
        B, T = tokens.shape
        x = self.mix(self.table(tokens))
        {body}
"""


def found(code):
    return list(check_source(code.encode(), "x.py", Settings()).findings)


def runs(code):
    """Whether a model takes seven tokens, which are not as many as it has features."""
    namespace = {}
    exec(code, namespace)
    try:
        namespace["Model"](9, 4, 5)(torch.ones(2, 7).long())
    except RuntimeError:
        return False
    return True


CHANNELS = [
    ("return self.conv(x)", "return self.conv(x.transpose(1, 2))"),
    (
        "return self.conv(x).transpose(1, 2)[:, :T]",
        "return self.conv(x.transpose(1, 2)).transpose(1, 2)[:, :T]",
    ),
    ("return self.norm(x)", "return self.norm(x.transpose(1, 2)).transpose(1, 2)"),
    (
        "return self.head(self.norm(F.relu(x)))",
        "return self.head(self.norm(F.relu(x).transpose(1, 2)).transpose(1, 2))",
    ),
]


@pytest.mark.parametrize(("body", "fix"), CHANNELS)
def test_positions_for_channels(body, fix):
    code = MODULE.format(body=body)
    (finding,) = found(code)
    assert (finding.code, finding.line) == ("ATN103", 19)
    assert finding.message.endswith("(hidden while T == d)")
    assert finding.tensor.shape == ("B", "T", "d")
    assert finding.expected.shape == ("B", "d", "T")
    assert finding.fix is not None
    assert finding.fix.line == fix
    fixed = MODULE.format(body=fix)
    assert found(fixed) == []
    assert (runs(code), runs(fixed)) == (False, True)


REDUCED = [
    ("return self.head(x.mean(-1))", "return self.head(x.mean(1))"),
    ("return self.head(torch.mean(x, dim=2))", "return self.head(torch.mean(x, dim=1))"),
    ("return self.head(self.drop(x.sum(dim=-1)))", "return self.head(self.drop(x.sum(dim=1)))"),
    ("return self.head(x.max(-1)[0])", "return self.head(x.max(1)[0])"),
    ("return self.head(x[:, :, 0])", "return self.head(x[:, 0])"),
    ("return self.head(x[:, :, -1])", "return self.head(x[:, -1])"),
    (
        "return self.head(self.pool(x).squeeze(-1))",
        "return self.head(self.pool(x.transpose(1, 2)).squeeze(-1))",
    ),
]


@pytest.mark.parametrize(("body", "fix"), REDUCED)
def test_features_that_were_left_out(body, fix):
    code = MODULE.format(body=body)
    (finding,) = found(code)
    assert (finding.code, finding.line) == ("ATN103", 19)
    assert (
        "it leaves out axis 2, the features, and keeps T (hidden while T == d)" in finding.message
    )
    assert finding.tensor.shape == ("B", "T")
    assert finding.expected.shape == ("B", "d")
    assert finding.fix is not None
    assert finding.fix.line == fix
    fixed = MODULE.format(body=fix)
    assert found(fixed) == []
    assert (runs(code), runs(fixed)) == (False, True)


@pytest.mark.parametrize(
    "body",
    [
        "return self.conv(x.transpose(1, 2))",
        "return self.norm(x.reshape(-1, x.size(-1))).view(B, T, -1)",
        "return self.head(x.mean(1))",
        "return self.head(x[:, 0])",
        "return self.head(x.mean(-1, keepdim=True) + x)",
        # A layer over the positions: made for as many as there are.
        "return nn.Linear(T, 3)(x.mean(-1))",
        "return nn.Conv1d(T, 3, 1)(x)",
    ],
)
def test_right_code(body):
    assert found(MODULE.format(body=body)) == []


MIXER = """import torch
import torch.nn as nn

class Mixer(nn.Module):
    def __init__(self, tokens, d, n):
        super().__init__()
        self.over_tokens = nn.Linear(tokens, tokens)
        self.conv = nn.Conv1d(tokens, n, 1)
        self.head = nn.Linear(tokens, n)
        self.mix = nn.Linear(d, d)

    def forward(self, x):
        B, T, D = x.shape
        x = self.mix(x) + self.over_tokens(x.transpose(1, 2)).transpose(1, 2)
        return {result}
"""


@pytest.mark.parametrize(
    "result", ["self.conv(x)", "self.head(x.mean(-1))", "self.head(x[:, :, 0])"]
)
def test_layers_that_are_made_for_the_positions(result):
    assert found(MIXER.format(result=result)) == []
