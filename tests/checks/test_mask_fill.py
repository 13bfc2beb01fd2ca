"""ATN504: which masks leave hidden scores with weight, which do not, and how they are hidden."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = """import torch
import torch.nn.functional as F
def f(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, lengths: torch.Tensor, mask=None):
    B, T, d = q.shape
    B, S, d = k.shape
    B, S, c = v.shape
    (B,) = lengths.shape
    keep = (torch.arange(S)[None, :] < lengths[:, None])[:, None]
    rows = (torch.arange(T)[None, :] < lengths[:, None])[:, :, None]
    e = q @ k.transpose(1, 2)
"""


def found(*lines, head=TORCH):
    """(severity, fix) of every finding of the rule; others are of unused arguments only."""
    code = head + "".join(f"    {line}\n" for line in lines)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert {each.code for each in findings} <= {"ATN504", "ATN505"}
    findings = [each for each in findings if each.code == "ATN504"]
    return [(each.severity, each.fix and each.fix.line) for each in findings]


def after(*lines):
    return found(*lines, "return torch.softmax(e, dim=-1) @ v")


INF = 'float("-inf")'
FAULTS = [
    ("e = e.masked_fill(~keep, 0)", "error", f"e = e.masked_fill(~keep, {INF})"),
    ("e = e.masked_fill(~keep, 0.0)", "error", f"e = e.masked_fill(~keep, {INF})"),
    ("e = e.masked_fill(~keep, value=1e-9)", "error", f"e = e.masked_fill(~keep, value={INF})"),
    ("e = e.masked_fill(~keep, -1e-9)", "error", f"e = e.masked_fill(~keep, {INF})"),
    ("e = e.masked_fill(~keep, 1e9)", "error", f"e = e.masked_fill(~keep, {INF})"),
    ("e = torch.masked_fill(e, ~keep, 0)", "error", f"e = torch.masked_fill(e, ~keep, {INF})"),
    ("e = torch.where(keep, e, 0.0)", "error", f"e = torch.where(keep, e, {INF})"),
    ("e = torch.where(~keep, 0.0, e)", "error", f"e = torch.where(~keep, {INF}, e)"),
    (
        "e = torch.where(keep, e, torch.zeros_like(e))",
        "error",
        f"e = torch.where(keep, e, {INF})",
    ),
    ("e = e * keep", "error", f"e = e.masked_fill(~keep, {INF})"),
    ("e = keep * e / 2", "error", f"e = e.masked_fill(~keep, {INF}) / 2"),
    ("e *= keep", "error", f"e = e.masked_fill(~keep, {INF})"),
    ("e = e * keep.float()", "error", f"e = e.masked_fill(~keep, {INF})"),
    ("e = e * (~keep.logical_not())", "error", f"e = e.masked_fill(keep.logical_not(), {INF})"),
    (
        "e = e.masked_fill(~keep, torch.finfo(e.dtype).tiny)",
        "error",
        f"e = e.masked_fill(~keep, {INF})",
    ),
    (
        "e = torch.where(keep, e, -torch.finfo(e.dtype).eps)",
        "error",
        f"e = torch.where(keep, e, {INF})",
    ),
    (
        "e = e.masked_fill(~keep, torch.finfo(torch.float16).smallest_normal)",
        "error",
        f"e = e.masked_fill(~keep, {INF})",
    ),
    ("e = e * mask", "warning", f"e = e.masked_fill(mask == 0, {INF})"),
    ("e = e.masked_fill(mask == 0, 0)", "warning", f"e = e.masked_fill(mask == 0, {INF})"),
]


@pytest.mark.parametrize(("line", "severity", "fix"), FAULTS)
def test_faults(line, severity, fix):
    assert after(line) == [(severity, fix)]


def test_in_a_branch():
    lines = ("if mask is not None:", "    e = e.masked_fill(mask == 0, 0)")
    assert after(*lines) == [("warning", f"e = e.masked_fill(mask == 0, {INF})")]


def test_both_masks_are_told():
    causal = "e = e * torch.tril(torch.ones(T, S))"
    fixes = [fix for _, fix in after("e = e * keep", causal)]
    assert fixes == [
        f"e = e.masked_fill(~keep, {INF})",
        f"e = e.masked_fill(torch.tril(torch.ones(T, S)) == 0, {INF})",
    ]


RIGHT = [
    "e = e.masked_fill(~keep, -1e4)",
    "e = e.masked_fill(~keep, torch.finfo(e.dtype).min)",
    "e = e.masked_fill(~keep, -1 / torch.finfo(e.dtype).tiny)",
    "e = e + (keep + torch.finfo(e.dtype).tiny).log()",
    "e = e.clamp(min=torch.finfo(e.dtype).eps).log().masked_fill(~keep, -1e9)",
    "e = e.masked_fill(~keep, -float('inf'))",
    "e = torch.where(keep, e, -1e9 * torch.ones_like(e))",
    "e = torch.where(keep, e, torch.full_like(e, -1e9))",
    "e = e * keep + (1 - keep.float()) * -1e9",
    "e = (e * keep).masked_fill(~keep, -1e9)",
    "e = e.masked_fill(~keep, -1e9).masked_fill(~rows, 0)",
    "e = e * rows",
    "e = e.masked_fill(e.isnan(), 0)",
    "e = e.masked_fill(~keep, 0).exp()",
    "e = -e.masked_fill(~keep, 1e9)",
    "e = e * (torch.rand(B, T, S) > 0.1)",
    "e = e * 0.5",
    "e = torch.where(e == e.amax(-1, keepdim=True), 0.0, e - e.amax(-1, keepdim=True))",
]


@pytest.mark.parametrize("line", RIGHT)
def test_right(line):
    assert after(line) == []


AGAIN = [
    ("w = w * keep", "w = w / w.sum(-1, keepdim=True)"),
    ("w = w.masked_fill(~keep, 0)", "w = F.normalize(w, p=1, dim=-1)"),
    ("w = torch.where(keep, w, 0.0)", "w = w / (w.sum(-1, keepdim=True) + 1e-13)"),
]


@pytest.mark.parametrize("lines", AGAIN)
def test_masked_again(lines):
    assert found("w = torch.softmax(e * keep, dim=-1)", *lines, "return w @ v") == []


def test_written_into():
    assert after("e = e * keep", "e[~keep.expand(B, T, S)] = -1e9") == []


def test_without_attention():
    assert found("return (e * keep) @ v") == []


def test_proof():
    code = TORCH + "    e = e * keep\n    return torch.softmax(e, dim=-1) @ v\n"
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert finding.regression == (
        "assert e.shape == (B, T, S)",
        "assert torch.isneginf(e.masked_select(~keep)).all()",
    )


@pytest.mark.parametrize("line", ["e.data.masked_fill_(~keep, 0)", "e.masked_fill_(~keep, 0.0)"])
def test_scores_that_are_written_in_place(line):
    assert len(after(line)) == 1


def test_a_branch_that_the_caller_may_not_take():
    code = """import torch
