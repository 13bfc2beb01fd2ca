"""A repeated axis remembers in which order its copies lie, and a reshape takes it apart so."""

import pytest

from attncheck.algebra.facts import Facts
from attncheck.algebra.reshape import Order, reshape
from attncheck.algebra.shape import COPIES, Axis, Shape
from attncheck.algebra.size import ONE, Symbol, of
from attncheck.operators.repeating import repeated

B, H, N = (of(Symbol(name)) for name in "BHN")


def made(axis, *, outside, count=N):
    return repeated(axis, count, Facts(), outside=outside)


@pytest.mark.parametrize(("outside", "sizes"), [(True, (N, B)), (False, (B, N))])
def test_order_of_parts(outside, sizes):
    axis = made(Axis(B), outside=outside)
    assert axis.size == B * N
    assert tuple(part.size for part in axis.parts) == sizes
    assert [part.made == COPIES for part in axis.parts] == [outside, not outside]


@pytest.mark.parametrize(("outside", "sizes"), [(True, (N, B, H)), (False, (B, H, N))])
def test_parts_of_a_merged_axis_stay_apart(outside, sizes):
    merged = Axis(B * H, parts=(Axis(B), Axis(H)))
    assert tuple(part.size for part in made(merged, outside=outside).parts) == sizes


@pytest.mark.parametrize("outside", [True, False])
def test_copies_of_one_element(outside):
    axis = made(Axis(ONE), outside=outside)
    assert (axis.size, axis.parts, axis.made) == (N, (), COPIES)


def test_once_and_unknown():
    axis = Axis(B)
    assert made(axis, outside=True, count=ONE) is axis
    assert made(axis, outside=True, count=None) == Axis(None)
    assert made(Axis(None), outside=True) == Axis(None)


@pytest.mark.parametrize(
    ("outside", "wanted", "order"),
    [
        (True, (N, B), Order.KEPT),
        (True, (B, N), Order.SCRAMBLED),
        (False, (B, N), Order.KEPT),
        (False, (N, B), Order.SCRAMBLED),
    ],
)
def test_reshape_takes_copies_apart(outside, wanted, order):
    shape = Shape((made(Axis(B), outside=outside), Axis(H)))
    assert reshape(shape, [*wanted, H], Facts()).order is order
