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


GRAPH = """\
import torch


def attend(x, w, adjacency):
    N, d = x.shape
    h = x @ w
    left, right = h @ torch.ones(h.shape[1], 1), h @ torch.ones(h.shape[1], 1)
    scores = {scores}
    scores = {masked}
    return torch.softmax(scores, dim={axis}) @ h


attend(torch.ones(6, 4), torch.ones(4, 3), torch.ones(6, 6))
"""
FILLED = "scores.masked_fill(adjacency == 0, -1e9)"
CHOSEN = "torch.where(adjacency > 0, scores, -1e9)"


def in_graph(scores, masked, axis):
    """(code, line, fix) of every finding."""
    code = GRAPH.format(scores=scores, masked=masked, axis=axis)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.span.line, each.fix) for each in findings]


@pytest.mark.parametrize("masked", [FILLED, CHOSEN])
def test_one_score_for_each_query_that_the_mask_spreads(masked):
    assert in_graph("left + right", masked, -1) == [("ATN201", 9, None)]


@pytest.mark.parametrize(
    "scores", ["left + right.T", "left + right.transpose(0, 1)", "left.t() + right", "right.T"]
)
def test_every_node_with_every_other(scores):
    assert in_graph(scores, FILLED, -1) == []
