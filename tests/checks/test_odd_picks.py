"""ATN305: places that the code around shows to be taken from another axis."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """import torch
from torch import nn
class Model(nn.Module):
    def __init__(self, d, c, pool="mean"):
        super().__init__()
        self.embed = nn.Linear(3, d)
        self.pool = pool
        self.head = nn.Linear(d, c)
    def forward(self, x, flag):
        batch_size, n, _ = x.shape
        h = self.embed(x)
"""


def found(*lines):
    """(line counted from those given, fix) of every finding of the rule."""
    code = HEAD + "".join(f"        {line}\n" for line in lines)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert {each.code for each in findings} <= {"ATN305"}
    return [(each.line - HEAD.count("\n"), each.fix and each.fix.line) for each in findings]


MEAN = "y = h.mean(dim=1) if self.pool == 'mean' else {}"


@pytest.mark.parametrize(("wrong", "right"), [("h[0, :]", "h[:, 0]"), ("h[-1, :]", "h[:, -1]")])
def test_another_axis_than_the_mean_of_the_other_branch(wrong, right):
    assert found(MEAN.format(wrong), "return y * 2") == [(1, MEAN.format(right))]
    assert found(MEAN.format(right), "return y * 2") == []


def test_branches_on_lines_of_their_own():
    lines = ["if flag:", "    y = h.mean(1)", "else:", "    y = h[0, :]", "return self.head(y)"]
    assert [line for line, _ in found(*lines)] == [4]


@pytest.mark.parametrize(
    "line",
    [
        "y = h.mean(dim=1, keepdim=True) if flag else h[:1, :]",
        "y = h.sum(dim=1) if flag else h[:, 0]",
        "y = h.mean(dim=1) if flag else torch.zeros(3, 4)[0, :]",
        "y = h.mean(dim=-2) if flag else h[:, 0, :]",
    ],
)
def test_branches_that_agree_or_are_of_something_else(line):
    assert found(line, "return y * 2") == []


def test_one_sequence_of_the_batch_in_a_layer():
    assert found("return self.head(h[0, :])") == [(1, "return self.head(h[:, 0])")]
    assert found("first = h[0, :]", "return self.head(first)") == [(1, "first = h[:, 0]")]


@pytest.mark.parametrize(
    "line",
    [
        "return self.head(h[:, 0])",
        "return self.head(h[0])",
        "return h[0, :]",
        "return self.head(h.transpose(0, 1)[0, :])",
        "return self.head(h[0, 0])",
        "return self.head(h.mean(1)[0, :])",
    ],
)
def test_places_that_may_be_meant(line):
    assert found(line) == []


PAIRS = [
    ("key = cache[:, 0, ...]", "value = cache[1, :, ...]"),
    ("key = cache[0, :]", "value = cache[:, 1]"),
]


@pytest.mark.parametrize("lines", PAIRS)
def test_neighbours_along_two_axes(lines):
    assert [line for line, _ in found("cache = flag + 1", *lines, "return key, value")] == [3]


@pytest.mark.parametrize(
    "lines",
    [
        ("key = cache[:, 0, ...]", "value = cache[:, 1, ...]"),
        ("row = cache[0, :]", "column = cache[:, 0]"),
        ("top = cache[0, :]", "right = cache[:, -1]"),
        ("row = cache[0, :]", "more = flag * 2", "third = row * more", "column = cache[:, 1]"),
        ("row = cache[0, :]", "column = (cache + 1)[:, 1]"),
    ],
)
def test_neighbours_that_are_none(lines):
    assert found("cache = flag + 1", *lines, "return cache") == []
