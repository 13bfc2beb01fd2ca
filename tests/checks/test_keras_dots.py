"""ATN101 and ATN109: Keras' dot of two stacks that sums over axes of two sizes."""

import os

import numpy as np
import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import keras
from keras import layers
encoder = keras.Input((20, 128))
decoder = keras.Input((18, {width}))
scores = layers.Dot(axes=[2, 2])([decoder, encoder])
weights = layers.Softmax()(scores)
context = layers.Dot(axes={axes})([weights, encoder])
model = keras.Model([encoder, decoder], context)
"""


def found(axes, width=128):
    code = CODE.format(axes=axes, width=width)
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize("axes", ["[2, 2]", "(2, 2)", "2"])
def test_a_context_over_the_features(axes):
    (finding,) = found(axes)
    assert (finding.code, finding.line) == ("ATN101", 7)
    assert "contracts 20 with 128" in finding.message
    assert finding.fix is not None
    right = "(2, 1)" if axes == "(2, 2)" else "[2, 1]"
    assert finding.fix.line == f"context = layers.Dot(axes={right})([weights, encoder])"
    assert found("[2, 1]") == found("(2, 1)") == ()


def test_a_query_of_another_width():
    (finding, *_) = found("[2, 1]", width=64)
    assert (finding.code, finding.line) == ("ATN109", 5)
    assert "64" in finding.message and "128" in finding.message


def test_what_keras_says(monkeypatch):
    monkeypatch.setitem(os.environ, "KERAS_BACKEND", "numpy")
    import keras

    x, y = np.ones((2, 18, 20), "float32"), np.ones((2, 20, 128), "float32")
    with pytest.raises(ValueError, match="Incompatible input shapes"):
        keras.layers.Dot(axes=[2, 2])([x, y])
    assert tuple(keras.layers.Dot(axes=[2, 1])([x, y]).shape) == (2, 18, 128)
