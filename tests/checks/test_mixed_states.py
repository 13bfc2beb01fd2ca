"""ATN305: hidden and cell states that take each other's place in the next LSTM."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = """import torch
from torch import nn
class Model(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.encoder = nn.LSTM(d, h, batch_first=True)
        self.decoder = nn.LSTM(d, h, batch_first=True)
        self.cell = nn.LSTMCell(d, h)
    def forward(self, x, y):
        out, (h, c) = self.encoder(x)
        {line}
        return out
"""
KERAS = """from keras import layers
src, tgt = layers.Input((None, 8)), layers.Input((None, 8))
encoder = layers.Bidirectional(layers.LSTM(16, return_sequences=True, return_state=True))
out, fh, fc, bh, bc = encoder(src)
state_h = layers.Concatenate()([{of_h}])
state_c = layers.Concatenate()([{of_c}])
decoder = layers.LSTM(32, return_sequences=True)
states = decoder(tgt, initial_state=[{given}])
"""


def found(code):
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(
    ("line", "fixed"),
    [
        ("out, _ = self.decoder(y, (c, h))", "out, _ = self.decoder(y, (h, c))"),
        ("out, _ = self.decoder(y, (h, c))", None),
        ("out, _ = self.decoder(y, (h, h))", None),
        ("out, _ = self.decoder(y, (torch.zeros_like(h), c))", None),
    ],
)
def test_states_of_torch(line, fixed):
    assert found(TORCH.format(line=line)) == ([] if fixed is None else [("ATN305", fixed)])


@pytest.mark.parametrize(
    ("of_h", "of_c", "given", "fixed"),
    [
        (
            "fh, fc",
            "bh, bc",
            "state_h, state_c",
            "state_h = layers.Concatenate()([fh, bh])\nstate_c = layers.Concatenate()([fc, bc])",
        ),
        (
            "fh, bc",
            "fc, bh",
            "state_h, state_c",
            "state_h = layers.Concatenate()([fh, bh])\nstate_c = layers.Concatenate()([fc, bc])",
        ),
        ("fh, bh", "fc, bc", "state_h, state_c", None),
        ("bh, fh", "bc, fc", "state_h, state_c", None),  # the directions may change places
    ],
)
def test_states_of_both_directions(of_h, of_c, given, fixed):
    code = KERAS.format(of_h=of_h, of_c=of_c, given=given)
    assert found(code) == ([] if fixed is None else [("ATN305", fixed)])


def test_states_that_are_joined_for_something_else():
    line = "out = torch.cat((h[-1], c[-1]), dim=-1)"
    assert found(TORCH.format(line=line)) == []
