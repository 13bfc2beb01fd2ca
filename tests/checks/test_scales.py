"""Scores that are scaled wrongly, however the scale is written and wherever it stands."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """import math
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from somewhere import CONFIG

"""
MODULE = """class Attention(nn.Module):
    def __init__(self, dim, heads, qk_scale=None, scaled=True):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        {made}
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x, mask=None):
        B, T, dim = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.heads, self.head_dim).permute(2, 0, 3, 1, 4)
        {scores}
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        return (scores.softmax(dim=-1) @ v).transpose(1, 2).reshape(B, T, dim)
"""
ROOT = "self.scale = self.head_dim ** -0.5"
PRODUCT = "scores = q @ k.transpose(-2, -1)"


def findings(code):
    result = check_source((HEAD + code).encode(), "attention.py", Settings())
    return [each for each in result.findings if each.code == "ATN506"]


def module(made, scores):
    return findings(MODULE.format(made=made, scores=scores))


@pytest.mark.parametrize(
    "made, scores",
    [
        (ROOT, f"{PRODUCT} / self.scale"),
        ("self.scale = qk_scale or self.head_dim ** -0.5", f"{PRODUCT} / self.scale"),
        ("self.scale = 1 / math.sqrt(self.head_dim)", f"{PRODUCT} / self.scale"),
        ("self.scale = self.head_dim ** 0.5", f"{PRODUCT} * self.scale"),
        ("self.scale = math.pow(self.head_dim, 0.5)", f"{PRODUCT} * self.scale"),
        ("pass", f"{PRODUCT} * math.sqrt(self.head_dim)"),
        ("pass", f"{PRODUCT} * np.sqrt(k.shape[-1])"),
        ("pass", f"{PRODUCT}.mul(math.sqrt(k.size(-1)))"),
        (ROOT, "scores = (q / self.scale) @ k.transpose(-2, -1)"),
        (ROOT, 'scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / self.scale'),
    ],
)
def test_scores_that_grow_are_an_error(made, scores):
    (found,) = module(made, scores)
    assert found.severity == "error"
    assert "the scores grow by sqrt(dim//heads)" in found.message
    assert found.fix is not None


@pytest.mark.parametrize(
    "made, scores",
    [
        (ROOT, f"{PRODUCT} * self.scale * self.scale"),
        (ROOT, "scores = (q * self.scale) @ k.transpose(-2, -1) * self.scale"),
        (ROOT, "scores = (q * self.scale) @ (k * self.scale).transpose(-2, -1)"),
        (ROOT, f"{PRODUCT} / math.sqrt(self.head_dim) * self.scale"),
    ],
)
def test_scaled_in_two_places(made, scores):
    (found,) = module(made, scores)
    assert found.severity == "warning"
    assert "divided by dim//heads in all" in found.message
    assert found.fix is not None


@pytest.mark.parametrize(
    "made, fix",
    [
        ("self.scale = dim ** -0.5", "self.scale = self.head_dim ** -0.5"),
        ("self.scale = heads ** -0.5", "self.scale = self.head_dim ** -0.5"),
        ("self.scale = 1 / math.sqrt(dim)", "self.scale = 1 / math.sqrt(self.head_dim)"),
    ],
)
def test_root_of_another_size(made, fix):
    (found,) = module(made, f"{PRODUCT} * self.scale")
    assert found.severity == "warning"
    assert "sums over dim//heads" in found.message
    assert found.fix.line == fix


def test_root_of_the_number_of_positions():
    (found,) = module("pass", f"{PRODUCT} / math.sqrt(T)")
    assert found.severity == "warning"


def test_scaled_by_hand_and_by_the_library():
    code = """def attend(query, key, value):
    query = query * query.size(-1) ** -0.5
    return F.scaled_dot_product_attention(query, key, value)
"""
    (found,) = findings(code)
    assert found.severity == "warning"
    assert found.fix.line == "query = query"


@pytest.mark.parametrize(
    "made, scores",
    [
        (ROOT, f"{PRODUCT} * self.scale"),
        (ROOT, "scores = (q * self.scale) @ k.transpose(-2, -1)"),
        ("self.scale = self.head_dim ** 0.5", f"{PRODUCT} / self.scale"),
        ("pass", PRODUCT),
        ("self.scale = nn.Parameter(torch.ones(heads, 1, 1))", f"{PRODUCT} * self.scale"),
        ("self.scale = self.head_dim ** -0.25", f"{PRODUCT} * self.scale * self.scale"),
        ("self.scale = self.head_dim ** -0.5 if scaled else 1.0", f"{PRODUCT} * self.scale"),
        ("pass", f"{PRODUCT} / self.head_dim"),
        ("self.scale = CONFIG.query_pre_attn_scalar ** -0.5", f"{PRODUCT} * self.scale"),
        ("self.softmax_scale = qk_scale ** -0.5", f"{PRODUCT} * self.softmax_scale"),
        (ROOT, f"{PRODUCT} / 8.0 / self.scale"),
        (
            "pass",
            "scores = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT * self.head_dim**0.5",
        ),
        (ROOT, "scores = (q * self.scale) @ k.mT + (q * self.scale) @ k.flip(2).mT"),
    ],
)
def test_what_may_be_meant_is_left_alone(made, scores):
    assert module(made, scores) == []


def test_scaled_in_either_of_two_branches():
    scores = """if self.heads > 1:
            q = q * self.scale
        scores = q @ k.transpose(-2, -1)
        if self.heads == 1:
            scores = scores * self.scale"""
    assert module(ROOT, scores) == []


UNSEEN = """def attention(query, key, value, mask=None):
    scale = math.sqrt(key.size({axis}))
    scores = torch.matmul(query, key.transpose(1, 2)) / scale
    if mask is not None:
        scores = scores.masked_fill(mask.unsqueeze(1) == 0, -1e9)
    return torch.matmul(torch.softmax(scores, dim=-1), value)


