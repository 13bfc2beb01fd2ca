"""ATN305: stacks of layers of which only the last one counts."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import torch
from torch import nn
class Layer(nn.Module):
    def __init__(self, d, width):
        super().__init__()
        self.mix, self.norm = nn.Linear(d, width), nn.LayerNorm(d)
    def forward(self, x):
        return self.mix(self.norm(x))
class Encoder(nn.Module):
    def __init__(self, d, n, width=None):
        super().__init__()
        self.n = n
        self.layers = nn.ModuleList([Layer(d, {width}) for _ in range(n)])
    def forward(self, x):
        B, T, d = x.shape
        {loop}
"""


def found(*lines, width="d"):
    code = CODE.format(loop="\n        ".join(lines), width=width)
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("head", "call"),
    [
        ("for layer in self.layers:", "layer(x)"),
        ("for i in range(self.n):", "self.layers[i](x)"),
        ("for i, layer in enumerate(self.layers):", "layer(x)"),
    ],
)
def test_only_the_last_layer_counts(head, call):
    (finding,) = found(head, f"    out = {call}", "return out")
    assert (finding.code, finding.line, finding.function) == ("ATN305", 17, "Encoder.forward")
    assert "starts from the same `x` in every turn of the loop" in finding.message
    assert finding.fix is not None and finding.fix.line == f"x = out = {call}"
    assert found(head, f"    x = out = {call}", "return out") == ()


@pytest.mark.parametrize(
    "lines",
    [
        ("for layer in self.layers:", "    x = layer(x)", "return x"),
        ("outs = []", "for layer in self.layers:", "    out = layer(x)", "    outs.append(out)",
         "return outs"),
        ("total = 0", "for layer in self.layers:", "    out = layer(x)", "    total = total + out",
         "return total"),
        ("for layer in self.layers:", "    out = layer(x)", "    x = out", "return x"),
        ("for layer in self.layers:", "    out = layer(x)", "    if out.sum() > 0:",
         "        break", "return out"),
        ("y = x + 1", "for layer in self.layers:", "    y = layer(x, y)", "return y"),
        ("layer = self.layers[0]", "for _ in range(3):", "    out = layer(x)", "return out"),
    ],
)  # fmt: skip
def test_what_is_carried_on_or_kept(lines):
    assert found(*lines) == ()


def test_layers_that_do_not_fit_behind_each_other():
    head = "for layer in self.layers:"
    assert found(head, "    out = layer(x)", "return out", width="width") == ()
