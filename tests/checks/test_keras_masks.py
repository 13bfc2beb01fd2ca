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
    monkeypatch.setitem(os.environ, "KERAS_BACKEND", "numpy")
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


POOL = """import keras
from keras import layers, ops


class Pooling(layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        {says}
        self.score = layers.Dense(1)

    def call(self, x, {parameter}):
        scores = ops.squeeze(self.score(x), -1)
        if mask is not None:
            scores = {line}
        return ops.einsum("bt,btd->bd", ops.softmax(scores, axis=-1), x)

    {more}


def classifier(vocab, units):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(vocab, units, mask_zero=True)(ids)
    return keras.Model(ids, Pooling(units){call})
"""
PLAIN = {
    "says": "self.supports_masking = True",
    "parameter": "mask=None",
    "line": "ops.where(mask, -1e9, scores)",
    "more": "pass",
    "call": "(x)",
}
COMPUTES = "def compute_mask(self, x, mask=None):\n        return None"


def pooled(**changes):
    code = POOL.format(**(PLAIN | changes)).encode()
    return check_source(code, "x.py", Settings()).findings


@pytest.mark.parametrize("says", [{}, {"says": "self.x = 1", "more": COMPUTES}])
@pytest.mark.parametrize(
    ("line", "fixed"),
    [
        ("ops.where(mask, -1e9, scores)", "ops.where(mask == 0, -1e9, scores)"),
        (
            "ops.where(ops.logical_not(mask), scores, -1e9)",
            "ops.where(~ops.logical_not(mask), scores, -1e9)",
        ),
        ("ops.where(mask == 1, -1e9, scores)", "ops.where(mask != 1, -1e9, scores)"),
    ],
)
def test_the_mask_that_keras_hands_on_is_true_for_real_steps(says, line, fixed):
    (finding,) = pooled(line=line, **says)
    assert (finding.code, finding.line, finding.severity) == ("ATN502", 14, "warning")
    assert "Keras hands the mask of the input on as `mask` itself" in finding.message
    assert finding.message.endswith("padding is attended to, and what is real is hidden")
    assert finding.fix.line == f"scores = {fixed}"
    assert pooled(line=fixed, **says) == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"says": "self.x = 1"},  # nothing says that Keras is to hand one on
        {"parameter": "mask"},  # who calls it has to give one
        {"call": "(x, mask=ops.equal(ids, 0))"},
        {"call": "(x, ops.equal(ids, 0))"},
    ],
)
def test_masks_that_are_given_by_who_calls(changes):
    assert pooled(**changes) == ()


@pytest.mark.parametrize("wrong", [True, False])
def test_what_keras_hands_on(wrong, monkeypatch):
    monkeypatch.setitem(os.environ, "KERAS_BACKEND", "numpy")
    keras = pytest.importorskip("keras")
    line = "ops.where(mask, -1e9, scores)" if wrong else "ops.where(mask == 0, -1e9, scores)"
    space = {}
    exec(POOL.format(**(PLAIN | {"line": line})), space)
    keras.utils.set_random_seed(0)
    model = space["classifier"](9, 4)
    one, longer = (
        keras.ops.convert_to_numpy(model(np.array([ids]))) for ids in ([3, 5, 7], [3, 5, 7, 0, 0])
    )
    assert np.allclose(one, longer, atol=1e-5) is not wrong
