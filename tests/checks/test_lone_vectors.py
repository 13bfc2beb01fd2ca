"""ATN101: a vector for each sequence of a batch, multiplied as if all of them were one matrix."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = """import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.w = nn.Linear(d, d)

    def forward(self, states):
        last = states[:, -1]
        scores = {product}
        return (scores.softmax(1){column} * states).sum(1)


def run(x=torch.ones(4, 7, 8)):
    return Attention(8)(x)


run()
"""
KERAS = """from keras import Model, layers, ops


def attend(states):
    size = int(states.shape[2])
    first = layers.Dense(size, use_bias=False)(states)
    last = layers.Lambda(lambda x: x[:, -1, :], output_shape=(size,))(states)
    column = layers.Reshape(({shape}))(last)
    score = layers.Lambda(lambda x: ops.matmul(x[0], x[1]))([first, column])
    weights = layers.Softmax(axis=1)(score)
    return layers.Lambda(lambda x: ops.sum(x[0] * x[1], axis=1))([states, weights])


def build(steps, width):
    x = layers.Input((steps, width))
    return Model(x, attend(layers.LSTM(32, return_sequences=True)(x)))
"""
NUMPY = """import numpy as np
import jax.numpy as jnp


def scores(states):
    B, T, H = states.shape
    last = states[:, T - 1]
    return {product}
"""


def findings(code):
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("product", "fixed", "column"),
    [
        ("self.w(states) @ last", "self.w(states) @ last.unsqueeze(2)", ""),
        (
            "torch.matmul(self.w(states), last)",
            "torch.matmul(self.w(states), last.unsqueeze(2))",
            "",
        ),
        (
            "self.w(states) @ last",
            "(self.w(states) @ last.unsqueeze(2)).squeeze(-1)",
            "[..., None]",
        ),
    ],
)
def test_torch(product, fixed, column):
    (finding,) = findings(TORCH.format(product=product, column=column))
    assert (finding.code, finding.line, finding.severity) == ("ATN101", 12, "error")
    assert (finding.tensor.name, finding.tensor.shape) == ("last", (4, 8))
    assert finding.expected.shape == (4, 8, 1)
    assert finding.fix.line == f"scores = {fixed}"
    assert findings(TORCH.format(product=fixed, column=column)) == ()


def test_that_it_raises_and_the_fix_does_not():
    torch = pytest.importorskip("torch")
    with pytest.raises(RuntimeError, match=r"size|shape"):
        exec(TORCH.format(product="self.w(states) @ last", column=""), {})
    space = {}
    exec(TORCH.format(product="states @ last.unsqueeze(2)", column=""), space)
    x = torch.randn(4, 7, 8, generator=torch.Generator().manual_seed(0))
    one = torch.stack([(each @ each[-1]).softmax(0) @ each for each in x])
    assert torch.allclose(space["run"](x), one, atol=1e-5)


def test_the_batch_of_a_functional_model_is_no_size_of_a_layer():
    (finding,) = findings(KERAS.format(shape="size,"))
    assert (finding.code, finding.line) == ("ATN101", 9)
    assert "each row of `x[1]` is one sequence's own vector" in finding.message
    assert finding.fix.line == (
        "score = layers.Lambda(lambda x: ops.matmul(x[0], ops.expand_dims(x[1], 2)))"
        "([first, column])"
    )
    assert findings(KERAS.format(shape="size, 1")) == ()


@pytest.mark.parametrize(
    "product", ["states @ last", "np.matmul(states, last)", "jnp.matmul(states, last)"]
)
def test_sizes_that_nobody_has_said_to_be_equal(product):
    (finding,) = findings(NUMPY.format(product=product))
    assert (finding.code, finding.line) == ("ATN101", 8)
    assert "(B, T, H) by (B, H) as by one matrix: it contracts H with the batch, B" in (
        finding.message
    )
    assert "hidden while B == H" in finding.message


@pytest.mark.parametrize(
    "product",
    [
        "states @ last.T",  # every sequence against every vector, as in contrastive losses
        "states @ last[:, :, None]",
        "np.einsum('bth,bh->bt', states, last)",
        "last @ last.T",
        "states @ (last.T @ last)",  # one matrix of features
        "states @ np.ones((H, H))",
        "states.transpose(1, 2, 0) @ last",  # the batch is summed over on both sides
        "states.transpose(1, 0, 2) @ states[0].T",
    ],
)
def test_products_with_what_is_one_matrix(product):
    assert findings(NUMPY.format(product=product)) == ()
