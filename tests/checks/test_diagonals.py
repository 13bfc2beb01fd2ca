"""ATN107: einsums that take the diagonal of a weight, and diagonals that are meant."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

MODULE = """import torch
import torch.nn as nn
import einops
class Score(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.W = nn.Parameter(torch.randn(d, d) * 0.02)
        self.heads = nn.Parameter(torch.empty(n, d, d))
        self.lin = nn.Linear(d, d)
        self.register_buffer("A", torch.eye(d))
    def forward(self, q, k, A):
        return {}
"""


def found(code):
    """(line, severity, fixed line) of every finding; there must be none of another rule."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert {each.code for each in findings} <= {"ATN107"}
    return [(each.line, each.severity, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(
    ("product", "fixed"),
    [
        # between two operands
        ("'bqd,dd,bkd->bqk', q, self.W, k", "'bqd,de,bke->bqk', q, self.W, k"),
        ("'bqd,bkd,dd->bqk', q, k, self.W", "'bqd,bke,de->bqk', q, k, self.W"),
        ("'zqd, zkd, dd -> zqk', q, k, self.W", "'zqd, zke, de -> zqk', q, k, self.W"),
        # a projection
        ("'bqd,dd->bqd', q, self.W", "'bqd,de->bqe', q, self.W"),
        ("'bqd,dd->bqd', q, self.lin.weight", "'bqd,de->bqe', q, self.lin.weight"),
        ("'bnqz,nzz->bnqz', q, self.heads", "'bnqz,nza->bnqa', q, self.heads"),
        ("'bqd,dd->bqd', q, self.W.t()", "'bqd,de->bqe', q, self.W.t()"),
        ("'...d,dd->...d', q, self.W", "'...d,de->...e', q, self.W"),
        ("'bqd,dd->bqd', [q, self.W]", "'bqd,de->bqe', [q, self.W]"),
    ],
)
def test_learned_weights(product, fixed):
    wrong = MODULE.format(f"torch.einsum({product})")
    assert found(wrong) == [(12, "error", f"return torch.einsum({fixed})")]
    assert found(MODULE.format(f"torch.einsum({fixed})")) == []


def test_the_rest_of_a_sum_has_no_fix():
    assert found(MODULE.format("torch.einsum('bqd,dd->bq', q, self.W)")) == [(12, "error", None)]


def test_two_in_a_line_are_mended_together():
    line = "torch.einsum('bd,dd->bd', q, self.W) + torch.einsum('bd,dd->bd', k, self.W)"
    fixed = f"return {line.replace('bd,dd->bd', 'bd,de->be')}"
    assert found(MODULE.format(line)) == [(12, "error", fixed)] * 2


def test_the_message():
    code = MODULE.format("torch.einsum('bqd,dd->bqd', q, self.W)")
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert finding.message == (
        "`torch.einsum('bqd,dd->bqd', q, self.W)` calls two axes of `self.W` d: a letter that"
        " stands twice in an operand takes its diagonal, so that nothing else of (d, d) is used"
    )
    assert (finding.tensor.name, finding.tensor.shape) == ("self.W", ("d", "d"))


@pytest.mark.parametrize(
    "product",
    [
        "torch.einsum('dd->d', self.W)",
        "torch.einsum('bii->b', A)",
        "torch.einsum('bii,bij->bj', A, k)",
        "torch.einsum('bqd,dd,bkd->bqk', q, A, k)",
        "torch.einsum('ij,jj,jk->ik', q, A, k)",
        "torch.einsum('bqd,dd->bqd', q, self.A)",
        "torch.einsum('bqd,dd->bqd', q, self.W.t() @ self.W)",
        "torch.einsum('bqd,dd->bqd', q, torch.diag(self.W.diagonal()))",
        # the other operand knows nothing of the letter: the trace of the weight
        "torch.einsum('bq,dd->bq', q, self.W)",
        "torch.einsum('bqd,de->bqe', q, self.W)",
    ],
)
def test_left_alone(product):
    assert found(MODULE.format(product)) == []


ARRAYS = """import numpy as np
import jax
import jax.numpy as jnp
class Score:
    def __init__(self, d):
        self.W = np.random.randn(d, d)
        self.D = np.eye(d)
    def __call__(self, q, k):
        return np.einsum("{own}", q, self.W)
    def right(self, q, k):
        return np.einsum("td,dd->td", q, self.D)
def init(key, d):
    return dict(W=jax.random.normal(key, (d, d)) / d ** 0.5)
def score(params, q, k):
    return jnp.einsum("{given}", q, params["W"], k)
key = jax.random.PRNGKey(0)
score(init(key, 48), jax.random.normal(key, (5, 48)), jax.random.normal(key, (7, 48)))
"""


def test_weights_that_are_drawn():
    wrong = ARRAYS.format(own="td,dd->td", given="qd,dd,kd->qk")
    assert found(wrong) == [
        (9, "error", 'return np.einsum("td,de->te", q, self.W)'),
        (15, "error", 'return jnp.einsum("qd,de,ke->qk", q, params["W"], k)'),
    ]
    assert found(ARRAYS.format(own="td,de->te", given="qd,de,ke->qk")) == []


DRAWN = """import numpy as np
A = np.random.rand(5, 5)
x = np.random.rand(3, 5)
y = np.einsum("{}", x, A{})
"""


def test_a_matrix_drawn_to_try_something():
    """Only between two vectors it can be nothing but a weight."""
    assert found(DRAWN.format("bi,ii->bi", "")) == []
    assert found(DRAWN.format("bi,ii,ci->bc", ", x")) == [
        (4, "error", 'y = np.einsum("bi,ij,cj->bc", x, A, x)')
    ]


NAMED = """import numpy as np
def attention(query, key, value, {name}):
    q = np.einsum("btd,dd->btd", query, {name})
    e = np.exp(np.einsum("btd,bsd->bts", q, key))
    return np.einsum("bts,bsd->btd", e / e.sum(-1, keepdims=True), value)
"""


def test_what_a_name_calls_a_weight():
    fixed = 'q = np.einsum("btd,de->bte", query, W_q)'
    assert found(NAMED.format(name="W_q")) == [(3, "warning", fixed)]
    assert found(NAMED.format(name="adjacency")) == []


FLAX = """import flax.linen as nn
import jax.numpy as jnp
class Mixer(nn.Module):
    d: int
    @nn.compact
    def __call__(self, x):
        W = self.param("W", nn.initializers.lecun_normal(), (self.d, self.d))
        return jnp.einsum("{}", x, W)
"""
KERAS = """import keras
from keras import ops
class Mixer(keras.layers.Layer):
    def __init__(self, d):
        super().__init__()
        self.W = self.add_weight(shape=(d, d))
    def call(self, x):
        return ops.einsum("{}", x, self.W)
"""


@pytest.mark.parametrize("code", [FLAX, KERAS])
def test_layers_of_other_libraries(code):
    (each,) = found(code.format("btd,dd->btd"))
    assert each[2].count('"btd,de->bte"') == 1
    assert found(code.format("btd,de->bte")) == []


def test_words_in_the_place_of_letters():
    line = "einops.einsum(q, self.W, k, 'b q dim, dim dim, b k dim -> b q k')"
    fixed = "return einops.einsum(q, self.W, k, 'b q dim, dim dim_2, b k dim_2 -> b q k')"
    assert found(MODULE.format(line)) == [(12, "error", fixed)]
