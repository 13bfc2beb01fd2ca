"""ATN501: masks merged while only one has an axis for the heads, and masks made of features."""

import os

import numpy as np
import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

KERAS = """from keras import layers, ops


def merge(padding, table):
    mask = padding
    if mask is not None:
        mask = {index}
    return {merge}


class Encoder(layers.Layer):
    def __init__(self, heads, width):
        super().__init__()
        self.attention = layers.MultiHeadAttention(heads, width // heads)

    def call(self, x, padding=None, table=None):
        return self.attention(x, x, attention_mask=merge(padding, table))


def run():
    table = ops.ones(({batch}, 6, 6), dtype="int32")
    padding = ops.ones(({batch}, 6), dtype="int32")
    return Encoder(8, 32)(ops.ones(({batch}, 6, 32)), padding, table)


run()
"""
INDEX = "mask[:, None, None, :]"
MERGES = ["ops.minimum(mask, table)", "mask * table", "table & mask"]


def findings(code):
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize("merge", MERGES)
def test_a_table_that_has_no_axis_for_the_heads(merge):
    (finding,) = findings(KERAS.format(index=INDEX, merge=merge, batch=2))
    assert (finding.code, finding.line, finding.severity) == ("ATN501", 8, "error")
    assert (finding.tensor.name, finding.tensor.shape) == ("mask", (2, 1, 1, 6))
    assert finding.expected.shape == (2, 1, 6)
    assert "the batch of the second meets the axis of 1" in finding.message
    assert finding.message.endswith("it runs only where there are as many heads as sequences")
    assert finding.fix.line == f"return {merge.replace('mask', 'mask[:, 0]')}"


@pytest.mark.parametrize("merge", MERGES)
@pytest.mark.parametrize("index", ["mask[:, None, :]", "ops.expand_dims(mask, 1)"])
def test_masks_of_one_kind(merge, index):
    assert findings(KERAS.format(index=index, merge=merge, batch=2)) == ()
    four = KERAS.format(index=INDEX, merge=merge, batch=2)
    for heads in ("table[:, None]", "ops.expand_dims(table, 1)"):
        assert findings(four.replace("padding, table))", f"padding, {heads}))")) == ()


def test_as_many_sequences_as_heads_or_one():
    for batch in (8, 1):
        assert findings(KERAS.format(index=INDEX, merge=MERGES[0], batch=batch)) == ()


def test_what_keras_says(monkeypatch):
    monkeypatch.setitem(os.environ, "KERAS_BACKEND", "numpy")
    pytest.importorskip("keras")
    code = KERAS.format(index=INDEX, merge=MERGES[0], batch=2)
    with pytest.raises((RuntimeError, ValueError), match=r"match|broadcast"):
        exec(code, {})
    space = {}
    exec(code.replace("minimum(mask,", "minimum(mask[:, 0],"), space)
    assert tuple(space["run"]().shape) == (2, 6, 32)


HEADS = """from keras import layers, ops
attention = layers.MultiHeadAttention(4, 8)
x = ops.ones((2, 6, 32))
y = attention(x, x, attention_mask=ops.ones({}))
"""


@pytest.mark.parametrize(
    ("shape", "fits"),
    [
        ((2, 4, 6, 6), True),
        ((2, 1, 1, 6), True),
        ((1, 4, 1, 1), True),
        ((2, 6, 6), True),
        ((2, 2, 6, 6), False),
        ((2, 3, 1, 6), False),
    ],
)
def test_masks_with_an_axis_for_the_heads(shape, fits, monkeypatch):
    found = findings(HEADS.format(shape))
    assert [(each.code, each.line) for each in found] == ([] if fits else [("ATN501", 4)])
    monkeypatch.setitem(os.environ, "KERAS_BACKEND", "numpy")
    pytest.importorskip("keras")
    if fits:
        exec(HEADS.format(shape), {})
    else:
        with pytest.raises((RuntimeError, ValueError)):
            exec(HEADS.format(shape), {})


FLAX = """import flax.linen as nn
import jax
import jax.numpy as jnp


class Model(nn.Module):
    vocab: int
    width: int = 32

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(self.vocab, self.width)(tokens)
        {change}
        mask = {mask}
        return nn.SelfAttention(num_heads=4)(x, mask)
"""


@pytest.mark.parametrize(
    ("change", "mask", "fixed"),
    [
        ("pass", "nn.make_causal_mask(x)", "nn.make_causal_mask(tokens)"),
        ("x = nn.Dense(64)(x)", "nn.make_causal_mask(x)", "nn.make_causal_mask(x[..., 0])"),
        ("x = x * 8", "nn.make_causal_mask(x)", "nn.make_causal_mask(x[..., 0])"),
        (
            "pass",
            "nn.make_attention_mask(x, x)",
            "nn.make_attention_mask(tokens, x)",
        ),
    ],
)
def test_a_mask_made_of_features(change, mask, fixed):
    found = findings(FLAX.format(change=change, mask=mask))
    assert [(each.code, each.line) for each in found] == [("ATN501", 14)]
    (finding,) = found
    assert finding.tensor.name == "x"
    assert finding.tensor.shape[:2] == finding.expected.shape
    assert "for positions, but it holds features" in finding.message
    if "causal" in mask:
        assert finding.fix.line == f"mask = {fixed}"


@pytest.mark.parametrize(
    "mask",
    [
        "nn.make_causal_mask(tokens)",
        "nn.make_causal_mask(x[..., 0])",
        "nn.make_causal_mask(jnp.ones(x.shape[:2]))",
        "nn.make_attention_mask(tokens > 0, tokens > 0)",
        "nn.make_attention_mask((x != 0).any(-1), tokens > 0)",
    ],
)
def test_masks_made_of_one_number_for_each_position(mask):
    assert findings(FLAX.format(change="pass", mask=mask)) == ()


def test_what_flax_makes_of_it():
    jax = pytest.importorskip("jax")
    pytest.importorskip("flax")
    tokens = np.ones((2, 9), dtype=np.int32)
    for mask, raises in (("nn.make_causal_mask(x)", True), ("nn.make_causal_mask(tokens)", False)):
        space = {}
        exec(FLAX.format(change="pass", mask=mask), space)
        model = space["Model"](50)
        if raises:
            with pytest.raises((ValueError, TypeError), match="broadcasting"):
                model.init_with_output(jax.random.PRNGKey(0), tokens)
        else:
            output, _ = model.init_with_output(jax.random.PRNGKey(0), tokens)
            assert output.shape == (2, 9, 32)
