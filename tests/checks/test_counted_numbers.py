"""Numbers that a module is made with: how long and how wide are never one number by right."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

PROJECTED = """
import torch
from torch import nn


class Projected(nn.Module):
    def __init__(self, {width}, {length}, rank):
        super().__init__()
        self.to_k = nn.Linear({width}, {width})
        self.project = nn.Parameter(torch.randn({length}, rank))

    def forward(self, x):
        b, n, d = x.shape
        k = self.to_k(x)
        return {used}
"""


def findings(text):
    found = check_source(text.encode(), "projected.py", Settings()).findings
    return [(each.code, each.line) for each in found if each.severity != "note"]


@pytest.mark.parametrize(
    ("width", "length"),
    [("dim", "seq_len"), ("embed_dim", "max_len"), ("hidden_size", "n_patches")],
)
def test_features_contracted_with_positions(width, length):
    text = PROJECTED.format(width=width, length=length, used="k @ self.project")
    assert findings(text) == [("ATN101", 15)]


@pytest.mark.parametrize(
    ("width", "length", "used"),
    [
        ("dim", "seq_len", "k.transpose(1, 2) @ self.project"),
        ("dim", "seq_len", "self.project.t() @ k"),
        # a name that does not say what it counts, or another number of the same kind
        ("dim", "size", "k @ self.project"),
        ("dim", "hidden_dim", "k @ self.project"),
        ("width", "seq_len", "k @ self.project"),
    ],
)
def test_what_may_be_one_number(width, length, used):
    assert findings(PROJECTED.format(width=width, length=length, used=used)) == []


@pytest.mark.parametrize(
    "body",
    [
        # an axis that is called so is as long as it is
        "seq_len = x.shape[-1]\n    return x @ torch.ones(seq_len, dim)",
        "return torch.softmax(x, dim) * (x.shape[dim] == 1)",
    ],
)
def test_variables_are_no_numbers_that_something_is_made_with(body):
    text = f"import torch\nfrom torch import nn\n\n\ndef f(x, dim):\n    {body}\n"
    assert findings(text) == []
