"""ATN201 before the last axes: a mask with an axis more than the scores makes a table of them."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """\
import torch


def weights(query, keys, lengths):
    N, T, d = keys.shape
    keep = (torch.arange(T) < lengths[:, None]){axis}
    scores = torch.einsum("nd,ntd->nt", query, keys)
    scores = {masked}
    return torch.softmax(scores, dim=-1)


weights(torch.ones(3, 4), torch.ones(3, 5, 4), torch.tensor([1, 2, 3]))
"""


def found(axis, masked):
    """(code, expected shape, fix) of every finding."""
    code = HEAD.format(axis=axis, masked=masked)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.expected and each.expected.shape, each.fix and each.fix.line)
        for each in findings
    ]


@pytest.mark.parametrize(
    ("masked", "fixed"),
    [
        ("torch.where(keep, scores, -1e9)", "torch.where(keep, scores.unsqueeze(1), -1e9)"),
        ("scores.masked_fill(~keep, -1e9)", "scores.unsqueeze(1).masked_fill(~keep, -1e9)"),
    ],
)
def test_a_mask_makes_a_table_of_scores(masked, fixed):
    assert found(".unsqueeze(1)", masked) == [("ATN201", ("B", "T_enc"), f"scores = {fixed}")]


@pytest.mark.parametrize(
    ("axis", "masked"),
    [
        ("", "torch.where(keep, scores, -1e9)"),
        ("", "scores.masked_fill(~keep, -1e9)"),
        (".unsqueeze(1)", "torch.where(keep, scores.unsqueeze(1), -1e9)"),
        (".unsqueeze(0)", "torch.where(keep, scores.unsqueeze(0), -1e9)"),
    ],
)
def test_a_mask_of_the_same_axes_does_not(axis, masked):
    assert found(axis, masked) == []


HEADS = """\
import torch


def attend(x, times):
    B, T, d = x.shape
    query = x.unsqueeze(1)
    scores = query @ query.transpose(-1, -2)
    bias = torch.zeros(B, T, T)
    return (scores + {bias}).softmax(-1) @ query
"""


@pytest.mark.parametrize(
    ("bias", "expected"),
    [
        ("bias", [("ATN201", "return (scores + bias.unsqueeze(1)).softmax(-1) @ query")]),
        ("bias.unsqueeze(1)", []),
        ("bias[0]", []),
        ("torch.zeros(T, T)", []),
        ("torch.zeros(times, 1, T, T)", []),
    ],
)
def test_scores_with_one_axis_for_all_heads(bias, expected):
    code = HEADS.format(bias=bias)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert [(each.code, each.fix and each.fix.line) for each in findings] == expected