class Reader(nn.Module):
    def __init__(self, size, hidden):
        super().__init__()
        self.lstm = nn.LSTM(size, hidden, batch_first=True)

    def forward(self, x):
        out, (h, c) = self.lstm(x)
        return attention(h[-1].unsqueeze(1), out, out)
"""


@pytest.mark.parametrize("axis", ["2", "-1"])
def test_the_axis_that_is_read_of_a_key_of_unknown_rank_may_be_the_summed_one(axis):
    assert findings(UNSEEN.format(axis=axis)) == []


STACK = """class Attention(nn.Module):
    def __init__(self, dim, heads=8, dim_head=64):
        super().__init__()
        self.heads, self.scale = heads, dim_head ** {power}
        self.to_q = {layer}(dim, heads * dim_head{kernel})
        self.to_kv = {layer}(dim, heads * dim_head * 2{kernel})
        self.mix = nn.Parameter(torch.randn(heads, heads))
        self.bias = nn.Linear(2, 1)

    def forward(self, x, context=None, distances=None):
        h = self.heads
        q = self.to_q(x)
        k, v = self.to_kv(x).chunk(2, dim={axis})
        q, k, v = map(lambda t: rearrange(t, "{split}", h=h), (q, k, v))
        scores = torch.einsum("bhid,bhjd->bhij", q, k){scaled}
        {more}
        weights = scores.softmax(dim=-1)
        return rearrange(torch.einsum("bhij,bhjd->bhid", weights, v), "b h n d -> b n (h d)")

class Stack(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.layers = nn.ModuleList([Attention(dim) for _ in range(depth)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x) + x
        return x
"""
DENSE = {"layer": "nn.Linear", "kernel": "", "axis": -1, "split": "b n (h d) -> b h n d"}
CONVOLUTION = {
    "layer": "nn.Conv2d",
    "kernel": ", 1",
    "axis": 1,
    "split": "b (h d) x y -> b h (x y) d",
}


def stack(power, scaled, more="pass", projected=DENSE):
    code = STACK.format(power=power, scaled=scaled, more=more, **projected)
    return findings("from einops import rearrange\n" + code)


MORE = [
    "pass",
    # talking heads, a bias that learned weights make
    'scores = torch.einsum("bhij,hg->bgij", scores, self.mix)',
    "scores = scores + self.bias(distances).squeeze(-1)",
]


@pytest.mark.parametrize("more", MORE)
@pytest.mark.parametrize("projected", [DENSE, CONVOLUTION])
@pytest.mark.parametrize(
    "power, scaled",
    [("0.5", " * self.scale"), ("-0.5", " / self.scale"), ("-0.5", " * self.scale * self.scale")],
)
def test_scores_of_layers_in_a_stack(power, scaled, more, projected):
    assert len(stack(power, scaled, more, projected)) == 1


@pytest.mark.parametrize("more", MORE)
@pytest.mark.parametrize("projected", [DENSE, CONVOLUTION])
@pytest.mark.parametrize("power, scaled", [("-0.5", " * self.scale"), ("0.5", " / self.scale")])
def test_right_scores_of_layers_in_a_stack(power, scaled, more, projected):
    assert stack(power, scaled, more, projected) == []


def test_scores_beside_what_learned_weights_score():
    """Of two terms the root may be that of both (He et al. 2021, section 3.1.1)."""
    code = """def attend(q, k, x, w):
    B, T, d = q.shape
    scale = math.sqrt(2 * q.shape[-1])
    scores = torch.einsum("bid,bjd->bij", q, k) / scale
    scores = scores + nn.Linear(16, 32)(x) / scale
    return scores.softmax(-1) @ k
"""
    assert findings(code) == []


@pytest.mark.parametrize(
    "scaled, wrong",
    [("q / math.sqrt(1.0 / q.shape[-1])", 1), ("q * math.sqrt(1.0 / q.shape[-1])", 0)],
)
@pytest.mark.parametrize(
    "scores",
    [
        "torch.bmm(q, k)",
        "q @ k",
        "torch.baddbmm(mask, q, k)",
        "torch.baddbmm(mask, q, k) if flag else torch.bmm(q, k)",
    ],
)
def test_products_of_unknown_shape(scaled, wrong, scores):
    code = f"""def attend(q, k, v, mask, flag):
    k, v = torch.squeeze(k), torch.squeeze(v)
    q = {scaled}
    return torch.softmax({scores}, dim=-1) @ v
"""
    assert len(findings(code)) == wrong


def test_a_product_that_scales_by_itself():
    code = """def attend(q, k, v, mask):
    q = q * math.sqrt(q.shape[-1])
    scores = torch.baddbmm(mask, q, torch.squeeze(k), alpha=1 / q.shape[-1])
    return torch.softmax(scores, dim=-1) @ v
"""
    assert findings(code) == []
