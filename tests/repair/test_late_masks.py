"""Fixes of ATN503 where softmax stands on an earlier line: what they say and what they compute."""

import numpy as np
import pytest
import torch

from attncheck.edits import apply_edits
from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = """\
import torch
import torch.nn.functional as F
def attend(q, k, v, lengths):
    B, T, d = q.shape
    B, S, d = k.shape
    keep = torch.arange(S)[None, :] < lengths[:, None]
    scores = q @ k.transpose(1, 2)
    {}
    return w @ v
torch.manual_seed(0)
q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
lengths = torch.tensor([5, 2])
y = attend(q, k, v, lengths)
"""
HIDDEN = 'scores.masked_fill(~keep[:, None], float("-inf"))'
SOFTMAX = "w = scores.softmax(-1)"
AGAIN = f"w = {HIDDEN}.softmax(-1)"
#: what stands between the scores and the sum; the line that is corrected, from 8; and how
FIXES = [
    ((SOFTMAX, "w = w * keep[:, None]"), 9, AGAIN),
    ((SOFTMAX, "w *= keep[:, None]"), 9, AGAIN),
    ((SOFTMAX, "w = torch.mul(w, keep[:, None])"), 9, AGAIN),
    ((SOFTMAX, "w = w.masked_fill(~keep[:, None], 0.0)"), 9, AGAIN),
    ((SOFTMAX, "w = torch.where(keep[:, None], w, 0.0)"), 9, AGAIN),
    (
        ("a = F.softmax(scores, dim=2)", "mask = keep[:, None].float()", "w = a * mask"),
        10,
        'w = F.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=2)',
    ),
    ((SOFTMAX, "if B > 1:", "    w = w * keep[:, None]"), 10, AGAIN),
    (
        ("w = F.dropout(scores.softmax(-1), 0.0)", "w = w * keep[:, None]"),
        9,
        f"w = F.dropout({HIDDEN}.softmax(-1), 0.0)",
    ),
    # The scores are gone: they can only be masked where softmax is called.
    (
        ("w = scores", "w = w.softmax(-1)", "w = w * keep[:, None]"),
        9,
        f"w = {HIDDEN.replace('scores', 'w')}.softmax(-1)",
    ),
    ((SOFTMAX, "scores = scores.detach()", "w = w * keep[:, None]"), 8, AGAIN),
    # What was done to the weights since would be lost.
    ((SOFTMAX, "w = F.dropout(w, 0.0)", "w = w * keep[:, None]"), 8, AGAIN),
]
NO_FIXES = [
    # Neither the scores at the mask are those of before, nor the mask at softmax is there.
    (SOFTMAX, "scores = scores * 2", "mask = keep[:, None]", "w = w * mask"),
    ("w = scores", "w = w.softmax(-1)", "mask = keep[:, None]", "w = w * mask"),
    ("w = scores", "w = w.softmax(-1)", "if B > 1:", "    w = w * keep[:, None]"),
    (SOFTMAX, "w = F.dropout(w, 0.1)", "if B > 1:", "    w = w * keep[:, None]"),
    # The loop's second run has weights that are masked already, and no softmax before them.
    (SOFTMAX, "for _ in range(2):", "    w = w * keep[:, None]"),
]


def late_masks(code):
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [each for each in findings if each.code == "ATN503"]


def run(code, edits=()):
    scope = {}
    exec(apply_edits(code.encode(), edits).decode(), scope)
    return scope


@pytest.mark.parametrize(("lines", "number", "line"), FIXES)
def test_softmax_of_an_earlier_line(lines, number, line):
    code = TORCH.format("\n    ".join(lines))
    (finding,) = late_masks(code)
    assert finding.fix.line == line
    assert [edit.span.line for edit in finding.fix.edits] == [number]
    before, after = run(code), run(code, finding.fix.edits)
    keep = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]]).bool()[:, None]
    scores = after["q"] @ after["k"].transpose(1, 2)
    wanted = scores.masked_fill(~keep, float("-inf")).softmax(-1) @ after["v"]
    assert torch.allclose(after["y"], wanted, atol=1e-6)
    assert not torch.allclose(before["y"], wanted, atol=1e-2)


@pytest.mark.parametrize("lines", NO_FIXES)
def test_where_it_is_not_what_it_was(lines):
    code = TORCH.format("\n    ".join(lines))
    assert [finding.fix for finding in late_masks(code)] == [None]


NUMPY = """\
import numpy as np
def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
def attend(q, k, v, mask):
    scores = q @ k.T
    weights = softmax(scores, axis=-1)
    weights = {}
    return weights @ v
rng = np.random.default_rng(0)
q, k, v = rng.standard_normal((3, 4)), rng.standard_normal((5, 4)), rng.standard_normal((5, 6))
mask = np.arange(5)[None, :] <= np.arange(3)[:, None]
y = attend(q, k, v, mask)
"""


@pytest.mark.parametrize("masked", ["weights * mask", "np.where(mask, weights, 0)"])
def test_a_helper_of_an_earlier_line(masked):
    code = NUMPY.format(masked)
    (finding,) = late_masks(code)
    assert finding.fix.line == "weights = softmax(np.where(mask, scores, -1e9), axis=-1)"
    after = run(code, finding.fix.edits)
    weights = after["softmax"](np.where(after["mask"], after["q"] @ after["k"].T, -np.inf))
    assert np.allclose(after["y"], weights @ after["v"])
    assert not np.allclose(run(code)["y"], weights @ after["v"])
