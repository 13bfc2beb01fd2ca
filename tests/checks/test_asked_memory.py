"""A decoder asks with its target; Keras' layers take values for keys where they are given none."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings


def told(code):
    found = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.fix and each.fix.line) for each in found]


DECODED = """
import torch
from torch import nn


class Summary(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.proj, self.{ask} = nn.Linear(d, d), nn.Parameter(torch.zeros(n, d))
        layer = nn.TransformerDecoderLayer(d, 4, batch_first=True)
        self.decoder = nn.TransformerDecoder(layer, 2)

    def forward(self, frames, pad):
        {kept} = self.proj(frames)
        {ask} = self.{ask}.expand(frames.shape[0], -1, -1)
        return self.decoder({given})
"""


@pytest.mark.parametrize(
    ("ask", "kept", "given", "fix"),
    [
        ("queries", "memory", "queries, memory", None),
        ("queries", "memory", "memory, queries", "return self.decoder(queries, memory)"),
        (
            "queries",
            "memory",
            "memory, queries, tgt_key_padding_mask=pad",
            "return self.decoder(queries, memory, memory_key_padding_mask=pad)",
        ),
        # Names that say nothing of it.
        ("slots", "memory", "memory, slots", None),
        ("queries", "tokens", "tokens, queries", None),
    ],
)
def test_the_queries_ask_the_memory(ask, kept, given, fix):
    code = DECODED.format(ask=ask, kept=kept, given=given)
    assert told(code) == ([] if fix is None else [("ATN308", fix)])


ATTENDED = """
from keras import layers


def build(length, width, units):
    source = layers.Input((length, width))
    states = layers.Bidirectional(layers.LSTM(units, return_sequences=True))(source)
    target = layers.Input((length, width))
    asked = layers.LSTM({asked}, return_sequences=True)(target)
    return layers.{layer}()([{given}])
"""


@pytest.mark.parametrize("layer", ["Attention", "AdditiveAttention"])
def test_a_layer_of_keras_takes_values_for_keys(layer):
    code = ATTENDED.format(layer=layer, asked="{}", given="{}")
    right = code.format("2 * units", "asked, states")
    assert told(right) == []
    fix = f"return layers.{layer}()([asked, layers.Dense(units)(states)])"
    assert told(code.format("units", "asked, states")) == [("ATN109", fix)]


def test_a_layer_of_keras_is_given_keys_behind_the_values():
    code = ATTENDED.format(layer="Attention", asked="units", given="asked, states, asked")
    assert told(code) == []
    wrong = ATTENDED.format(layer="Attention", asked="units", given="asked, asked, states")
    assert [code for code, _ in told(wrong)] == ["ATN109"]
