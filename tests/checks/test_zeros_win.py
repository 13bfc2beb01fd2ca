"""ATN504: scores that are filled with 0 before the largest of them is taken."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """import torch
import torch.nn.functional as F
from torch import nn
class Flow(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.w_q, self.w_k = nn.Linear(d, d), nn.Linear(d, d)
        self.w_p = nn.Linear(d, 1)
    def forward(self, p, q, lengths):
        '''p (B, T, d), q (B, S, d)'''
        B, S, d = q.shape
        keep = (torch.arange(S)[None, :] < lengths[:, None])[:, None]
        rows = (torch.arange(p.size(1))[None, :] < lengths[:, None])[:, :, None]
"""
PRODUCT = "s = self.w_q(p) @ self.w_k(q).transpose(1, 2)"
PLAIN = "s = torch.bmm(p, q.mT) / d ** 0.5 + self.w_p(p)"
EINSUM = "s = torch.einsum('btd,bsd->bts', p, q)"
INF = 'float("-inf")'


def found(*lines):
    code = HEAD + "".join(f"        {line}\n" for line in lines)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize("product", [PRODUCT, PLAIN])
@pytest.mark.parametrize(
    ("fill", "fixed"),
    [
        ("m = s.masked_fill(~keep, 0.0)", f"m = s.masked_fill(~keep, {INF})"),
        ("m = torch.where(keep, s, 0)", f"m = torch.where(keep, s, {INF})"),
    ],
)
@pytest.mark.parametrize(
    "largest",
    [
        "m.max(dim=-1)[0].sum(-1)",
        "m.max(2).values",
        "m.amax(dim=-1)",
        "m.argmax(-1)",
        "torch.logsumexp(m, dim=-1)",
        "torch.max(m, dim=-1)[0]",
    ],
)
def test_zeros_win(product, fill, fixed, largest):
    assert found(product, fill, f"return {largest}") == [("ATN504", 15, fixed)]
    assert found(product, fixed, f"return {largest}") == []


def test_scores_that_are_attended_with_as_well():
    fill = "m = s.masked_fill(~keep, 0)"
    lines = [
        EINSUM,
        f"c = s.masked_fill(~keep, {INF}).softmax(-1) @ q",
        fill,
        "return c, m.max(-1)[0].softmax(-1)",
    ]
    assert found(*lines) == [("ATN504", 16, fill.replace("0)", f"{INF})"))]


@pytest.mark.parametrize(
    "lines",
    [
        # the rows are hidden, and each has its own largest score
        (PRODUCT, "m = s.masked_fill(~rows, 0)", "return m.max(dim=-1)[0]"),
        (PRODUCT, "m = s.masked_fill(~keep, 0)", "return m.max(dim=1)[0]"),
        # what is taken off all scores alike
        (
            PRODUCT,
            "m = s.masked_fill(~keep, 0)",
            "e = (s - m.max(dim=-1, keepdim=True)[0]).exp() * keep",
            "return (e / e.sum(-1, keepdim=True)) @ q",
        ),
        # never negative
        (
            "s = torch.relu(p) @ torch.relu(q).transpose(1, 2)",
            "return s.masked_fill(~keep, 0).max(dim=-1)[0]",
        ),
        (PRODUCT, "return torch.relu(s).masked_fill(~keep, 0).max(dim=-1)[0]"),
        (PRODUCT, "return s.sigmoid().masked_fill(~keep, 0).max(dim=-1)[0]"),
        (PRODUCT, "return s.exp().masked_fill(~keep, 0).max(dim=-1)[0]"),
        (PRODUCT, "return s.abs().masked_fill(~keep, 0).max(dim=-1)[0]"),
        # the weights
        (
            PRODUCT,
            f"a = s.masked_fill(~keep, {INF}).softmax(-1)",
            "return a.masked_fill(~keep, 0).max(-1)[0]",
        ),
        # activations, which are pooled
        ("h = self.w_q(q)", "return h.masked_fill(~keep.mT, 0).max(dim=1)[0]"),
        (
            PRODUCT,
            "h = s.softmax(-1) @ q",
            "return h.masked_fill(~rows, 0).max(dim=1)[0]",
        ),
        ("links = lengths.view(B, S, S)", "return (links @ q).masked_fill(~keep.mT, 0).amax(1)"),
        # the smallest, the sum
        (PRODUCT, "return s.masked_fill(~keep, 0).sum(-1)"),
    ],
)
def test_what_is_meant(lines):
    assert [each for each in found(*lines) if each[0] == "ATN504"] == []
