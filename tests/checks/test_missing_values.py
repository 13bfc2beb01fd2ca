"""ATN502: masks of what is missing, NaN, and those that a softmax itself takes."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

NUMPY = """import numpy as np

def fill_in(q, k, readings):
    \"\"\"q (B, T, d), k (B, T, d), readings (B, T)\"\"\"
    missing = {}
    values = np.where(np.isnan(readings), 0.0, readings)
    scores = q @ k.swapaxes(1, 2)
    {}
    w = np.exp(scores - scores.max(axis=-1, keepdims=True))
    w = w / w.sum(axis=-1, keepdims=True)
    return np.einsum("bts,bs->bt", w, values)
"""
TORCH = """import torch

def fill_in(q, k, readings):
    \"\"\"q (B, T, d), k (B, T, d), readings (B, T)\"\"\"
    missing = {}
    scores = q @ k.transpose(1, 2)
    {}
    w = torch.softmax(scores, dim=-1)
    return torch.einsum("bts,bs->bt", w, torch.nan_to_num(readings))
"""


def found(code):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(f.code, f.line, f.fix and f.fix.line) for f in findings if f.severity != "note"]


@pytest.mark.parametrize(
    ("code", "made", "line", "fixed"),
    [
        (
            NUMPY,
            "np.isnan(readings)",
            "scores = np.where(missing[:, None, :], scores, -1e9)",
            "scores = np.where(~missing[:, None, :], scores, -1e9)",
        ),
        (
            NUMPY,
            "np.isfinite(readings)",
            "scores = np.where(missing[:, None], -np.inf, scores)",
            "scores = np.where(~missing[:, None], -np.inf, scores)",
        ),
        (
            TORCH,
            "torch.isnan(readings)",
            'scores = scores.masked_fill(~missing[:, None, :], float("-inf"))',
            'scores = scores.masked_fill(missing[:, None, :], float("-inf"))',
        ),
        (
            TORCH,
            "readings.isnan().unsqueeze(1)",
            "scores = torch.where(missing, scores, -1e9)",
            "scores = torch.where(~missing, scores, -1e9)",
        ),
    ],
)
def test_only_what_is_missing_is_seen(code, made, line, fixed):
    ((number, _, fix),) = found(code.format(made, line))
    assert (number, fix) == ("ATN502", fixed)
    assert found(code.format(made, fixed)) == []


@pytest.mark.parametrize(
    "line",
    [
        # Only what is missing asks: the rest keeps its values.
        "scores = torch.where(missing[:, :, None], scores, -1e9)",
        "scores = torch.where(missing[:, None], -1e9, scores)",
        "scores = torch.where(torch.isnan(scores), torch.zeros_like(scores), scores)",
        "scores = torch.nan_to_num(scores.masked_fill(missing[:, None, :], -1e9))",
        "readings = torch.where(missing, readings, 0.0)",
    ],
)
def test_what_is_right(line):
    assert found(TORCH.format("torch.isnan(readings)", line)) == []


def test_weights_of_rows_that_see_nothing():
    code = TORCH.replace(
        "return", "w = torch.where(torch.isnan(w), torch.zeros_like(w), w)\n    return"
    )
    line = 'scores = scores.masked_fill(missing[:, None, :], float("-inf"))'
    assert found(code.format("torch.isnan(readings)", line)) == []


KERAS = """import keras
from keras import layers, ops
tokens = keras.Input((20,), dtype="int32")
x = layers.LSTM(8, return_sequences=True)(layers.Embedding(100, 16)(tokens))
scores = layers.Reshape((20,))(layers.Dense(1)(x))
weights = layers.Softmax()(scores, mask={})
out = layers.Dot(axes=1)([weights, x])
"""
JAX = """import jax
import jax.numpy as jnp

def pool(query, states, lengths):
    \"\"\"query (B, d), states (B, T, d), lengths (B,)\"\"\"
    keep = jnp.arange(states.shape[1])[None, :] < lengths[:, None]
    scores = jnp.einsum("bd,btd->bt", query, states)
    weights = jax.nn.softmax(scores, axis=-1, where={})
    return jnp.einsum("bt,btd->bd", weights, states)
"""


def test_the_mask_of_keras_s_softmax_keeps_what_is_true():
    wrong = KERAS.format("ops.equal(tokens, 0)")
    assert [each[:2] for each in found(wrong)] == [("ATN502", 6)]
    assert found(KERAS.format("ops.not_equal(tokens, 0)")) == []
    assert found(KERAS.format("ops.logical_not(ops.equal(tokens, 0))")) == []
    assert found(KERAS.format('ops.cast(ops.not_equal(tokens, 0), "float32")')) == []


def test_the_mask_of_jax_s_softmax_keeps_what_is_true():
    fixed = "weights = jax.nn.softmax(scores, axis=-1, where=keep)"
    assert found(JAX.format("~keep")) == [("ATN502", 8, fixed)]
    assert found(JAX.format("keep")) == []


def test_what_the_libraries_say(monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "numpy")
    import jax
    import keras
    import numpy as np

    scores, keep = np.zeros((1, 3), "float32"), np.array([[True, False, True]])
    for mask in (keep, keep.astype("float32")):
        assert np.allclose(keras.layers.Softmax()(scores, mask=mask), [[0.5, 0, 0.5]])
    assert np.allclose(jax.nn.softmax(scores, where=keep), [[0.5, 0, 0.5]])
