"""ATN507: causal triangles from the first key on, over keys that a cache stands in front of."""

import pytest

torch = pytest.importorskip("torch")

from attncheck.engine import check_source  # noqa: E402
from attncheck.settings import Settings  # noqa: E402

MODULE = """import math
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
class Attention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.n_heads = n_heads
        self.register_buffer("seen", torch.tril(torch.ones(64, 64)).view(1, 1, 64, 64))
    def forward(self, x, past=None):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = [t.view(B, T, self.n_heads, -1).transpose(1, 2) for t in (q, k, v)]
        if past is not None:
            k = torch.cat((past[0], k), dim=2)
            v = torch.cat((past[1], v), dim=2)
        S = k.size(2)
        scores = {scores}
{masked}
        y = scores.softmax(-1) @ v
        return y.transpose(1, 2).flatten(2), (k, v)
"""
PRODUCT = "q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))"
EINSUM = 'torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.size(-1))'


def module(masked, scores=PRODUCT):
    lines = "\n".join(" " * 8 + line for line in masked.split("\n"))
    return MODULE.format(scores=scores, masked=lines)


def found(code):
    return list(check_source(code.encode(), "x.py", Settings()).findings)


FILL = "scores = scores.masked_fill({}, -torch.inf)"
MASKS = [
    ("torch.ones(T, S).tril() == 0", "torch.ones(T, S).tril(diagonal=S - T) == 0"),
    ("torch.tril(torch.ones(T, S), 0) == 0", "torch.tril(torch.ones(T, S), S - T) == 0"),
    ("~torch.ones((T, S), dtype=torch.bool).tril()", None),
    ("torch.ones(T, S).triu(1).bool()", "torch.ones(T, S).triu(S - T + 1).bool()"),
    ("torch.triu(torch.ones(T, S), diagonal=1) == 1", None),
    ("self.seen[:, :, :T, :S] == 0", "self.seen[:, :, S - T : S, :S] == 0"),
    ("self.seen[0, 0, :T, :S] < 0.5", "self.seen[0, 0, S - T : S, :S] < 0.5"),
]


def in_steps(model, x):
    """What a model gives of a sequence, of which the last two positions come one by one."""
    y, past = model(x[:, :-2])
    given = [y]
    for place in (-2, -1):
        y, past = model(x[:, place:][:, :1], past)
        given.append(y)
    return torch.cat(given, 1)


@pytest.mark.parametrize("scores", [PRODUCT, EINSUM])
@pytest.mark.parametrize(("mask", "fix"), MASKS)
def test_triangles_from_the_wrong_corner(mask, fix, scores):
    code = module(FILL.format(mask), scores)
    (finding,) = found(code)
    assert (finding.code, finding.line, finding.severity) == ("ATN507", 21, "error")
    assert "stand behind `past[0]` (joined on line 17)" in finding.message
    assert finding.fix is not None
    if fix is not None:
        assert finding.fix.line == FILL.format(fix)
    fixed = code.replace(FILL.format(mask), finding.fix.line)
    assert found(fixed) == []
    torch.manual_seed(0)
    x, models = torch.randn(2, 6, 8), []
    for source in (code, fixed):
        namespace = {}
        exec(source, namespace)
        models.append(namespace["Attention"](8, 2))
    models[1].load_state_dict(models[0].state_dict())
    whole, _ = models[1](x)
    assert torch.allclose(in_steps(models[1], x), whole, atol=1e-6)
    assert not torch.allclose(in_steps(models[0], x), whole, atol=1e-3)


def test_one_new_query_needs_no_mask():
    assert found(module(f"if T > 1:\n    {FILL.format('torch.ones(T, S).tril() == 0')}")) == []
    assert (
        found(module(f"if past is None:\n    {FILL.format('torch.ones(T, S).tril() == 0')}")) == []
    )


@pytest.mark.parametrize(
    "mask",
    [
        "torch.ones(T, S).tril(S - T) == 0",
        "self.seen[:, :, S - T : S, :S] == 0",
        # As many rows as there are keys in all: which query a row is for is not seen here.
        "torch.ones(S, S).tril()[-T:] == 0",
        "torch.ones(T, S).tril(2) == 0",
    ],
)
def test_borders_that_may_be_right(mask):
    assert found(module(FILL.format(mask))) == []


def test_no_cache():
    code = module(FILL.format("torch.ones(T, S).tril() == 0"))
    assert found(code.replace("past[0], k", "k,").replace("past[1], v", "v,")) == []


LIBRARY = "return F.scaled_dot_product_attention(q, k, v, torch.ones(T, S).tril().bool()), (k, v)"


def test_masks_of_library_attention():
    (finding,) = found(module(LIBRARY))
    assert (finding.code, finding.line) == ("ATN507", 21)
    assert finding.fix is not None
    assert finding.fix.line == LIBRARY.replace("tril()", "tril(diagonal=S - T)")
