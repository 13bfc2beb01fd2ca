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
