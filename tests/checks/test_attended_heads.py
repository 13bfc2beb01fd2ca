"""Attention over the heads of a position where positions are meant: the missing transpose."""

import pytest

torch = pytest.importorskip("torch")

from attncheck.engine import check_source  # noqa: E402
from attncheck.settings import Settings  # noqa: E402

MODULE = """import math
import torch
import torch.nn as nn
import torch.nn.functional as F

class Attention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, d_model // num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, x, memory=None):
        B, T, C = x.shape
        {split}
        y = {attended}
        return self.out({merged})
"""
SPLIT = "q, k, v = self.qkv(x).view(B, T, 3, self.num_heads, self.head_dim).unbind(2)"
CHUNKS = (
    "q, k, v = (t.view(B, -1, self.num_heads, self.head_dim) for t in self.qkv(x).chunk(3, dim=-1))"
)
CALL = "F.scaled_dot_product_attention(q, k, v)"
FIXED = "F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))"


def findings(code):
    return list(check_source(code.encode(), "x.py", Settings()).findings)


def module(split=SPLIT, attended=CALL, merged="y.reshape(B, T, C)"):
    return MODULE.format(split=split, attended=attended, merged=merged)


@pytest.mark.parametrize(
    ("split", "attended", "merged", "fix"),
    [
        (SPLIT, CALL, "y.reshape(B, T, C)", f"y = {FIXED}.transpose(1, 2)"),
        (CHUNKS, CALL, "y.flatten(2)", f"y = {FIXED}.transpose(1, 2)"),
        (SPLIT, f"{CALL}.transpose(1, 2)", "y.reshape(B, T, C)", f"y = {FIXED}.transpose(1, 2)"),
        (
            SPLIT,
            CALL.replace("v)", "v, is_causal=True)"),
            "y.reshape(B, T, C)",
            f"y = {FIXED[:-1]}, is_causal=True).transpose(1, 2)",
        ),
    ],
)
def test_heads_that_attend_to_each_other(split, attended, merged, fix):
    code = module(split, attended, merged)
    (found,) = [each for each in findings(code) if each.code == "ATN304"]
    assert (found.line, found.severity, found.tensor.name) == (16, "warning", "q")
    assert found.tensor.shape == ("B", "T", "num_heads", "d_model//num_heads")
    assert found.expected.shape == ("B", "num_heads", "T", "d_model//num_heads")
    assert found.fix is not None
    assert found.fix.line == fix
    fixed = code.replace(f"y = {attended}", fix)
    assert findings(fixed) == []
    x = torch.randn(2, 5, 8)
    namespace, right = {}, {}
    exec(code, namespace)
    exec(fixed, right)
    torch.manual_seed(0)
    wrong = namespace["Attention"](8, 2)
    model = right["Attention"](8, 2)
    model.load_state_dict(wrong.state_dict())
    # A position that changes is seen by others only where positions attend.
    moved = x.clone()
    moved[:, 0] += 1
    assert not torch.allclose(model(x)[:, 1:], model(moved)[:, 1:])
    if "transpose" not in attended:
        assert torch.allclose(wrong(x)[:, 1:], wrong(moved)[:, 1:])


def test_the_message():
    (found,) = findings(module())
    assert found.message == (
        "`F.scaled_dot_product_attention(q, k, v)` takes num_heads for the positions of"
        " (B, T, num_heads, d_model//num_heads) and T for a batch: the heads of one position attend"
        " to each other, no position attends to another, and the result has the same shape, so that"
        " nothing raises"
    )


@pytest.mark.parametrize(
    "code",
    [
        module(attended=f"{FIXED}.transpose(1, 2)"),
        # One vector for each sequence: its heads are all there is to attend to.
        module(
            "q, k, v = self.qkv(x.mean(1)).view(B, 3, self.num_heads, self.head_dim).unbind(1)",
            merged="y.reshape(B, C)",
        ),
        # A sequence of one position, in front of the heads.
        module(
            "q, k, v = self.qkv(x[:, :1]).view(B, 1, 3, self.num_heads, self.head_dim).unbind(2)",
            merged="y.reshape(B, 1, C)",
        ),
    ],
)
def test_right_code(code):
    assert findings(code) == []


WRAPPER = """import torch

def attend(q, k, v, mask):
    ratio = q.shape[2] // k.shape[2]
    keys, values = (t.repeat_interleave(ratio, dim=2).float() for t in (k, v))
    scores = torch.einsum("bqhd,bkhd->bhqk", q.float(), keys) * q.shape[-1] ** -0.5
    scores = scores.masked_fill(~mask[None, None], float("-inf"))
    return torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), values)

class Reference:
    def forward(self, q, k, v, scale=1.0):
        out = torch.nn.functional.scaled_dot_product_attention(
            q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), scale=scale
        ).transpose(1, 2)
        scores = torch.einsum("bshd,bthd->bhst", q.float(), k.float()) * scale
        return out, torch.logsumexp(scores, dim=-1)
"""


def test_letters_say_which_axis_the_heads_are_where_names_allow_another_one():
    assert findings(WRAPPER) == []
