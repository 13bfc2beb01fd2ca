"""ATN301: a weight for each feature of each value, normalised over the features."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """import torch
import torch.nn.functional as F
from torch import nn, einsum
class {name}(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d))
        self.v = nn.Linear(d, d)
        self.f = nn.Linear(d, d)
    def forward(self, x, {other}):
        '''x (B, T, d), {other} {shape}'''
"""


def found(*lines, name="VectorAttention"):
    other, shape = ("mask", "(B, T)") if "mask" in lines[0] else ("near", "(B, T, N, d)")
    code = HEAD.format(name=name, other=other, shape=shape) + "".join(
        f"        {line}\n" for line in lines
    )
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.fix and each.fix.line) for each in findings]


MASKED = "s = self.mlp(x).masked_fill(~mask[:, :, None], -1e9)"
ADDED = "s = self.mlp(x) + (1.0 - mask[:, :, None]) * -1e9"


@pytest.mark.parametrize("scores", [MASKED, ADDED])
@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("p = s.softmax(dim=-1)", "p = s.softmax(dim=-2)"),
        ("p = F.softmax(s, 2)", "p = F.softmax(s, 1)"),
        ("p = F.dropout(F.softmax(s, dim=2), 0.1)", "p = F.dropout(F.softmax(s, dim=1), 0.1)"),
    ],
)
@pytest.mark.parametrize(
    "total",
    [
        "(p * x).sum(1)",
        "(self.v(x) * p).sum(dim=-2)",
        "torch.sum(p * x, dim=1)",
        "einsum('btd,btd->bd', p, self.v(x))",
    ],
)
def test_a_mask_of_positions_hides_nothing(scores, wrong, right, total):
    assert found(scores, wrong, f"return {total}", name="Pool") == [("ATN301", 13, right)]
    assert found(scores, right, f"return {total}", name="Pool") == []


@pytest.mark.parametrize(
    "total", ["(p * self.v(near)).sum(2)", "einsum('b t n d, b t n d -> b t d', p, self.v(near))"]
)
def test_what_is_called_attention(total):
    wrong = "p = self.mlp(x.unsqueeze(2) - near).softmax(dim=-1)"
    right = wrong.replace("-1", "-2")
    assert found(wrong, f"return {total}") == [("ATN301", 12, right)]
    assert found(right, f"return {total}") == []
    for name in ("Gate", "ChannelAttention", "ClusterAttention", "ClassAttention"):
        assert found(wrong, f"return {total}", name=name) == []


@pytest.mark.parametrize(
    "lines",
    [
        # a gate of the channels, averaged over time, or used as it is
        ("p = self.mlp(x).softmax(-1)", "return (p * x).mean(1)"),
        ("p = self.mlp(x).softmax(-1)", "y = p * x", "return y.sum(1), y"),
        ("p = self.mlp(x.mean(1)).softmax(-1)", "return (p[:, None] * x).sum(1)"),
        # probabilities of classes under the attention of positions
        ("p = self.mlp(x).softmax(-1)", "return (p * self.f(x).softmax(1)).sum(1)"),
        ("p = self.mlp(x).softmax(-1)", "return (p * torch.sigmoid(self.f(x))).sum(1)"),
        (
            "p, a = self.mlp(x).softmax(-1), torch.sigmoid(self.f(x))",
            "return (p * (a / a.sum(1, keepdim=True))).sum(1)",
        ),
        # how far two distributions are apart
        ("p = self.mlp(x).softmax(-1)", "return -(p * self.f(x).log_softmax(-1)).sum(1)"),
        ("p = self.mlp(x).softmax(-1)", "return (p * x).sum(-1)"),
        # keys of linear attention, whose sum every query asks
        (
            "k = self.mlp(x).softmax(-1)",
            "return self.f(x) * (k * self.v(x)).sum(1, keepdim=True)",
        ),
        ("k = self.mlp(x).softmax(-1)", "return self.f(x) * (k * x).sum(1).unsqueeze(1)"),
        # one weight for each position
        ("p = self.mlp(x).sum(-1).softmax(-1)", "return (p[..., None] * x).sum(1)"),
        # of states and not of what a layer makes of them
        ("p = (x * x).softmax(-1)", "return (p * x).sum(1)"),
    ],
)
def test_what_looks_alike(lines):
    assert found(*lines) == []


def test_keras_layers():
    code = """import keras
from keras import layers, ops
class Source2Token(layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], shape[-1]))
    def call(self, x, mask=None):
        f = ops.matmul(x, self.w)
        if mask is not None:
            f = f + (1.0 - ops.cast(mask, f.dtype)[:, :, None]) * -1e9
        p = {softmax}
        return ops.sum(p * x, axis=1)
def encoder():
    x = keras.Input((None, 8))
    return keras.Model(x, Source2Token()(x))
"""

    def told(softmax):
        return check_source(code.format(softmax=softmax).encode(), "x.py", Settings()).findings

    for wrong in ("ops.softmax(f)", "ops.softmax(f, axis=2)", "keras.activations.softmax(f)"):
        (finding,) = told(wrong)
        assert (finding.code, finding.line) == ("ATN301", 10)
        assert finding.fix.line.endswith("axis=1)")
    assert told("ops.softmax(f, axis=1)") == ()
