"""ATN104: dots of two stacks of matrices, which pair each with each, and where that is meant."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

STACKED = '''import numpy as np
import jax
import jax.numpy as jnp
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
def attend(q, k, v):
    """q (B, T, d), k (B, S, d), v (B, S, d_v)"""
    scores = {}
    weights = softmax(scores / np.sqrt(q.shape[-1]))
    return {}
'''
SCORES = "np.matmul(q, k.transpose(0, 2, 1))"
SUM = "np.matmul(weights, v)"


def found(code):
    """(code, line, fixed lines) of every finding."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(
    ("dot", "fixed"),
    [
        ("np.dot(q, k.transpose(0, 2, 1))", SCORES),
        ("np.dot(q, b=np.swapaxes(k, 1, 2))", "np.matmul(q, b=np.swapaxes(k, 1, 2))"),
        ("q.dot(k.transpose(0, 2, 1))", SCORES),
        ("jnp.dot(q, jnp.swapaxes(k, 1, 2))", "jnp.matmul(q, jnp.swapaxes(k, 1, 2))"),
    ],
)
def test_scores(dot, fixed):
    code = STACKED.format(dot, SUM)
    assert found(code)[:1] == [("ATN104", 9, f"scores = {fixed}")]
    assert found(STACKED.format(fixed.replace("b=", ""), SUM)) == []


@pytest.mark.parametrize("dot", ["np.dot(weights, v)", "weights.dot(v)"])
def test_sums(dot):
    assert found(STACKED.format(SCORES, dot)) == [("ATN104", 11, f"return {SUM}")]


def test_two_that_read_each_other_are_mended_together():
    code = STACKED.format("np.dot(q, k.transpose(0, 2, 1))", "np.dot(weights, v)")
    fixed = f"scores = {SCORES}\nreturn {SUM}"
    assert found(code) == [("ATN104", 9, fixed), ("ATN104", 11, fixed)]


def test_the_message_and_the_tensor():
    code = STACKED.format("np.dot(q, k.transpose(0, 2, 1))", SUM)
    finding = check_source(code.encode(), "x.py", Settings()).findings[0]
    assert finding.message == (
        "`np.dot(q, k.transpose(0, 2, 1))` multiplies each matrix of one stack with each matrix of"
        " the other: (B, T, d) and (B, d, S) make (B, T, B, S); pair by pair (`matmul`) they make"
        " (B, T, S)"
    )
    assert finding.severity == "error"
    assert (finding.tensor.name, finding.tensor.shape) == ("scores", ("B", "T", "B", "S"))
    assert finding.expected.shape == ("B", "T", "S")


HEADS = """import numpy as np
class Attention:
    def __init__(self, d_model=64, heads=8):
        self.d_model, self.heads = d_model, heads
        self.d_k = d_model // heads
        self.W = np.random.randn(d_model, d_model)
    def split(self, x):
        B, T = x.shape[:2]
        return x.reshape(B, T, self.heads, self.d_k).transpose(0, 2, 1, 3)
    def forward(self, x, mask):
        q, k, v = self.split(np.dot(x, self.W)), self.split(x), self.split(x)
        energy = np.dot(q, k.transpose(0, 1, 3, 2))
        energy = np.where(mask == 0, -1e9, energy)
        e = np.exp(energy)
        out = np.dot(e / e.sum(axis=-1, keepdims=True), v)
        return out.transpose(0, 2, 1, 3).reshape(x.shape[0], -1, self.d_model)
print(Attention().forward(np.random.randn(4, 10, 64), np.tril(np.ones((10, 10)))))
"""


def test_what_too_many_axes_lead_to_is_not_told_again():
    """Neither the mask, which meets other axes, nor the transpose, which orders four."""
    assert [each[:2] for each in found(HEADS)] == [("ATN104", 12), ("ATN104", 15)]
    assert found(HEADS.replace("np.dot(q", "np.matmul(q").replace("np.dot(e", "np.matmul(e")) == []


LATER = '''import numpy as np
def f(q, k):
    """q (B, T, d), k (B, S, d)"""
    B, T, d = q.shape
    s = np.dot(q, k.transpose(0, 2, 1))
    {}
'''


@pytest.mark.parametrize(
    "later", ["return s.transpose(0, 2, 1)", "return s.sum(axis=1).transpose(1, 0)"]
)
def test_something_fails_later(later):
    assert found(LATER.format(later)) == [("ATN104", 5, "s = np.matmul(q, k.transpose(0, 2, 1))")]


@pytest.mark.parametrize(
    "later",
    [
        # nobody knows what becomes of it
        "return s",
        "return s / np.sqrt(d)",
        # all pairs are taken as such
        "e = np.exp(s.transpose(0, 2, 1, 3))\n    return e / e.sum(-1, keepdims=True)",
        "e = np.exp(s)\n    return (e / e.sum(axis=-1, keepdims=True)).max(axis=3)",
        "e = np.exp(s[np.arange(B), :, np.arange(B), :])\n    return e / e.sum(-1, keepdims=True)",
        "e = np.exp(np.einsum('btbs->bts', s))\n    return e / e.sum(-1, keepdims=True)",
        "e = np.exp(s.reshape(B * T, B * k.shape[1]))\n    return e / e.sum(-1, keepdims=True)",
        "e = np.exp(np.diagonal(s, axis1=0, axis2=2))\n    return e / e.sum(-1, keepdims=True)",
        "e = np.exp(s + np.ones((B, T, B, 1)))\n    return e / e.sum(-1, keepdims=True)",
    ],
)
def test_left_alone(later):
    assert [each for each in found(LATER.format(later)) if each[0] == "ATN104"] == []


@pytest.mark.parametrize(
    ("left", "right"),
    [
        # another stack, one matrix for all, and vectors
        ("(B, T, d)", "(N, d, S)"),
        ("(B, T, d)", "(d, S)"),
        ("(T, d)", "(B, d, S)"),
        ("(B, T, d)", "(d,)"),
        ("(1, T, d)", "(1, d, S)"),
    ],
)
def test_other_stacks(left, right):
    code = (
        "import numpy as np\n"
        f'def f(x, y):\n    """x {left}, y {right}"""\n'
        "    e = np.exp(np.dot(x, y))\n    return e / e.sum(axis=-1, keepdims=True)\n"
    )
    assert found(code) == []


def test_keras_decides_by_its_backend():
    code = STACKED.replace("import numpy as np", "import numpy as np\nfrom keras import ops", 1)
    code = code.format("ops.dot(q, ops.transpose(k, (0, 2, 1)))", SUM)
    assert [each for each in found(code) if each[1] == 10] == []
