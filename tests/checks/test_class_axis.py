"""ATN301: log-probabilities over another axis than the outputs of the layer before them."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """import torch
from torch import nn
import torch.nn.functional as F
class Decoder(nn.Module):
    def __init__(self, d, c):
        super().__init__()
        self.rnn = nn.GRU(d, d)
        self.out = nn.Linear(d, c)
        self.score = nn.Linear(d, 1)
    def forward(self, x, context, state):
        T, B, d = x.shape
        h, _ = self.rnn(x)
"""


def found(*lines):
    code = HEAD + "".join(f"        {line}\n" for line in lines)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert {each.code for each in findings} <= {"ATN301"}
    return [each.fix and each.fix.line for each in findings]


@pytest.mark.parametrize(
    ("line", "axis"),
    [
        ("return F.log_softmax(self.out(h[0]), dim={})", 0),
        ("return F.log_softmax(self.out(h), dim={})", 1),
        ("return self.out(h).log_softmax({})", -2),
        ("return torch.log_softmax(self.out(h) / 0.7, {})", 0),
        ("return nn.LogSoftmax(dim={})(self.out(h))", 1),
    ],
)
def test_another_axis_than_the_classes(line, axis):
    assert found(line.format(axis)) == [line.format(-1)]


def test_of_unknown_shape_joined_along_an_axis():
    joined = "y = torch.cat((elsewhere(x), elsewhere(context)), dim=1)"
    assert len(found(joined, "return F.log_softmax(self.out(y), dim=0)")) == 1
    assert found(joined, "return F.log_softmax(self.out(y), dim=1)") == []


@pytest.mark.parametrize(
    "line",
    [
        "return F.log_softmax(self.out(h), dim=2)",
        "return F.log_softmax(self.out(h), dim=-1)",
        "return F.log_softmax(self.out(h[0, 0]), dim=0)",
        "return F.log_softmax(self.out(elsewhere(x)), dim=0)",
        "return F.log_softmax(self.out(h).transpose(1, 2), dim=1)",
        "return F.log_softmax(self.score(h), dim=0)",
        "return F.softmax(self.out(h), dim=0)",
        "return torch.einsum('tbh,tbd->bhd', self.out(h).log_softmax(0).exp(), h)",
    ],
)
def test_what_may_be_meant(line):
    assert found(line) == []
