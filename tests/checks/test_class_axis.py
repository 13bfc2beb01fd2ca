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


@pytest.mark.parametrize("axis", [0, 1, -2])
@pytest.mark.parametrize(
    "choice",
    [
        "p.topk(2, dim=-1)",
        "p.topk(2)",
        "torch.topk(p, k=2, dim=2)",
        "p.argmax(-1)",
        "p.max(dim=-1)",
        "torch.argmax(p, dim=2)",
    ],
)
def test_one_of_the_outputs_is_chosen(axis, choice):
    lines = [f"p = F.softmax(self.out(h), dim={axis})", f"return {choice}, p.mean(dim=(0, 1))"]
    assert found(*lines) == ["p = F.softmax(self.out(h), dim=-1)"]
    assert found(lines[0].replace(f"dim={axis}", "dim=-1"), lines[1]) == []


@pytest.mark.parametrize(
    "lines",
    [
        # the tokens that an expert chooses (Zhou et al. 2022, "Mixture-of-Experts with Expert
        # Choice Routing")
        ("p = self.out(h).softmax(dim=0)", "return p.topk(2, dim=0)"),
        ("p = self.out(h).softmax(dim=-1)", "return p.topk(2, dim=0)"),
        # the attention of each head over the positions, and the one that is most sure
        ("p = self.out(h).softmax(dim=0)", "return torch.einsum('tbh,tbd->bhd', p, h), p.max(-1)"),
        ("p = (h @ h.transpose(1, 2)).softmax(dim=1)", "return p.argmax(-1)"),
        # one row a token
        ("p = F.softmax(self.out(h[0]), dim=1)", "return p.topk(2, dim=-1)"),
        ("p = F.softmax(self.out(elsewhere(x)), dim=1)", "return p.topk(2, dim=-1)"),
        ("p = F.softmax(self.out(x.view(-1, d)), dim=1)", "return p.topk(2, dim=-1)"),
        ("p = self.score(h).softmax(dim=0)", "return p.max(-1)"),
    ],
)
def test_what_is_chosen_otherwise(lines):
    assert found(*lines) == []


def test_a_library_s_attention_is_given_a_batch():
    code = """import torch.nn.functional as F
from torch import nn
class Experts(nn.Module):
    def __init__(self, d, c):
        super().__init__()
        self.router = nn.Linear(d, c)
        self.q = nn.Linear(d, d)
    def forward(self, x, k, v):
        p = F.softmax(self.router(x), dim={axis})
        w, i = p.topk(2, dim=-1)
        return w, i{attended}
"""
    attended = ", F.scaled_dot_product_attention(self.q(x), k, v)"

    def told(**words):
        return check_source(code.format(**words).encode(), "x.py", Settings()).findings

    (finding,) = told(axis=1, attended=attended)
    assert (finding.code, finding.severity, finding.line) == ("ATN301", "warning", 9)
    assert finding.fix.line == "p = F.softmax(self.router(x), dim=-1)"
    assert told(axis=-1, attended=attended) == told(axis=1, attended="") == ()
