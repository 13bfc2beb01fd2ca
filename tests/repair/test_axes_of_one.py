"""Fixes that put in an axis of 1, or keep one: joins, vectors of a batch, places of a sequence."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings


def fixes(code):
    """(code, fixed line) of every finding."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.fix and each.fix.line) for each in findings]


JOINED = """
import torch

def step(context, word):
    return torch.cat((context, word), -1)

step(torch.zeros(3, 5), torch.zeros(3, 1, 4))
"""


def test_a_tensor_without_the_axis_of_what_it_is_joined_with():
    fix = "return torch.cat((context.unsqueeze(1), word), -1)"
    assert fixes(JOINED) == [("ATN106", fix)]


NUMPY = """
import numpy as np

def step(context, word):
    return np.concatenate([context, word], axis=-1)

step(np.zeros((3, 5)), np.zeros((3, 1, 4)))
"""


def test_an_axis_for_arrays():
    fix = "return np.concatenate([context[:, None, :], word], axis=-1)"
    assert fixes(NUMPY) == [("ATN106", fix)]


VECTORS = """
import {library}

def scores(H, q):
    return {product}

scores({library}.ones({open}3, 7, 4{close}), {library}.ones({open}3, 4{close}))
"""


@pytest.mark.parametrize(
    ("library", "product", "fix"),
    [
        ("numpy", "H @ q", "return (H @ q[:, :, None])[..., 0]"),
        ("torch", "H @ q", "return (H @ q.unsqueeze(2)).squeeze(-1)"),
        ("torch", "torch.matmul(H, q)", "return torch.matmul(H, q.unsqueeze(2)).squeeze(-1)"),
    ],
)
def test_a_vector_for_each_matrix_of_a_batch(library, product, fix):
    brackets = {"open": "(", "close": ")"} if library == "numpy" else {"open": "", "close": ""}
    code = VECTORS.format(library=library, product=product, **brackets)
    assert [each for _, each in fixes(code)] == [fix]


LAST = """
import torch
from torch import nn

class Reader(nn.Module):
    def __init__(self, words, d, h):
        super().__init__()
        self.embed, self.rnn = nn.Embedding(words, d), nn.GRU(d, h, batch_first=True)

    def forward(self, tokens):
        states, _ = self.rnn(self.embed(tokens))
        return {used}

Reader(9, 4, 5)(torch.zeros(3, 7).long())
"""


@pytest.mark.parametrize(
    ("used", "fix"),
    [
        ("(states * states[-1]).sum(-1)", "return (states * states[:, -1:]).sum(-1)"),
        ("states[-1] @ torch.ones(5, 2)", "return states[:, -1] @ torch.ones(5, 2)"),
    ],
)
def test_the_last_place_beside_the_whole_sequence_stays_an_axis(used, fix):
    assert fixes(LAST.format(used=used)) == [("ATN305", fix)]


SOFTMAX = """
from keras import Input, layers

states = layers.LSTM(8, return_sequences=True)(Input((20, 4)))
steps = layers.LSTM(8, return_sequences=True)(Input((12, 4)))
scores = layers.Dot(axes=[2, 2])([states, steps])
weights = layers.Activation("softmax", name="weights")(scores)
context = layers.Dot(axes=[1, 1])([weights, states])
"""


def test_an_activation_becomes_a_layer_that_takes_an_axis():
    fix = 'weights = layers.Softmax(axis=1, name="weights")(scores)'
    assert fixes(SOFTMAX) == [("ATN301", fix)]
