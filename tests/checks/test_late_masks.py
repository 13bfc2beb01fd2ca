"""ATN503: which masks on weights are reported, which are made up for, and how they are moved."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = """import torch
import torch.nn.functional as F
def f(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, lengths: torch.Tensor):
    B, T, d = q.shape
    B, S, d = k.shape
    B, S, e = v.shape
    (B,) = lengths.shape
    keep = torch.arange(S)[None, :] < lengths[:, None]
    scores = q @ k.transpose(1, 2)
"""
NUMPY = """import numpy as np
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
def attend(q, k, v, mask):
    scores = np.einsum("bd,btd->bt", q, k)
    w = softmax(scores) * mask
    return np.einsum("bt,btd->bd", w, v)
"""
ARRAYS = "q, k, v = np.ones((2, 4)), np.ones((2, 5, 4)), np.ones((2, 5, 6))\n"


def found(code):
    """(line, fix) of every finding of the rule; others are of unused arguments only."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert {each.code for each in findings} <= {"ATN503", "ATN505"}
    return [(each.line, each.fix and each.fix.line) for each in findings if each.code == "ATN503"]


def weights(*lines, result="w @ v"):
    return found(TORCH + "".join(f"    {line}\n" for line in (*lines, f"return {result}")))


FILLED = 'scores.masked_fill({}, float("-inf"))'
MASKS = [
    ("keep[:, None, :]", "~keep[:, None, :]"),
    ("keep[:, None, :].float()", "~keep[:, None, :]"),
    ("keep.float()[:, None, :]", "keep.float()[:, None, :] == 0"),
    ("keep.unsqueeze(1).to(scores.dtype)", "~keep.unsqueeze(1)"),
    ("(keep & (lengths > 1)[:, None])[:, None]", "~(keep & (lengths > 1)[:, None])[:, None]"),
    ("(~keep.logical_not())[:, None]", "~(~keep.logical_not())[:, None]"),
    ("torch.tril(torch.ones(T, S))", "torch.tril(torch.ones(T, S)) == 0"),
]


@pytest.mark.parametrize(("mask", "hidden"), MASKS)
def test_masks(mask, hidden):
    line = f"w = torch.softmax({FILLED.format(hidden)}, dim=-1)"
    assert weights(f"w = torch.softmax(scores, dim=-1) * {mask}") == [(10, line)]


@pytest.mark.parametrize(
    ("written", "fixed"),
    [
        ("F.softmax(scores, -1) * {}", "F.softmax({}, -1)"),
        ("scores.softmax(-1) * {}", "{}.softmax(-1)"),
        ("{} * scores.softmax(dim=2)", "{}.softmax(dim=2)"),
    ],
)
def test_ways_to_call_softmax(written, fixed):
    mask, hidden = MASKS[0]
    line = f"w = {fixed.format(FILLED.format(hidden))}"
    assert weights(f"w = {written.format(mask)}") == [(10, line)]


MADE_UP_FOR = [
    ("w = w / w.sum(-1, keepdim=True)",),
    ("w = w / (w.sum(-1, keepdim=True) + 1e-9)",),
    ("w = w / w.sum(-1, keepdim=True).clamp(min=1e-9)",),
    ("total = w.sum(-1)", "w = w / total.unsqueeze(-1)"),
    ("w = w * w.sum(-1, keepdim=True).reciprocal()",),
    ("w = F.normalize(w, p=1, dim=-1)",),
]


@pytest.mark.parametrize("lines", MADE_UP_FOR)
def test_made_up_for(lines):
    assert weights("w = scores.softmax(-1) * keep[:, None]", *lines) == []


def test_the_sum_is_divided_instead():
    first = "w = scores.softmax(-1) * keep[:, None]"
    assert weights(first, result="(w @ v) / w.sum(-1, keepdim=True)") == []


NO_MASKS = [
    "(torch.arange(T)[None, :] < lengths[:, None])[:, :, None]",  # whole rows of queries
    "(torch.rand(B, T, S) > 0.1)",
    "(torch.rand_like(scores) > 0.1).float() / 0.9",
    "torch.bernoulli(torch.full((B, T, S), 0.9))",
    "torch.randn(B, T, S)",
    "(keep[:, None] * torch.ones(B, 1, S))",
    "(scores > 0)",
    "2.0",
]


@pytest.mark.parametrize("factor", NO_MASKS)
def test_what_is_no_mask_over_the_keys(factor):
    assert weights(f"w = scores.softmax(-1) * {factor}") == []


MASKED_BEFORE = [
    "scores = scores.masked_fill(~keep[:, None], -1e9)",
    "scores = torch.where(keep[:, None], scores, -1e9)",
    "scores = scores - 1e9 * (1 - keep[:, None].float())",
    "scores = scores + (~keep)[:, None] * -1e9",
    "scores[~keep[:, None].expand(B, T, S)] = -1e9",
]


@pytest.mark.parametrize("line", MASKED_BEFORE)
def test_scores_that_were_masked_before(line):
    assert weights(line, "w = scores.softmax(-1) * keep[:, None]") == []


def test_weights_that_meet_no_values():
    assert weights("w = scores.softmax(-1) * keep[:, None]", result="w") == []


