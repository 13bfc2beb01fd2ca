"""ATN103: a module that was told another size than what it is given, where the module is right."""

import pytest

torch = pytest.importorskip("torch")

from attncheck.engine import check_source  # noqa: E402
from attncheck.settings import Settings  # noqa: E402

MODULES = """import torch
import torch.nn as nn

class Attention(nn.Module):
    def __init__(self, width, size, heads=1):
        super().__init__()
        self.heads, self.project = heads, nn.Linear(width, heads * size)

    def forward(self, x):
        h = self.project(x)
        weights = (h @ h.transpose(-2, -1)).softmax(-1)
        return weights @ h

class Model(nn.Module):
    def __init__(self, width, hidden, classes, heads):
        super().__init__()
        self.first = Attention(width, hidden, heads)
        self.second = {second}
        self.head = nn.Linear(hidden * heads, classes)

    def forward(self, x):
        B, N, C = x.shape
        x = torch.relu(self.first(x))
        x = torch.relu(self.second(x))
        return self.head(x)
"""


def found(second):
    code = MODULES.format(second=second)
    return list(check_source(code.encode(), "x.py", Settings()).findings)


def runs(second):
    namespace = {}
    exec(MODULES.format(second=second), namespace)
    try:
        namespace["Model"](5, 4, 3, 2)(torch.randn(2, 7, 5))
    except RuntimeError:
        return False
    return True


@pytest.mark.parametrize(
    ("second", "fix"),
    [
        ("Attention(hidden, hidden, heads)", "Attention(hidden * heads, hidden, heads)"),
        (
            "Attention(size=hidden, heads=heads, width=hidden)",
            "Attention(size=hidden, heads=heads, width=hidden * heads)",
        ),
    ],
)
def test_the_size_that_a_module_was_told(second, fix):
    (finding,) = found(second)
    assert (finding.code, finding.line) == ("ATN103", 18)
    assert f"`{second}` is made for hidden features, line 18" in finding.message
    assert (finding.tensor.name, finding.tensor.shape[-1]) == ("x", "hidden*heads")
    assert finding.fix is not None
    assert finding.fix.line == f"self.second = {fix}"
    assert found(fix) == []
    assert (runs(second), runs(fix)) == (False, True)


@pytest.mark.parametrize(
    "second",
    ["Attention(hidden * heads, hidden, heads)", "Attention(heads * hidden, heads * hidden)"],
)
def test_right_modules(second):
    assert found(second) == []
    assert runs(second)


SHARED = """import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.W_a = nn.Linear(size, size, bias=False)

    def forward(self, state, memory):
        scores = torch.einsum("bd,btd->bt", state, self.W_a(memory))
        return torch.einsum("bt,btd->bd", scores.softmax(-1), memory)


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.reader = nn.LSTM(size, size, batch_first=True, bidirectional=True)
        self.writer = nn.LSTMCell(size, size)
        self.attn = Attention(size)

    def forward(self, source, target):
        memory, _ = self.reader(source)
        state, _ = self.writer(target)
        return self.attn(state, memory)
"""


def test_a_size_that_the_module_also_gives_is_not_told_otherwise():
    (finding,) = check_source(SHARED.encode(), "x.py", Settings()).findings
    assert (finding.code, finding.line) == ("ATN103", 8)
    assert finding.fix.line == "self.W_a = nn.Linear(2 * size, size, bias=False)"
