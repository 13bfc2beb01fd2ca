"""ATN501: the masks of Keras' attention, in a list in the order of its inputs."""

import os

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

MODEL = """import keras
from keras import layers, ops


class Model(keras.Model):
    def __init__(self, vocab, units):
        super().__init__()
        self.embed = layers.Embedding(vocab, units)
        self.encoder = layers.GRU(units, return_sequences=True)
        self.decoder = layers.GRU(units, return_sequences=True)
        self.attention = layers.{layer}()

    def call(self, ids, words):
        src_mask, tgt_mask = ops.not_equal(ids, 0), words != 0
        memory = self.encoder(self.embed(ids))
        dec = self.decoder(self.embed(words))
        return self.attention([{inputs}], mask=[{masks}])
"""
NUMBERS = """from keras import layers, ops
dec, memory = ops.ones((4, 7, 8)), ops.ones((4, 9, 8))
src_mask, tgt_mask = ops.ones((4, 9), dtype="bool"), ops.ones((4, 7), dtype="bool")
y = layers.Attention()([dec, memory], mask=[{}])
"""


def findings(code):
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize("layer", ["Attention", "AdditiveAttention"])
@pytest.mark.parametrize("inputs", ["dec, memory", "dec, memory, memory"])
def test_masks_in_each_others_place(layer, inputs):
    code = MODEL.format(layer=layer, inputs=inputs, masks="src_mask, tgt_mask")
    (finding,) = findings(code)
    assert (finding.code, finding.line, finding.severity) == ("ATN501", 17, "error")
    assert (finding.tensor.name, finding.tensor.shape) == ("src_mask", ("ids_0", "ids_1"))
    assert finding.expected.shape == ("ids_0", "words_1")
    assert "takes its masks in the order of its inputs, the query's first" in finding.message
    assert finding.message.endswith("(hidden while words_1 == ids_1)")
    assert finding.fix.line == f"return self.attention([{inputs}], mask=[tgt_mask, src_mask])"
    assert findings(code.replace("src_mask, tgt_mask]", "tgt_mask, src_mask]")) == ()


@pytest.mark.parametrize(
    ("inputs", "masks"),
    [
        ("memory, dec", "src_mask, tgt_mask"),
        ("memory, memory", "src_mask, src_mask"),
        ("dec, memory", "None, src_mask"),
        ("dec, memory", "tgt_mask, None"),
    ],
)
def test_masks_in_their_places(inputs, masks):
    assert findings(MODEL.format(layer="Attention", inputs=inputs, masks=masks)) == ()


def test_sizes_that_differ(monkeypatch):
    monkeypatch.setitem(os.environ, "KERAS_BACKEND", "numpy")
    pytest.importorskip("keras")
    wrong, right = (NUMBERS.format(masks) for masks in ("src_mask, tgt_mask", "tgt_mask, src_mask"))
    assert [(each.code, each.line) for each in findings(wrong)] == [("ATN501", 4)]
    assert findings(right) == ()
    with pytest.raises((RuntimeError, ValueError)):
        exec(wrong, {})
    space = {}
    exec(right, space)
    assert tuple(space["y"].shape) == (4, 7, 8)
