"""ATN501: masks of tokens by frame that count the wrong part of the merged axis."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

MODULE = """import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn

class Blocks(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        B, t, p, d = x.shape
        x = {merged}
        q, k, v = self.q(x), self.k(x), self.v(x)
        i = torch.arange(t * p, device=x.device)
        frame = {frame}
        seen = frame[:, None] >= frame[None, :]
        {attended}
"""
SLOW = ["x.flatten(1, 2)", "x.reshape(B, t * p, d)", "rearrange(x, 'b t p d -> b (t p) d')"]
FAST = ["x.transpose(1, 2).flatten(1, 2)", "rearrange(x, 'b t p d -> b (p t) d')"]
USES = [
    "return F.scaled_dot_product_attention(q, k, v, attn_mask=seen)",
    "s = (q @ k.mT / d**0.5).masked_fill(~seen, -1e9)\n        return s.softmax(-1) @ v",
    "s = torch.where(seen, q @ k.mT / d**0.5, -torch.inf)\n        return s.softmax(-1) @ v",
]


def found(merged, frame, attended=USES[0]):
    code = MODULE.format(merged=merged, frame=frame, attended=attended)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize("attended", USES)
@pytest.mark.parametrize("merged", SLOW)
@pytest.mark.parametrize("frame", ["i % t", "i // t", "torch.remainder(i, t)"])
def test_the_slow_part_is_no_divisor(merged, frame, attended):
    fix = None if "(" in frame else "frame = i // p"
    assert found(merged, frame, attended) == [("ATN501", 16, fix)]


@pytest.mark.parametrize("attended", USES)
@pytest.mark.parametrize(
    ("merged", "frame"),
    [
        *((merged, "i // p") for merged in SLOW),
        # by patch: tokens of other frames at the same place
        *((merged, "i % p") for merged in SLOW),
        *((merged, "i % t") for merged in FAST),
        # of any number: every third token
        (SLOW[0], "i % 3"),
        (SLOW[0], "i // 3"),
        (SLOW[0], "(i // p) % t"),
    ],
)
def test_what_counts_right(merged, frame, attended):
    assert found(merged, frame, attended) == []


def test_as_many_frames_as_patches():
    code = MODULE.format(merged=SLOW[0], frame="i % t", attended=USES[0])
    code = code.replace("B, t, p, d = x.shape", "B, t, _, d = x.shape\n        p = t")
    code = code.replace("x.flatten(1, 2)", "x.view(B, t, t, d).flatten(1, 2)")
    assert check_source(code.encode(), "x.py", Settings()).findings == ()
