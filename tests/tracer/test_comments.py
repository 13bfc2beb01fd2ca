"""End-of-line comments give a shape to what has none otherwise, and to nothing else."""

import pytest

from attncheck.engine import check_source, trace_shapes
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\nfrom elsewhere import encode\n"


def shapes(code):
    """The shapes of a program's sites, by name, the last of each name."""
    rows = trace_shapes((HEAD + code).encode(), "x.py", Settings())
    return {row.name: row.shape for row in rows}


def codes(code):
    return [each.code for each in check_source((HEAD + code).encode(), "x.py", Settings()).findings]


def test_what_an_unknown_call_gives():
    made = shapes("def f(x):\n    y = encode(x)  # (B, T, 8)\n    z = y.transpose(1, 2)\n")
    assert [str(size) for size in made["y"]] == ["B", "T", "8"]
    assert [str(size) for size in made["z"]] == ["B", "8", "T"]


@pytest.mark.parametrize(
    "line",
    [
        "y, z = encode(x)  # (B, T, 8)",
        "y = encode(x)  # z: (B, T, 8)",
        "y = encode(x)  # what (B, T) are",
        "y.z = encode(x)  # (B, T, 8)",
    ],
)
def test_claims_that_are_about_something_else(line):
    assert shapes(f"def f(x, y):\n    {line}\n    return y\n")["y"] is None


def test_what_is_known_is_known():
    made = shapes("def f():\n    y = torch.zeros(2, 3)  # (B, T, 8)\n    return y\n")
    assert [str(size) for size in made["y"]] == ["2", "3"]


LOCATION = """
class Location(nn.Module):
    def __init__(self, d, channels, kernel):
        super().__init__()
        self.conv = nn.Conv1d(2, channels, kernel, padding=kernel // 2)
        self.project = nn.Linear(channels, d)

    def forward(self, last, total):
        history = torch.stack([last, total], dim=1)  # [B, 2, T]
        return self.project(self.conv(history){turned})
"""


@pytest.mark.parametrize(("turned", "expected"), [("", ["ATN103"]), (".transpose(1, 2)", [])])
def test_channels_of_a_convolution_before_its_positions(turned, expected):
    assert codes(LOCATION.format(turned=turned)) == expected


def test_a_claim_is_not_weighed_against_another_one():
    code = """
def f(x, n):
    a = encode(x)  # (r, d + 1)
    b = torch.zeros(n, a.shape[1])
    c = b  # (n, d)
    return c
"""
    assert codes(code) == []
