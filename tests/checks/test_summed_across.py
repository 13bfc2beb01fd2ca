"""ATN301: running sums across rows that were sorted one by one."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = """import torch
def sparsemax(z):
    \"\"\"z (B, T)\"\"\"
    srt = {}
    k = torch.arange(1, z.size(-1) + 1)
    csum = {}
    support = 1 + k * srt > csum
    count = support.sum(dim=-1, keepdim=True)
    tau = (csum.gather(-1, count - 1) - 1) / count
    return torch.clamp(z - tau, min=0)
"""
NUMPY = """import numpy as np
def sparsemax(z):
    \"\"\"z (B, H, T)\"\"\"
    srt = {}
    k = np.arange(1, z.shape[-1] + 1)
    csum = {}
    count = (1 + k * srt > csum).sum(axis=-1, keepdims=True)
    tau = (np.take_along_axis(csum, count - 1, axis=-1) - 1) / count
    return np.maximum(z - tau, 0)
"""
NUCLEUS = """import torch
def nucleus(logits, p):
    \"\"\"logits (B, V)\"\"\"
    B, V = logits.shape
    srt, order = torch.sort(logits, descending=True, dim=-1)
    csum = torch.softmax(srt, dim=-1).cumsum(dim={})
    cut = (csum > p).float().argmax(dim=-1)
    return srt.gather(-1, cut.unsqueeze(-1))
"""


def found(code):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(f.code, f.line, f.fix and f.fix.line) for f in findings if f.severity != "note"]


@pytest.mark.parametrize(
    ("code", "sort", "wrong", "right"),
    [
        (
            TORCH,
            "torch.sort(z, dim=-1, descending=True)[0]",
            "torch.cumsum(srt, dim=0)",
            "torch.cumsum(srt, dim=-1)",
        ),
        (TORCH, "z.sort(descending=True).values", "srt.cumsum(0)", "srt.cumsum(-1)"),
        (
            TORCH,
            "z.topk(z.size(-1), dim=1).values",
            "torch.cumsum(srt - 1.0, 0)",
            "torch.cumsum(srt - 1.0, -1)",
        ),
        (
            NUMPY,
            "np.sort(z, axis=-1)[..., ::-1]",
            "np.cumsum(srt, axis=1)",
            "np.cumsum(srt, axis=-1)",
        ),
        (NUMPY, "-np.sort(-z)", "srt.cumsum(axis=0)", "srt.cumsum(axis=-1)"),
        (NUMPY, "np.flip(np.sort(z), -1)", "srt.cumsum(1)", "srt.cumsum(-1)"),
    ],
)
def test_sparsemax(code, sort, wrong, right):
    assert found(code.format(sort, wrong)) == [("ATN301", 6, f"csum = {right}")]
    assert found(code.format(sort, right)) == []


def test_nucleus_sampling():
    assert [each[:2] for each in found(NUCLEUS.format(0))] == [("ATN301", 6)]
    assert found(NUCLEUS.format(-1)) == found(NUCLEUS.format(1)) == []


def test_rows_in_time():
    code = """import torch
def totals(x):
    \"\"\"x (T, B)\"\"\"
    ranked = x.sort(dim=1).values
    return {}
"""
    # The history of each rank, and how many of these are above a border after each step.
    assert found(code.format("ranked.cumsum(0)")) == []
    assert found(code.format("ranked.cumsum(0).mean(1)")) == []
    assert found(code.format("(ranked.cumsum(0) > 3).sum(0)")) == []
    assert found(code.format("x.cumsum(0).sort(dim=1).values")) == []