@pytest.mark.parametrize(
    ("mask", "condition"),
    [
        ("np.arange(5)[None] < np.array([5, 2])[:, None]", "mask"),
        ("(np.arange(5)[None] < np.array([5, 2])[:, None]).astype(float)", "mask > 0"),
        ("np.array([[True] * 5, [True, True, False, False, False]])", "mask"),
    ],
)
def test_a_mask_from_the_call(mask, condition):
    fixed = f"w = softmax(np.where({condition}, scores, -1e9))"
    assert found(f"{NUMPY}{ARRAYS}attend(q, k, v, {mask})\n") == [(7, fixed)]


def test_numbers_from_the_call_are_no_mask():
    assert found(f"{NUMPY}{ARRAYS}attend(q, k, v, np.ones((2, 5)))\n") == []


FILLS = [
    "w = torch.softmax(scores, dim=-1).masked_fill(~keep[:, None, :], 0)",
    "w = torch.where(keep[:, None, :], torch.softmax(scores, dim=-1), 0.0)",
    "w = torch.softmax(scores, dim=-1).masked_fill(~keep[:, None, :], 0.0).clone()",
]


@pytest.mark.parametrize("line", FILLS)
def test_weights_filled_with_0(line):
    assert [where for where, _ in weights(line)] == [10]


LEFT = [
    # rows of padded queries, and what may be
    "w = torch.softmax(scores, dim=-1).masked_fill((lengths > 1)[:, None, None], 0)",
    # dropout
    "w = torch.softmax(scores, dim=-1)\n    w = w.masked_fill(torch.rand(B, T, S) < 0.1, 0)",
    # found by looking at the weights
    "w = torch.softmax(scores, dim=-1)\n    w = w.masked_fill(w < 0.01, 0)",
    # not 0
    "w = torch.softmax(scores, dim=-1).masked_fill(~keep[:, None, :], 1e-9)",
    # masked before: rows without any key are not left to be NaN
    f"w = torch.softmax({FILLED.format('~keep[:, None, :]')}, -1).masked_fill(~keep[:, None], 0)",
    # divided by what is left
    "w = torch.softmax(scores, dim=-1).masked_fill(~keep[:, None], 0)"
    "\n    w = w / w.sum(-1, keepdim=True)",
]


@pytest.mark.parametrize("line", LEFT)
def test_fills_that_are_left_alone(line):
    assert weights(line) == []


def test_a_mask_that_comes_in_is_told_by_its_name():
    code = """import torch
def attend(q, k, v, {name}):
    scores = torch.einsum("bqd,bkd->bqk", q, k)
    w = scores.softmax(-1).masked_fill({name}, 0.0)
    return w @ v
"""
    findings = check_source(code.replace("{name}", "mask").encode(), "x.py", Settings()).findings
    assert [(each.code, each.line, each.severity) for each in findings] == [
        ("ATN503", 4, "warning")
    ]
    assert found(code.replace("{name}", "rows")) == []


@pytest.mark.parametrize("mask", ["mask", "~mask", "mask == 1", "self_mask[:, None] > 0"])
def test_weights_masked_where_there_is_a_mask(mask):
    name = mask.strip("~").split("[")[0].split(" ")[0]
    code = f"""import torch
def attend(q, k, v, {name}=None):
    scores = torch.einsum("bqd,bkd->bqk", q, k)
    plain = scores.softmax(-1)
    w = scores.softmax(-1).masked_fill({mask}, 0.0) if {name} is not None else plain
    return w @ v
"""
    assert [line for line, _ in found(code)] == [5]


def test_weights_of_either_softmax_are_summed_over_the_keys():
    code = """import torch
def attend(q, k, v, mask=None):
    B, T, d = q.shape
    B, S, d = k.shape
    scores = q @ k.transpose(1, 2)
    w = scores.softmax(1) if mask is None else (scores + mask).softmax(1)
    return w @ v
"""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert {each.code for each in findings} == {"ATN301"}


POINTER = """import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.proj = nn.Linear(d, d)
        self.v = nn.Linear(d, 1, bias=False)

    def forward(self, s, outputs, features, {name}, coverage):
        b, t_k, n = list(outputs.size())
        spread = self.proj(s).unsqueeze(1).expand(b, t_k, n).contiguous().view(-1, n)
        scores = self.v(torch.tanh(features + spread)).view(-1, t_k)
        weights = F.softmax(scores, dim=1) * {name}{then}
        context = torch.bmm(weights.unsqueeze(1), outputs).view(-1, n)
        return context, weights, coverage + weights
"""
AGAIN = "\n        weights = weights / weights.sum(1, keepdim=True)"


@pytest.mark.parametrize(
    ("name", "then", "count"),
    [("enc_padding_mask", "", 1), ("enc_padding_mask", AGAIN, 0), ("decay", "", 0)],
)
def test_a_mask_of_unseen_shape_on_the_weights_of_one_query(name, then, count):
    code = POINTER.format(name=name, then=then).encode()
    findings = check_source(code, "x.py", Settings()).findings
    assert [(each.code, each.severity) for each in findings] == [("ATN503", "warning")] * count
