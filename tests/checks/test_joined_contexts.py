"""ATN106: contexts of Luong's attention joined to the states along the steps."""

import numpy as np
import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

KERAS = """import keras
from keras import layers, ops


class {name}(keras.Model):
    def __init__(self, vocab, units):
        super().__init__()
        self.embed = layers.Embedding(vocab, units)
        self.gru = layers.GRU(units, return_sequences=True)
        self.wa = layers.Dense(units, use_bias=False)
        self.wc = layers.Dense(units, activation="tanh")

    def call(self, tokens, enc):
        h = self.gru(self.embed(tokens))
        score = ops.matmul(self.wa(h), ops.transpose(enc, (0, 2, 1)))
        context = ops.matmul(ops.softmax(score, axis=-1), enc)
        return self.wc({join})
"""
TORCH = """import torch
from torch import nn


class {name}(nn.Module):
    \"\"\"{says}\"\"\"

    def __init__(self, width):
        super().__init__()
        self.gru = nn.GRU(width, width, batch_first=True)
        self.wc = nn.Linear({out}, width)

    def forward(self, y, enc):
        h, _ = self.gru(y)
        weights = torch.softmax(torch.bmm(h, enc.transpose(1, 2)), dim=-1)
        context = torch.bmm(weights, enc)
        return torch.tanh(self.wc({join}))


def run(y=torch.ones(2, 5, 8), enc=torch.ones(2, 7, 8)):
    return {name}(8)(y, enc)


run()
"""
LUONG = {"name": "Decoder", "says": "Luong attention over enc.", "out": "width"}


def findings(code):
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize("pair", ["[context, h]", "[h, context]"])
def test_keras(pair):
    (finding,) = findings(
        KERAS.format(name="LuongDecoder", join=f"ops.concatenate({pair}, axis=1)")
    )
    assert (finding.code, finding.line, finding.severity) == ("ATN106", 17, "warning")
    assert finding.fix.line == f"return self.wc(ops.concatenate({pair}, axis=-1))"
    assert finding.message.endswith("nothing raises where both have as many features")
    right = KERAS.format(name="LuongDecoder", join=f"ops.concatenate({pair}, axis=-1)")
    assert findings(right) == ()


def test_torch():
    (finding,) = findings(TORCH.format(**LUONG, join="torch.cat((context, h), dim=1)"))
    assert (finding.code, finding.line) == ("ATN106", 17)
    assert finding.tensor.shape == ("enc_0", "2*y_1", "width")
    assert finding.expected.shape == ("enc_0", "y_1", "2*width")
    assert "a comment" not in finding.message
    assert "`Decoder` says `Luong`" in finding.message


@pytest.mark.parametrize(
    ("changes", "join"),
    [
        ({"says": "Attends over enc."}, "torch.cat((context, h), dim=1)"),
        ({"says": "Bahdanau attention."}, "torch.cat((context, h), dim=1)"),
        ({"out": "2 * width"}, "torch.cat((context, h), dim=2)"),
        ({}, "torch.cat((context, y), dim=1)"),  # not what asked
        ({}, "torch.cat((enc, h), dim=1)"),
        ({}, "torch.cat((context[:, 0], h[:, 0]), dim=0)"),
    ],
)
def test_joins_that_may_be_meant(changes, join):
    assert findings(TORCH.format(**(LUONG | changes), join=join)) == ()


def test_that_a_state_does_not_meet_its_context():
    torch = pytest.importorskip("torch")
    outputs = {}
    for out, axis in (("width", 1), ("2 * width", 2)):
        space = {}
        changed = LUONG | {"out": out}
        exec(TORCH.format(**changed, join=f"torch.cat((context, h), dim={axis})"), space)
        torch.manual_seed(0)
        model = space["Decoder"](8)
        y, enc = torch.randn(2, 5, 8), torch.randn(2, 7, 8)
        outputs[axis] = model(y, enc).shape, model(y, enc + 1)[:, -1] - model(y, enc)[:, -1]
    assert outputs[1][0] == (2, 10, 8)
    assert np.allclose(outputs[1][1].detach(), 0)  # the last state's output is of no context
    assert outputs[2][0] == (2, 5, 8)
    assert not np.allclose(outputs[2][1].detach(), 0)
