"""ATN104: what a recurrent layer gives, taken by another number of names."""

import numpy as np
import pytest
import torch

from attncheck.engine import check_source
from attncheck.settings import Settings

KERAS = """import keras
from keras import layers
x = keras.Input((7, 4))
layer = {}
{} = layer(x)
"""
TORCH = """import torch
from torch import nn
class Encoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.rnn = nn.{}(d, d, batch_first=True)
    def forward(self, x):
        {} = self.rnn(x)
        return {}
"""


def found(code):
    """(code, line) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(f.code, f.line) for f in findings if f.severity != "note"]


BOTH = "layers.Bidirectional(layers.{}(8, return_sequences=True, return_state=True))"
ONE = "layers.{}(8, return_sequences=True, return_state=True)"


@pytest.mark.parametrize(
    ("layer", "right", "wrong"),
    [
        (BOTH.format("LSTM"), "out, fh, fc, bh, bc", "out, h, c"),
        (BOTH.format("LSTM"), "out, (fh), fc, bh, bc", "out, (h, c)"),
        (BOTH.format("GRU"), "out, f, b", "out, h"),
        (BOTH.format("GRU").replace("))", '), merge_mode="sum")'), "out, f, b", "out, h"),
        (ONE.format("LSTM"), "out, h, c", "out, state"),
        (ONE.format("GRU"), "out, h", "out, h, c"),
    ],
)
def test_keras_states(layer, right, wrong, monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "numpy")
    assert found(KERAS.format(layer, wrong)) == [("ATN104", 5)]
    assert found(KERAS.format(layer, right)) == []
    assert found(KERAS.format(layer, "out, *states")) == []
    exec(KERAS.format(layer, right), {"np": np})
    with pytest.raises(ValueError, match="values to unpack"):
        exec(KERAS.format(layer, wrong), {"np": np})


@pytest.mark.parametrize(
    ("layer", "right", "wrong"),
    [("LSTM", "out, (h, c)", "out, h, c"), ("GRU", "out, h", "out, h, c")],
)
def test_torch_states(layer, right, wrong):
    assert found(TORCH.format(layer, wrong, "out")) == [("ATN104", 8)]
    assert found(TORCH.format(layer, right, "out")) == []
    scope = {}
    exec(TORCH.format(layer, wrong, "out"), scope)
    with pytest.raises(ValueError, match="values to unpack"):
        scope["Encoder"](3)(torch.zeros(2, 5, 3))


def test_what_is_not_known_to_be_given():
    flagged = KERAS.replace(
        "layer = {}", "def build(flag):\n    layer = layers.LSTM(8, return_state=flag)"
    )
    assert found(flagged.replace("{} = layer(x)", "    out, h = layer(x)")) == []
    unmerged = "layers.Bidirectional(layers.GRU(8, return_state=True), merge_mode=None)"
    assert found(KERAS.format(unmerged, "one, other, f, b")) == []


def test_what_the_finding_says():
    code = KERAS.format(BOTH.format("LSTM"), "out, h, c")
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert finding.message == (
        "`layer(x)` gives 5 values, the output and four states (forward, then backward), and 3"
        " names are to take them: this raises"
    )
