"""ATN202: squared lengths that are added to themselves, where each is to meet each other."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

NUMPY = """import numpy as np
def distances(x):
    N, d = x.shape
    sq = {}
    return {}
"""
TORCH = """import torch
def distances(x):
    N, d = x.shape
    sq = {}
    return {}
"""


def found(code):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(f.code, f.line, f.fix and f.fix.line) for f in findings if f.severity != "note"]


TABLE = "sq[:, None] + sq[None, :]"


@pytest.mark.parametrize(
    ("code", "lengths"),
    [
        (NUMPY, "(x ** 2).sum(axis=-1)"),
        (NUMPY, "np.sum(x * x, axis=1)"),
        (TORCH, "x.pow(2).sum(-1)"),
        (TORCH, "torch.sum(x ** 2, dim=1)"),
    ],
)
@pytest.mark.parametrize(
    "product", ["2 * x @ x.T", "2 * (x @ x.T)", "2.0 * {}.einsum('id,jd->ij', x, x)"]
)
def test_lengths_in_every_row(code, lengths, product):
    product = product.format("np" if code is NUMPY else "torch")
    assert found(code.format(lengths, f"sq + sq - {product}")) == [
        ("ATN202", 5, f"return {TABLE} - {product}")
    ]
    assert found(code.format(lengths, f"{TABLE} - {product}")) == []


def test_of_columns():
    code = NUMPY.format("(x ** 2).sum(axis=1, keepdims=True)", "sq + sq - 2 * x @ x.T")
    assert [each[:2] for each in found(code)] == [("ATN202", 5)]
    assert found(code.replace("sq + sq -", "sq + sq.T -")) == []


@pytest.mark.parametrize(
    "result",
    [
        "sq[:, None] + sq - 2 * x @ x.T",
        "2 * sq - x @ x.T",
        "sq + sq",
        "sq + sq - 2 * np.diag(x @ x.T)",
        "sq + sq - 2 * (x * np.roll(x, 1, 0)).sum(-1)",
    ],
)
def test_what_may_be_meant(result):
    assert found(NUMPY.format("(x ** 2).sum(axis=-1)", result)) == []