from torch import nn
class Attention(nn.Module):
    def forward(self, q, k, mask=None):
        scores = torch.bmm(q, k.transpose(1, 2))
        if mask is not None:
            scores.data.masked_fill_(mask, 0.0)
        return torch.softmax(scores, dim=-1)
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()
    def forward(self, q, k, v, mask=None):
        return self.attention(q, k, mask).bmm(v)
"""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert [(each.code, each.line) for each in findings] == [("ATN504", 7)]


ZEROS = """import torch
def additive(mask, padding, dtype):
"""
NOTHING = [
    "return torch.zeros_like(mask, dtype=dtype).masked_fill_(mask, 0.0)",
    "bias = torch.zeros(4, 4)\n    bias.masked_fill_(mask.logical_not(), 0)\n    return bias",
    "bias = torch.zeros(mask.shape, dtype=dtype)\n    return bias.masked_fill(~mask, 0.0)",
    "return torch.zeros(4, 4).masked_fill(padding == 0, 0)",
]


@pytest.mark.parametrize("line", NOTHING)
def test_zeros_filled_with_0_hide_nothing(line):
    ((severity, _),) = found(line, head=ZEROS)
    assert severity == "error"


SOMETHING = [
    "return torch.zeros_like(mask, dtype=dtype).masked_fill_(mask, float('-inf'))",
    "return torch.ones_like(mask, dtype=dtype).masked_fill_(mask, 0.0)",
    "return torch.zeros(4, 4).masked_fill(mask, -1e9).masked_fill(~mask, 0.0)",
    "return torch.empty(4, 4).masked_fill(mask, 0.0)",
    "bias = torch.zeros(4, 4)\n    bias[:, 1] = 1\n    return bias.masked_fill(mask, 0)",
    "return torch.zeros(4, 4, dtype=torch.bool).masked_fill(mask, False)",
    "kind = torch.zeros(4).masked_fill(padding.lt(1), 0)\n"
    "    return kind.masked_fill(padding.ge(1), 1).masked_fill(padding.ge(6), 2)",
    "part = torch.zeros(4, 4)\n    for n in range(3):\n        part[:, n] = n\n"
    "    mask = part[:, None] - part[:, :, None]\n"
    "    return mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0)",
]


@pytest.mark.parametrize("line", SOMETHING)
def test_fills_that_change_what_was_there(line):
    assert found(line, head=ZEROS) == []


BY_HAND = """
import numpy as np

