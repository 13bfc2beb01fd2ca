"""Heads that do not make up the width, where a -1 seems to take what is left."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """\
from torch import nn


class Heads(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.d_model, self.n_heads = d_model, n_heads
        self.d_k = {each}
        self.query = nn.Linear(d_model, d_model)

    def split(self, x):
        return x.view({sizes}).transpose(1, 2)

    def forward(self, x):
        {first}
        return self.split(self.query(x))
"""
KNOWN = "b, t, _ = x.shape"


def findings(each, sizes="x.size(0), -1, self.n_heads, self.d_k", first=KNOWN):
    code = CODE.format(each=each, sizes=sizes, first=first)
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("sizes", "code"),
    [
        ("x.size(0), -1, self.n_heads, self.d_k", "ATN108"),
        ("-1, x.size(1), self.n_heads, self.d_k", "ATN105"),
    ],
)
def test_one_more_for_each_head_is_too_much(sizes, code):
    (finding,) = findings("d_model // n_heads + 1", sizes)
    assert (finding.code, finding.line) == (code, 12)


def test_the_size_of_each_head_is_written_anew():
    (finding,) = findings("d_model // n_heads + 1")
    assert "self.d_model//self.n_heads" in finding.fix.line.replace(" // ", "//")


def test_twice_as_many_heads_are_too_many():
    sizes = "x.size(0), -1, self.n_heads * 2, self.d_k"
    assert [each.code for each in findings("d_model // n_heads", sizes)] == ["ATN108"]


def test_the_rank_need_not_be_known():
    (finding,) = findings("d_model // n_heads + 1", first="")
    assert finding.line == 12


@pytest.mark.parametrize(
    ("each", "sizes"),
    [
        ("d_model // n_heads", "x.size(0), -1, self.n_heads, self.d_k"),
        # Two positions side by side are twice as wide.
        ("d_model // n_heads", "x.size(0), -1, 2 * self.d_model"),
        ("d_model", "x.size(0), -1, 2, self.d_k // 2"),
        ("d_model // n_heads", "x.size(0), x.size(1), -1, self.d_k"),
    ],
)
def test_what_adds_up_is_left_alone(each, sizes):
    assert findings(each, sizes) == ()
