"""ATN202: weights of each sequence that meet the values of every sequence."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = """import torch
def attend(h, enc):
    \"\"\"h (B, d), enc (B, T, d)\"\"\"
    weights = torch.softmax(torch.einsum("bd,btd->bt", h, enc), dim=-1)
    return {}
"""
NUMPY = """import numpy as np
def attend(h, enc):
    B, T, d = enc.shape
    scores = np.einsum("bd,btd->bt", h, enc)
    shares = np.exp(scores)
    weights = shares / shares.sum(axis=-1, keepdims=True)
    return {}
"""


def found(code):
    """(code, fix) of every error and warning."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(f.code, f.fix and f.fix.line) for f in findings if f.severity != "note"]


@pytest.mark.parametrize(
    ("code", "result"),
    [
        (TORCH, "weights @ enc"),
        (TORCH, "torch.matmul(weights, enc)"),
        (TORCH, "torch.tensordot(weights, enc, dims=([1], [1]))"),
        (NUMPY, "np.matmul(weights, enc)"),
        (NUMPY, "np.tensordot(weights, enc, axes=([1], [1]))"),
        (NUMPY, "weights.dot(enc)"),
    ],
)
def test_products_that_have_the_batch_twice(code, result):
    module = "torch" if code is TORCH else "np"
    fix = f'return {module}.einsum("bt,btd->bd", weights, enc)'
    assert found(code.format(result)) == [("ATN202", fix)]


@pytest.mark.parametrize(
    "result",
    [
        "(weights.unsqueeze(1) @ enc).squeeze(1)",
        "torch.bmm(weights.unsqueeze(1), enc)",
        'torch.einsum("bt,btd->bd", weights, enc)',
        "weights @ enc[0]",
    ],
)
def test_products_that_have_it_once(result):
    assert found(TORCH.format(result)) == []


def test_one_table_of_weights_for_all_sequences():
    code = """import torch
from torch import nn
class Mixer(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(n, n))
    def forward(self, x):
        B, n, d = x.shape
        return torch.softmax(self.table, dim=-1) @ x
"""
    assert found(code) == []


def test_keras_dot_has_the_batch_once():
    code = """import keras
from keras import layers
tokens = keras.Input((20,), dtype="int32")
x = layers.LSTM(8, return_sequences=True)(layers.Embedding(100, 16)(tokens))
weights = layers.Softmax()(layers.Flatten()(layers.Dense(1)(x)))
{}
"""
    assert found(code.format("out = layers.Dot(axes=1)([weights, x])")) == []
    assert found(code.format("out = layers.Dot(axes=(1, 1))([weights, x])")) == []
    assert found(code.format("out = keras.ops.matmul(weights, x)"))[0][0] == "ATN202"
