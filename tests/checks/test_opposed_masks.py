"""ATN502: masks of which one is true for what may be seen, the other for what is to be hidden."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = """import torch
def attend(q, k, v, ids, pad_id):
    t = ids.size(1)
    past = torch.ones(t, t, dtype=torch.bool).tril()
    future = torch.ones(t, t, dtype=torch.bool).triu(1)
    pad = ids.eq(pad_id)[:, None, :]
    real = ids.ne(pad_id)[:, None, :]
    {merged}
    scores = torch.einsum("bqd,bkd->bqk", q, k)
    {used}
    return scores.softmax(-1) @ v
"""
JAX = """import jax
import jax.numpy as jnp
def attend(q, k, v, ids, pad_id):
    t = ids.shape[1]
    past = jnp.tril(jnp.ones((t, t), dtype=bool))
    pad = (ids == pad_id)[:, None, :]
    real = (ids != pad_id)[:, None, :]
    {merged}
    scores = jnp.einsum("bqd,bkd->bqk", q, k)
    {used}
    return jax.nn.softmax(scores, axis=-1) @ v
"""
KEEPS = "scores = scores.masked_fill(~mask, float('-inf'))"
DROPS = "scores = scores.masked_fill(mask, float('-inf'))"


def found(merged, used, code=TORCH):
    findings = check_source(
        code.format(merged=merged, used=used).encode(), "x.py", Settings()
    ).findings
    return [(each.code, each.span.line, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(
    ("merged", "used", "fixed"),
    [
        ("mask = past & pad", KEEPS, "mask = past & ~pad"),
        ("mask = pad & past", KEEPS, "mask = ~pad & past"),
        (
            "mask = torch.logical_and(past, pad)",
            KEEPS,
            "mask = torch.logical_and(past, ~pad)",
        ),
        ("mask = past.logical_and(pad)", KEEPS, "mask = past.logical_and(~pad)"),
        ("mask = future & real", KEEPS, "mask = ~future & real"),
        ("mask = future | real", DROPS, "mask = future | ~real"),
        ("mask = past | pad", DROPS, "mask = ~past | pad"),
        (
            "mask = torch.logical_or(future, real)",
            DROPS,
            "mask = torch.logical_or(future, ~real)",
        ),
        (
            "mask = past & pad",
            "scores = torch.where(mask, scores, float('-inf'))",
            "mask = past & ~pad",
        ),
        (
            "mask = past.float() * pad.float()",
            "scores = scores.masked_fill(mask == 0, -1e9)",
            "mask = past.float() * (1 - pad.float())",
        ),
    ],
)
def test_what_both_let_see_is_hidden(merged, used, fixed):
    assert found(merged, used) == [("ATN502", 8, fixed)]


@pytest.mark.parametrize(
    ("merged", "fixed"),
    [
        ("mask = past & pad", "mask = past & ~pad"),
        ("mask = jnp.logical_and(past, pad)", "mask = jnp.logical_and(past, ~pad)"),
    ],
)
def test_of_jax(merged, fixed):
    used = "scores = jnp.where(mask, scores, -1e9)"
    assert found(merged, used, JAX) == [("ATN502", 8, fixed)]
    assert found("mask = past & real", used, JAX) == []


def test_what_is_true_for_padding_of_the_past_hides_nothing_else():
    assert found("mask = past & pad", DROPS) == [("ATN502", 8, None)]
    # the future is hidden already: then the triangle is only not needed
    after = f"scores = scores.masked_fill(future, -1e9)\n    {DROPS}"
    assert found("mask = past & pad", after) == []


@pytest.mark.parametrize(
    ("merged", "used"),
    [
        ("mask = past & ~pad", KEEPS),
        ("mask = past & real", KEEPS),
        ("mask = future | pad", DROPS),
        ("mask = future | ~real", DROPS),
        ("mask = ~(future | pad)", KEEPS),
        ("mask = ~past | pad", DROPS),
        ("mask = (past & ~pad) | torch.eye(t, dtype=torch.bool)", KEEPS),
        # of two masks for one position each
        ("mask = real & real.transpose(1, 2)", KEEPS),
        # nothing is attended to with it
        ("mask = past & pad", "counted = mask.sum()"),
    ],
)
def test_masks_of_one_sense(merged, used):
    assert found(merged, used) == []


def test_a_mask_that_only_its_name_tells_of():
    code = TORCH.replace("ids, pad_id):", "ids, pad_id, padding_mask):")
    assert found("mask = past & padding_mask[:, None, :]", KEEPS, code) == []
    assert found("mask = past & ~padding_mask[:, None, :]", KEEPS, code) == []


def test_a_mask_made_in_a_method():
    code = """import torch
from torch import nn
class Decoder(nn.Module):
    def __init__(self, d, pad_id):
        super().__init__()
        self.pad_id = pad_id
        self.wq, self.wk = nn.Linear(d, d), nn.Linear(d, d)
    def mask_of(self, ids):
        t = ids.size(1)
        pad = ids.eq(self.pad_id)
        return torch.ones(t, t, dtype=torch.bool).tril() & {pad}[:, None, :]
    def forward(self, x, ids):
        scores = self.wq(x) @ self.wk(x).transpose(1, 2)
        return scores.masked_fill(~self.mask_of(ids), -1e9).softmax(-1) @ x
"""
    findings = check_source(code.format(pad="pad").encode(), "x.py", Settings()).findings
    assert [(each.code, each.span.line) for each in findings] == [("ATN502", 11)]
    assert "true for the past" in findings[0].message
    assert "true for padding" in findings[0].message
    assert check_source(code.format(pad="~pad").encode(), "x.py", Settings()).findings == ()
