"""ATN305: states of a run backwards beside those of the forward one, and what need not care."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

KERAS = """from keras import Input, Model, layers, ops


def states_of(x, units):
    forward = layers.{kind}(units, return_sequences=True)
    backward = layers.{kind}(units, return_sequences=True, go_backwards={flag})
    ahead = forward(x)
    back = {back}
    return {joined}


def build(steps, width, units):
    inputs = Input((steps, width))
    states = states_of(inputs, units)
    {end}
"""
ATTEND = (
    "weights = layers.Softmax(axis=1)(layers.Dense(1)(layers.Dense(9, activation='tanh')(states)))"
    "\n    return Model(inputs, ops.sum(weights * states, axis=1))"
)
CAT = "ops.concatenate([ahead, back], axis=-1)"


def found(code):
    """(code, line, fixed line) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


def keras(back="backward(x)", joined=CAT, end=ATTEND, flag=True, kind="LSTM"):
    return KERAS.format(back=back, joined=joined, end=end, flag=flag, kind=kind)


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
@pytest.mark.parametrize(
    "joined",
    [CAT, "layers.Concatenate()([back, ahead])", "layers.Add()([ahead, back])", "ahead + back"],
)
@pytest.mark.parametrize(
    "end",
    [
        ATTEND,
        "return Model(inputs, layers.MultiHeadAttention(2, 8)(states, states))",
        "return Model(inputs, layers.LSTM(units)(states))",
    ],
)
def test_states_in_reversed_order(kind, joined, end):
    (finding,) = found(keras(joined=joined, end=end, kind=kind))
    assert finding == ("ATN305", 8, "back = ops.flip(backward(x), axis=1)")
    assert found(keras("ops.flip(backward(x), axis=1)", joined, end, kind=kind)) == []


def test_the_message():
    (finding,) = check_source(keras().encode(), "x.py", Settings()).findings
    assert finding.message == (
        "`backward(x)` gives its last step first, and `ops.concatenate([ahead, back], axis=-1)`"
        " puts that beside the first step of `forward(x)`: each position has the states of two"
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"flag": False},
        {"back": "layers.Lambda(lambda t: t[:, ::-1])(backward(x))"},
        # turned twice: in its own order
        {"back": "backward(ops.flip(x, axis=1))"},
        # the last states of both
        {"end": "return Model(inputs, states[:, -1])"},
        # no order of steps counts
        {"end": "return Model(inputs, layers.GlobalAveragePooling1D()(states))"},
        # one behind the other in time
        {"joined": "ops.concatenate([ahead, back], axis=1)"},
        # another sequence
        {"back": "backward(layers.Dense(8)(x))"},
    ],
)
def test_runs_that_need_no_turning(changed):
    assert found(keras(**changed)) == []


TORCH = """import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, size, units):
        super().__init__()
        self.ahead = nn.GRU(size, units, batch_first=True)
        self.back = nn.GRU(size, units, batch_first=True)
        self.score = nn.Linear(2 * units, 1)

    def forward(self, x):
        a, _ = self.ahead(x)
        b, _ = self.back({given})
        states = torch.cat([a, {back}], dim=-1)
        weights = torch.softmax(self.score(states), dim=1)
        return (weights * states).sum(1)
"""


@pytest.mark.parametrize("given", ["x.flip(1)", "torch.flip(x, [1])", "x.flip(dims=(1,))"])
def test_a_layer_of_torch_that_is_given_the_sequence_turned_round(given):
    fixed = "states = torch.cat([a, b.flip(1)], dim=-1)"
    assert found(TORCH.format(given=given, back="b")) == [("ATN305", 14, fixed)]
    assert found(TORCH.format(given=given, back="b.flip(1)")) == []


@pytest.mark.parametrize("given", ["x", "x.flip(2)", "x.flip(0)", "x[:, 1:]"])
def test_sequences_of_torch_in_order(given):
    assert [
        each for each in found(TORCH.format(given=given, back="b")) if each[0] == "ATN305"
    ] == []
