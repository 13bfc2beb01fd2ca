"""Operands whose axes stand in another order than those that they meet, and the order they want."""

import pytest

torch = pytest.importorskip("torch")

from attncheck.checks.put_in_order import order_of, other_orders  # noqa: E402
from attncheck.engine import check_source  # noqa: E402
from attncheck.settings import Settings  # noqa: E402

BIASED = """import torch

def attend(q, k, v):
    bias = torch.zeros({bias})
    scores = q @ k.transpose(-2, -1)
    scores = {sum}
    return scores.softmax(-1) @ v

attend(torch.ones(2, 3, 5, 8), torch.ones(2, 3, 7, 8), torch.ones(2, 3, 7, 8))
"""


@pytest.mark.parametrize(
    ("bias", "written", "fix"),
    [
        ("5, 7, 3", "scores + bias", "scores = scores + bias.permute(2, 0, 1)"),
        ("1, 5, 7, 3", "scores + bias", "scores = scores + bias.permute(0, 3, 1, 2)"),
        ("7, 3, 5", "scores + bias", "scores = scores + bias.permute(1, 2, 0)"),
        ("7, 5, 3", "bias + scores", "scores = bias.transpose(0, 2) + scores"),
        ("5, 3, 7", "scores - bias", "scores = scores - bias.transpose(0, 1)"),
    ],
)
def test_a_bias_with_its_heads_in_another_place(bias, written, fix):
    code = BIASED.format(bias=bias, sum=written)
    (found,) = check_source(code.encode(), "x.py", Settings()).findings
    assert (found.code, found.line, found.tensor.name) == ("ATN110", 6, "bias")
    assert found.expected.shape == ((1, 3, 5, 7) if bias.startswith("1") else (3, 5, 7))
    assert found.fix is not None
    assert found.fix.line == fix
    with pytest.raises(RuntimeError):
        exec(code, {})
    fixed = code.replace(f"scores = {written}", fix)
    exec(fixed, {})
    assert list(check_source(fixed.encode(), "x.py", Settings()).findings) == []


def test_sizes_that_no_order_lines_up():
    code = BIASED.format(bias="5, 6, 3", sum="scores + bias")
    (found,) = check_source(code.encode(), "x.py", Settings()).findings
    assert (found.code, found.expected and found.expected.shape) == ("ATN110", None)


def test_orders_that_exchange_fewer_axes_come_first():
    from attncheck.algebra.size import const

    two, three = tuple(map(const, (4, 5, 5))), tuple(map(const, (2, 5, 5, 4)))
    orders = [wanted for index, wanted, _ in other_orders(two, three) if index == 0]
    assert [tuple(size.number for size in wanted) for wanted in orders[:2]] == [
        (4, 5, 5),
        (5, 4, 5),
    ]
    assert order_of(two, tuple(map(const, (5, 5, 4)))) == (1, 2, 0)
    assert order_of(two, two) is None
    assert order_of(two, tuple(map(const, (5, 4, 4)))) is None
