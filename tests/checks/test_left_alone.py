"""Right code that looks like a bug in one respect: nothing is said about it."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"

COLUMN = """
def transform(n):
    k = torch.arange(n, dtype=torch.float32)
    return {expression}
"""

COMPARED = """
def aligned(x, other):
    b, n = x.shape
    y = other.reshape(n, b)
    return {expression}
"""

SINKHORN = """
def mix(q, k, x, rounds):
    weights = (q @ k.transpose(-1, -2)).softmax(-1)
    {again}
    return weights.transpose(-1, -2) @ x

y = mix(torch.ones(2, 5, 4), torch.ones(2, 5, 4), torch.ones(2, 5, 3), 2)
"""

POINTER = """
def order(q, k):
    n = q.shape[1]
    logits = q @ k.transpose(-2, -1)
    past = torch.tril(torch.ones(n, n)).bool()
    logits = logits.masked_fill(past, -1e4)
    return {result}
"""

ASKED = """
def shifted(x, kinds=None):
    b, n, d = x.shape
    {asking}
    marked = kinds == 1
    return torch.roll(marked, shifts=1, dims=-1)[..., :n]
"""


def codes(code):
    return [each.code for each in check_source((HEAD + code).encode(), "x.py", Settings()).findings]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [("k.view(-1, 1) * k", []), ("k[:, None] * k / 2", []), ("-2.0 * k.reshape(-1, 1) * k", [])],
)
def test_a_column_that_meets_its_own_row(expression, expected):
    assert codes(COLUMN.format(expression=expression)) == expected


@pytest.mark.parametrize(
    ("expression", "expected"), [("x == y", []), ("x < y", []), ("x + y", ["ATN202"])]
)
def test_tensors_that_are_compared_in_another_order(expression, expected):
    assert codes(COMPARED.format(expression=expression)) == expected


@pytest.mark.parametrize(
    ("again", "expected"),
    [
        ("weights = weights / weights.sum(-2, keepdim=True)", []),
        ("weights = weights / (weights.sum(-2, keepdim=True) + 1e-6)", []),
        ("pass", ["ATN302"]),
    ],
)
def test_weights_that_are_normalised_once_more(again, expected):
    """Sinkhorn's iteration makes both the rows and the columns of a matrix sum to one."""
    assert codes(SINKHORN.format(again=again)) == expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [("logits", []), ("logits.sigmoid()", []), ("logits.softmax(-1) @ k", ["ATN502"])],
)
def test_masks_on_what_is_no_score(result, expected):
    assert codes(POINTER.format(result=result)) == expected


@pytest.mark.parametrize("asking", ["pass", "kinds = kinds.to(x.device)"])
def test_an_argument_that_is_never_asked_for_is_given(asking):
    assert codes(ASKED.format(asking=asking)) == []


UNSEEN = """
from elsewhere import kinds_of

def shifted(x):
    kinds = kinds_of(x)
    marked = {marked}
    return torch.roll(marked, shifts=1, dims=-1)
"""


@pytest.mark.parametrize("marked", ["kinds == 1", "(kinds == 1) | (kinds == 2)", "~(kinds == 1)"])
def test_what_is_compared_without_being_known_may_have_any_axes(marked):
    assert codes(UNSEEN.format(marked=marked)) == []
