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
