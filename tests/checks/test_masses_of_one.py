"""ATN301: soft assignments normalised over what is assigned, whose masses are all 1."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = """import torch
from torch import nn
class NetVLAD(nn.Module):
    def __init__(self, d, K):
        super().__init__()
        self.assign = nn.Linear(d, K)
        self.centers = nn.Parameter(torch.rand(K, d))
    def forward(self, x):
        B, N, d = x.shape
        a = {}
        first = torch.einsum("bnk,bnd->bkd", a, x)
        mass = {}
        {}
        return vlad
"""
VLAD = "vlad = first - mass.unsqueeze(-1) * self.centers"


def found(assign, mass="a.sum(dim=1)", vlad=VLAD):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(TORCH.format(assign, mass, vlad).encode(), "x.py", Settings()).findings
    return [(f.code, f.line, f.fix and f.fix.line) for f in findings if f.severity != "note"]


@pytest.mark.parametrize(
    ("assign", "fixed"),
    [
        ("torch.softmax(self.assign(x), dim=1)", "torch.softmax(self.assign(x), dim=-1)"),
        ("self.assign(x).softmax(1)", "self.assign(x).softmax(-1)"),
    ],
)
@pytest.mark.parametrize(
    ("mass", "vlad"),
    [
        ("a.sum(dim=1)", VLAD),
        ("a.sum(dim=1)[..., None]", "vlad = first - self.centers * mass"),
        ("torch.sum(a, 1)", "vlad = first - self.centers * mass[:, :, None]"),
    ],
)
def test_masses_that_are_one(assign, fixed, mass, vlad):
    assert found(assign, mass, vlad) == [("ATN301", 10, f"a = {fixed}")]
    assert found(fixed, mass, vlad) == []


@pytest.mark.parametrize(
    "vlad",
    [
        # Divided by, checked, or multiplied with what is no cluster of its own.
        "vlad = first / mass.unsqueeze(-1)",
        "assert (mass > 0.99).all(); vlad = first - mass.unsqueeze(-1) * self.centers",
        "vlad = first * mass.unsqueeze(-1)",
        "vlad = first, mass",
    ],
)
def test_what_is_left_alone(vlad):
    assert found("torch.softmax(self.assign(x), dim=1)", vlad=vlad) == []


def test_masses_after_a_mask():
    code = "torch.softmax(self.assign(x), dim=1) * (x.sum(-1, keepdim=True) > 0)"
    assert [each for each in found(code) if each[0] == "ATN301"] == []
