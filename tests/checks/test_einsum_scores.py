"""Scores by einsum: a query and keys of different sizes, and letters that do not stand for one."""

import pytest

from attncheck.edits import apply_edits
from attncheck.engine import check_source
from attncheck.settings import Settings

PERCEIVER = """\
import torch
from torch import nn
from einops import rearrange
class Read(nn.Module):
    def __init__(self, latent_dim, input_dim, heads):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(latent_dim, latent_dim)
        self.k = nn.Linear(input_dim, input_dim)
        self.v = nn.Linear(input_dim, latent_dim)
    def forward(self, latents, inputs):
        q, k, v = (
            {split} for t in (self.q(latents), self.k(inputs), self.v(inputs))
        )
        logits = {scores}
        return torch.einsum("bhij,bhjd->bhid", logits.softmax(dim=-1), v)
y = Read(24, 12, 4)(torch.ones(2, 5, 24), torch.ones(2, 7, 12))
"""
SPLITS = [
    'rearrange(t, "b n (h d) -> b h n d", h=self.heads)',
    "t.unflatten(-1, (self.heads, -1)).transpose(1, 2)",
]
SCORES = [
    'torch.einsum("bhid,bhjd->bhij", q, k)',
    'torch.einsum("...id,...jd->...ij", q, k) * 0.5',
    'torch.einsum("bhjd,bhid->bhij", k, q)',
    "q @ k.transpose(-2, -1)",
]


def findings(code):
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("scores", SCORES)
def test_the_layer_is_made_as_wide_as_all_heads_need(scores, split):
    code = PERCEIVER.format(scores=scores, split=split)
    (finding,) = findings(code)
    assert (finding.code, finding.line) == ("ATN109", 15)
    assert "is a dot product of a query and keys of different sizes" in finding.message
    lines = {
        "self.k = nn.Linear(input_dim, latent_dim)",
        "self.q = nn.Linear(latent_dim, input_dim)",
    }
    assert finding.fix.line in lines
    scope = {}
    exec(apply_edits(code.encode(), finding.fix.edits).decode(), scope)
    assert scope["y"].shape == (2, 4, 5, 6)


def test_the_keys_are_told():
    (finding,) = findings(PERCEIVER.format(scores=SCORES[0], split=SPLITS[0]))
    assert (finding.tensor.name, finding.tensor.shape) == ("k", (2, 4, 7, 3))
    assert finding.expected.shape == (2, 4, 7, 6)
    assert finding.fix.line == "self.k = nn.Linear(input_dim, latent_dim)"


ARRAYS = """\
import numpy as np
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
def attend(q, k, v):
    scores = np.einsum("{}", q, k)
    weights = softmax(scores)
    return np.einsum("bij,bjd->bid", weights, v)
q, k, v = np.ones({}), np.ones({}), np.ones((2, 7, 3))
y = attend(q, k, v)
"""


def test_without_a_layer_the_keys_are_projected():
    (finding,) = findings(ARRAYS.format("bid,bjd->bij", (2, 5, 6), (2, 7, 4)))
    assert finding.code == "ATN109"
    assert finding.fix.line == 'scores = np.einsum("bid,bjd->bij", q, (k @ W_proj))'


def test_features_that_are_not_last_are_projected_from_the_left():
    (finding,) = findings(ARRAYS.format("bid,bdj->bij", (2, 5, 6), (2, 4, 7)))
    assert finding.code == "ATN109"
    assert finding.fix.line == 'scores = np.einsum("bid,bdj->bij", q, (W_proj @ k))'


def test_keys_that_have_the_size_on_another_axis_are_written_wrong():
    code = ARRAYS.format("bid,bdj->bij", (2, 5, 6), (2, 7, 6))
    (finding,) = findings(code)
    assert finding.code == "ATN107"
    assert finding.fix.line == 'scores = np.einsum("bid,bjd->bij", q, k)'
    scope = {}
    exec(apply_edits(code.encode(), finding.fix.edits).decode(), scope)
    assert scope["y"].shape == (2, 5, 3)


@pytest.mark.parametrize(
    ("equation", "left", "right"),
    [
        # "bij,bjj->bik" would take a diagonal, "bij,bik->bik" would sum j alone.
        ("bij,bjk->bik", (2, 3, 4), (2, 5, 5)),
        ("ij,jk->ik", (3, 4), (5, 6)),
        ("bhid,bhjd->bhij", (2, 4, 5, 6), (2, 4, 7, 4)),
    ],
)
def test_no_letter_makes_a_clash_go_away_by_a_diagonal_or_by_a_sum_of_its_own(
    equation, left, right
):
    code = "import numpy as np\n"
    code += f'a, b = np.ones({left}), np.ones({right})\ny = np.einsum("{equation}", a, b)\n'
    (finding,) = findings(code)
    assert (finding.code, finding.fix) == ("ATN107", None)


def test_one_line_is_told_once_however_often_it_runs():
    code = """\
import jax
import jax.numpy as jnp
def step(p, keys, x):
    q = jnp.einsum("bf,fhd->bhd", x, p)
    scores = jax.nn.softmax(jnp.einsum("bhd,bshd->bhs", q, keys), axis=-1)
    return unseen(scores)
x = jnp.ones((2, 64))
for _ in range(3):
    x = step(jnp.ones((64, 4, 16)), jnp.ones((2, 32, 4, 64)), x)
"""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert [(each.code, each.line) for each in findings] == [("ATN109", 5)]