def softmax(x):
    {largest}
    x = np.exp(x)
    return x / x.sum(-1, keepdims=True)

def read(memory, query, stories):
    # memory (batch, slots, dim), query (batch, dim), stories (batch, slots, words)
    used = {used}
    scores = np.einsum("bsd,bd->bs", memory, query)
    weights = softmax({masked})
    return np.einsum("bs,bsd->bd", weights, memory)
"""


@pytest.mark.parametrize("largest", ["x = x - x.max(-1, keepdims=True)", "x = x * 1"])
@pytest.mark.parametrize(
    "used", ["(stories != 0).any(-1).astype(float)", "(stories[:, :, 0] != 0) * 1.0"]
)
def test_scores_multiplied_by_a_mask_before_a_softmax_by_hand(largest, used):
    code = BY_HAND.format(largest=largest, used=used, masked="scores * used")
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert [(each.code, each.fix and each.fix.line) for each in findings] == [
        ("ATN504", "weights = softmax(np.where(used > 0, scores, -1e9))")
    ]
    right = BY_HAND.format(largest=largest, used=used, masked="np.where(used > 0, scores, -1e9)")
    assert check_source(right.encode(), "x.py", Settings()).findings == ()


OTHER_LIBRARIES = [
    ("numpy", "np.where(keep, e, np.finfo(e.dtype).tiny)", "np.where(keep, e, -1e9)"),
    ("numpy", "np.where(keep, e, sys.float_info.min)", "np.where(keep, e, -1e9)"),
    ("jax.numpy", "np.where(~keep, np.finfo(np.float32).eps, e)", "np.where(~keep, -1e9, e)"),
]


@pytest.mark.parametrize(("library", "masked", "fixed"), OTHER_LIBRARIES)
def test_numbers_next_to_0(library, masked, fixed):
    code = f"""
import sys
import {library} as np
def attend(q, k, v, lengths):
    # q (B, d), k (B, T, d), v (B, T, d), lengths (B,)
    keep = np.arange(k.shape[1]) < lengths[:, None]
    e = np.einsum("bd,btd->bt", q, k)
    e = {masked}
    e = np.exp(e - e.max(-1, keepdims=True))
    return np.einsum("bt,btd->bd", e / e.sum(-1, keepdims=True), v)
"""
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert (finding.code, finding.line) == ("ATN504", 8)
    assert "a number next to 0" in finding.message
    assert finding.fix.line == f"e = {fixed}"
    right = code.replace(masked, fixed)
    assert check_source(right.encode(), "x.py", Settings()).findings == ()
