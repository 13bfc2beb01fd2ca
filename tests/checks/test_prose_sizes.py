"""Sizes that only prose tells apart: two names of one tensor, and the constructor's own names."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings


def found(code):
    """(code, fix) of every error and warning."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(f.code, f.fix and f.fix.line) for f in findings if f.severity != "note"]


PROJECTED = '''import numpy as np
def score(H, s, W, U, v):
    """
    H : ndarray, shape (T, m)
    s : ndarray, shape (n,)
    W : ndarray, shape (d_a, n)
    U : ndarray, shape {shape}
    v : ndarray, shape (d_a,)
    """
    energy = np.tanh(W @ s + {product}) @ v
    weights = np.exp(energy - energy.max())
    return weights / weights.sum() @ H
{demo}'''
DEMO = "score(np.ones((5, 4)), np.ones(4), np.ones((4, 4)), np.ones((4, 4)), np.ones(4))\n"


@pytest.mark.parametrize("demo", ["", DEMO])
def test_a_tensor_whose_axes_have_two_names_in_prose_is_not_square(demo):
    turned = "energy = np.tanh(W @ s + H @ U.T) @ v"
    wrong = PROJECTED.format(shape="(d_a, m)", product="H @ U", demo=demo)
    assert found(wrong) == [("ATN102", turned)]


@pytest.mark.parametrize(
    ("shape", "product"), [("(d_a, m)", "H @ U.T"), ("(m, d_a)", "H @ U"), ("(m, m)", "H @ U")]
)
def test_a_tensor_that_stands_as_prose_says(shape, product):
    assert found(PROJECTED.format(shape=shape, product=product, demo="")) == []


DECODER = """import torch
from torch import nn
class Decoder(nn.Module):
    def __init__(self, n_out, enc_hid, dec_hid):
        super().__init__()
        self.out = nn.Linear({made}, n_out)
    def forward(self, hidden, outputs):
        # hidden = [batch size, dec hid]
        # outputs = [batch size, {claim}]
        return self.out(torch.cat((hidden, outputs), dim=1))
"""


def test_prose_means_the_arguments_of_the_constructor():
    wrong = DECODER.format(made="enc_hid + dec_hid", claim="enc hid * 2")
    fix = "self.out = nn.Linear(2 * enc_hid + dec_hid, n_out)"
    assert found(wrong) == [("ATN103", fix)]


@pytest.mark.parametrize(
    ("made", "claim"),
    [
        ("enc_hid * 2 + dec_hid", "enc hid * 2"),
        ("enc_hid + dec_hid", "enc hid"),
        ("enc_hid + dec_hid", "other hid * 2"),
        ("enc_hid + n_out", "enc hid"),
    ],
)
def test_prose_that_the_constructor_goes_with_or_says_nothing_of(made, claim):
    assert found(DECODER.format(made=made, claim=claim)) == []
