"""ATN302: pools with channels first over what has its features last, and those that are meant."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """from keras import Input, Model, layers, ops


def block(x):
    {block}


def build(steps, channels, width, classes):
    inputs = Input((steps, channels))
    x = layers.Dense(width)(inputs)
    x = block(x)
    {pool}
    x = layers.Dense(32, activation="relu")(x)
    return Model(inputs, layers.Dense(classes)(x))
"""
ATTENTION = "return layers.Add()([x, layers.MultiHeadAttention(4, 16)(x, x)])"
FIRST = 'x = layers.GlobalAveragePooling1D(data_format="channels_first")(x)'


def found(block, pool):
    code = CODE.format(block=block, pool=pool)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(
    "block",
    [
        ATTENTION,
        "return layers.LayerNormalization()(layers.MultiHeadAttention(4, 16)(x, x))",
        "return layers.Dropout(0.1)(layers.Conv1D(24, 3, padding='same')(x))",
        "return layers.Dense(40)(layers.LSTM(24, return_sequences=True)(x))",
        "return layers.Bidirectional(layers.GRU(24, return_sequences=True))(x)",
    ],
)
@pytest.mark.parametrize(
    "pool",
    [
        FIRST,
        "x = layers.GlobalMaxPooling1D('channels_first', name='pool')(x)",
        'x = layers.GlobalAvgPool1D(data_format="channels_first", name="p")(layers.ReLU()(x))',
    ],
)
def test_features_are_pooled(block, pool):
    fixed = pool.replace("channels_first", "channels_last")
    assert found(block, pool) == [("ATN302", 12, fixed)]
    assert found(block, fixed) == []


def test_the_message():
    (finding,) = check_source(
        CODE.format(block=ATTENTION, pool=FIRST).encode(), "x.py", Settings()
    ).findings
    assert finding.message == (
        '`layers.GlobalAveragePooling1D(data_format="channels_first")(x)` reduces the last axis of'
        " (batch_size, steps, width), the features that `layers.MultiHeadAttention(4, 16)(x, x)`"
        " gives, as if these were the steps: what is left has a number for each step, and the next"
        " layer takes it for features"
    )
    assert (finding.severity, finding.expected.shape) == ("error", ("batch_size", "width"))


@pytest.mark.parametrize(
    ("block", "pool"),
    [
        # the channels are first
        ("x = layers.Permute((2, 1))(x)\n    return layers.Dense(9)(x)", FIRST),
        (ATTENTION, FIRST.replace("(x)", "(layers.Permute((2, 1))(x))")),
        (ATTENTION, FIRST.replace("(x)", "(ops.transpose(x, (0, 2, 1)))")),
        ("return layers.Conv1D(9, 3, data_format='channels_first')(x)", FIRST),
        # nobody knows what the axes are
        ("return layers.Dense(9)(x)", FIRST),
        # a number for each step that scores the steps
        (
            ATTENTION,
            FIRST.replace("x =", "s =") + "\n    s = layers.Dense(steps, activation='softmax')(s)"
            "\n    x = layers.Flatten()(x * ops.expand_dims(s, -1))",
        ),
        (
            ATTENTION,
            FIRST.replace("x =", "s =") + "\n    s = layers.Reshape((steps, 1))(s)"
            "\n    x = layers.Flatten()(layers.Multiply()([x, s]))",
        ),
        (ATTENTION, FIRST.replace("channels_first", "channels_last")),
        (ATTENTION, "x = layers.GlobalAveragePooling1D()(x)"),
    ],
)
def test_pools_that_are_meant(block, pool):
    assert [each for each in found(block, pool) if each[0] == "ATN302"] == []
