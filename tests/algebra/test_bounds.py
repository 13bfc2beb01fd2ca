"""What is proved of the sign of a size holds for every substitution."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given

from algebra.strategies import NAMES, Tree, divisions, size_of, trees
from attncheck.algebra.bounds import at_least, larger_of, never_negative, never_zero, smaller_of
from attncheck.algebra.size import ONE, ZERO, Size, Symbol, const, of

SYMBOLS = {name: Symbol(name) for name in NAMES}
A, B, C = (of(symbol) for symbol in SYMBOLS.values())
OFFSET = of(Symbol("offset", positive=False))
EVERY = [
    dict(zip(SYMBOLS.values(), numbers, strict=True)) for numbers in product(range(1, 7), repeat=3)
]


@given(trees())
def test_signs_hold_for_every_substitution(tree: Tree) -> None:
    size = size_of(tree, SYMBOLS)
    negative, zero = not never_negative(size), not never_zero(size)
    for values in EVERY:
        value = size.evaluate(values)
        if value is None:
            continue
        assert negative or value >= 0
        full = all((quotient.evaluate(values) or 0) > 0 for quotient in quotients(size))
        assert zero or value or not full


def quotients(size: Size) -> list[Size]:
    return [of(atom) for atom in divisions(size) if atom.sign == "//"]


@pytest.mark.parametrize(
    ("size", "proved"),
    [
        (A - 1, True),
        (A - 2, False),
        (A * B - A, True),
        (A * B + 1 - A, True),
        (A * B * C - B * C, True),
        (A - B, False),
        (A - A // 2, True),
        (A - A // B, True),
        (A // 2, True),
        (2 * (A // 2) - A + 1, True),
        (2 * (A // 2) - A, False),
        (A - A % B, False),
        (A % B, True),
        (B - A % B, False),
        (OFFSET, False),
        (OFFSET * OFFSET, False),
        (OFFSET // 2, False),
        (ZERO, True),
        (const(-1), False),
    ],
)
def test_what_is_never_negative(size: Size, proved: bool) -> None:
    assert never_negative(size) is proved


@pytest.mark.parametrize(
    ("size", "proved"),
    [
        (A, True),
        (A - 1, False),
        (-A, True),
        (A * B + A, True),
        (A * B + 1 - A, True),
        (2 * B * (A // B) - A, True),
        (B * (A // B) + B - A, True),
        (2 * (A // 2) + 1 - A, False),
        (A - 2 * (A // 2) - 1, False),
        (A // 2, True),
        (A % B, False),
        (OFFSET, False),
        (OFFSET + A, False),
    ],
)
def test_what_is_never_zero(size: Size, proved: bool) -> None:
    assert never_zero(size) is proved


def test_the_smaller_and_the_larger_of_two_sizes() -> None:
    assert at_least(A + 1, A)
    assert smaller_of(A, A + B) == A
    assert larger_of(A, A + B) == A + B
    assert smaller_of(A, B) is None
    assert larger_of(A, None) is None
    assert smaller_of(const(4), const(3)) == const(3)
    assert larger_of(A, ONE) == A
