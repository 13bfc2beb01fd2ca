"""Products of weights that are no weighted sums of values."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

ITERATION = """\
import torch

def inverse(q, k, v, steps):
    weights = (q @ k.transpose(-2, -1)).softmax(-1)
    identity = torch.eye(weights.size(-1))
    turned = weights.transpose(-1, -2)
    for _ in range(steps):
        product = weights @ turned
        turned = {expression}
    return turned

batch = inverse(torch.ones(2, 5, 4), torch.ones(2, 5, 4), torch.ones(2, 5, 3), 6)
"""


@pytest.mark.parametrize(
    ("expression", "codes"),
    [
        # Newton's iteration for an inverse of weights (Xiong et al. 2021, section 3.2).
        ("0.25 * turned @ (13 * identity - product @ (15 * identity - product))", []),
        ("turned @ (7 * identity - product)", []),
        ("turned @ v", ["ATN302"]),
    ],
)
def test_powers_of_weights_are_no_weighted_sums(expression, codes):
    source = ITERATION.format(expression=expression).encode()
    found = check_source(source, "x.py", Settings()).findings
    assert [finding.code for finding in found if finding.code == "ATN302"] == codes


POOLED = """
from keras import layers, ops

class Pool(layers.Layer):
    def build(self, input_shape):
        dim = input_shape[-1]
        self.W = self.add_weight(shape=(dim, dim), name="W")
        self.u = self.add_weight(shape=(dim, {scores}), name="u")

    def call(self, x):
        weights = ops.softmax(ops.matmul(ops.tanh(ops.matmul(x, self.W)), self.u), axis=1)
        return ops.sum({product}, axis={axis})
"""


@pytest.mark.parametrize(
    ("scores", "product", "axis", "expected"),
    [
        ("1", "x * weights", "-1", [("ATN302", "return ops.sum(x * weights, axis=1)")]),
        ("1", "weights * x", "-1", [("ATN302", "return ops.sum(weights * x, axis=1)")]),
        ("1", "x * weights", "1", []),
        ("dim", "x * weights", "-1", []),
        ("1", "x + weights", "-1", []),
    ],
)
def test_a_sum_over_the_features_of_values_of_unknown_rank(scores, product, axis, expected):
    code = POOLED.format(scores=scores, product=product, axis=axis)
    found = check_source(code.encode(), "x.py", Settings()).findings
    assert [(each.code, each.fix and each.fix.line) for each in found] == expected


COPIED = """from keras import Model, layers, ops
from keras import backend as K


def classify(vocab, longest=50, units=64):
    tokens = layers.Input((longest,), dtype="int32")
    states = layers.LSTM(units, return_sequences=True)(layers.Embedding(vocab, 100)(tokens))
    weights = layers.Flatten()(layers.Dense(1, activation="tanh")(states))
    weights = layers.Activation("softmax")(weights)
    weights = layers.Permute([2, 1])(layers.RepeatVector(units)(weights))
    weighted = layers.Multiply()([states, weights])
    context = {}
    return Model(tokens, context)
"""
EXPANDED = """import torch


def pool(states: torch.Tensor, scorer):
    B, T, H = states.shape
    weights = torch.softmax(torch.tanh(states) @ torch.ones(H), dim=1)
    weights = weights.unsqueeze(-1).{}
    return (weights * states).sum({})
"""


def found(code):
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(
    "total",
    [
        "layers.Lambda(lambda x: ops.sum(x, axis={}))(weighted)",
        "layers.Lambda(lambda x: K.sum(x, axis={}))(weighted)",
        "ops.sum(weighted, axis={})",
    ],
)
def test_weights_that_keras_has_copied_for_each_feature(total):
    fixed = f"context = {total.format(1)}"
    assert found(COPIED.format(total.format(0))) == [("ATN302", 12, fixed)]
    assert found(COPIED.format(total.format(1))) == []


@pytest.mark.parametrize("copies", ["expand(B, T, H)", "repeat(1, 1, H)", "expand_as(states)"])
def test_weights_that_torch_has_copied_for_each_feature(copies):
    fixed = "return (weights * states).sum(1)"
    assert found(EXPANDED.format(copies, 0)) == [("ATN302", 8, fixed)]
    assert found(EXPANDED.format(copies, 1)) == []
    # what each position comes to may be summed in two steps
    assert found(EXPANDED.format(copies, "0).sum(0")) == []


def test_what_a_sum_over_the_batch_says():
    code = EXPANDED.format("expand(B, T, H)", 0).encode()
    (finding,) = check_source(code, "x.py", Settings()).findings
    assert "over axis 0 (B), and not over axis 1 (T), which the weights are normalised over" in (
        finding.message
    )
    assert finding.message.endswith("no sequence has a context")
    assert (finding.tensor.shape, finding.expected.shape) == (("T", "H"), ("B", "H"))


def test_that_each_sequence_has_the_context_of_its_own_states():
    torch = pytest.importorskip("torch")
    states = torch.randn(4, 5, 3, generator=torch.Generator().manual_seed(0))
    pools = []
    for axis in (0, 1):
        space = {}
        exec(EXPANDED.format("expand(B, T, H)", axis), space)
        pools.append(space["pool"])
    wrong, right = (pool(states, None) for pool in pools)
    alone = torch.cat([pools[1](each[None], None) for each in states])
    assert torch.allclose(right, alone, atol=1e-6)
    assert wrong.shape == (5, 3)
