"""ATN502 in Keras' words: of a mask of any numbers it takes what is true, and never adds one."""

import os

import numpy as np
import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """from keras import layers, ops


def look_ahead_mask(size):
    return {made}


class Decoder(layers.Layer):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = layers.MultiHeadAttention(num_heads=heads, key_dim=width // heads)

    def call(self, x, look_ahead_mask):
        return self.attention(x, x, attention_mask=look_ahead_mask[None])


class Model(layers.Layer):
    def __init__(self, width, heads):
        super().__init__()
        self.decoder = Decoder(width, heads)

    def call(self, x):
        return self.decoder(x, look_ahead_mask(x.shape[1]))
"""
#: What sees the past, of any numbers, and what sees the future.
RIGHT = [
    "ops.tril(ops.ones((size, size)))",
    "1 - ops.triu(ops.ones((size, size)), 1)",
    'ops.tril(ops.ones((size, size), dtype="int32"))',
    'ops.cast(ops.tril(ops.ones((size, size))), "bool")',
    "ops.arange(size)[:, None] >= ops.arange(size)",
]
WRONG = [
    "1 - ops.tril(ops.ones((size, size)))",
    "ops.triu(ops.ones((size, size)), 1)",
    'ops.cast(1 - ops.tril(ops.ones((size, size))), "int32")',
    "ops.arange(size)[:, None] < ops.arange(size)",
]


def findings(made):
    return check_source(CODE.format(made=made).encode(), "x.py", Settings()).findings


@pytest.mark.parametrize("made", RIGHT)
def test_a_mask_that_callers_make_true_for_the_past_is_right_whatever_it_is_called(made):
    assert findings(made) == ()


@pytest.mark.parametrize("made", WRONG)
def test_a_mask_that_is_true_for_the_future(made):
    (finding,) = findings(made)
    assert (finding.code, finding.line) == ("ATN502", 14)
    assert finding.message.endswith("the future is attended to, and the past is hidden")
    fixed = "return self.attention(x, x, attention_mask=look_ahead_mask[None] == 0)"
    boolean = fixed.replace("look", "~look").removesuffix(" == 0)") + ")"
    assert finding.fix.line in (fixed, boolean)


def _leaks(made, monkeypatch):
    """Whether the first positions of what a model gives change with the last of its input."""
    monkeypatch.setitem(os.environ, "KERAS_BACKEND", "torch")
    keras = pytest.importorskip("keras")
    space = {}
    exec(CODE.format(made=made), space)
    keras.utils.set_random_seed(0)
    model = space["Model"](8, 2)
    x = np.random.default_rng(0).normal(size=(2, 5, 8)).astype("float32")
    y = x.copy()
    y[:, -1] += 1
    one, other = (keras.ops.convert_to_numpy(model(each))[:, :-1] for each in (x, y))
    return not np.allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("made", [*RIGHT, *WRONG])
def test_that_is_what_keras_does_with_it(made, monkeypatch):
    assert _leaks(made, monkeypatch) is (made in WRONG)
