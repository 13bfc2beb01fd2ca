"""Sizes that are less than another whatever is left over of a division."""

import itertools

import pytest

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.quotients import falls_short
from attncheck.algebra.size import Symbol, const, of

D, N, T = (of(Symbol(name)) for name in "dnt")
SHORT = [
    (N * (D // (N * 2)), D),
    (D // 2, D),
    (T * (D // N) * N, T * D * 2),
    ((D // N) * N, D + 1),
]
OPEN = [
    # Comes out even, or may be anything.
    (N * (D // N), D),
    (D // N, D),
    (D // N, T),
    (N * (D // (N * 2)) * 3, D),
    ((D // N) * N + 1, D),
    (D, D * N),
    # What a difference is divided into may be more than it is.
    ((D - N) // 2, D),
    ((D // N) // N, D),
]


@pytest.mark.parametrize(("part", "whole"), SHORT)
def test_the_part_is_less_for_all_numbers(part, whole):
    assert falls_short(part, whole)
    assert not falls_short(whole, part)
    assert Facts().meet(part, whole) is Verdict.DIFFERENT
    symbols = sorted({*part.symbols(), *whole.symbols()}, key=str)
    for numbers in itertools.product(range(1, 7), repeat=len(symbols)):
        known = dict(zip(symbols, map(const, numbers), strict=True))
        values = [size.replace(known.get).number for size in (part, whole)]
        assert values[0] < values[1]


@pytest.mark.parametrize(("part", "whole"), OPEN)
def test_what_may_be_as_much_is_not_said_to_be_less(part, whole):
    assert not falls_short(part, whole)


SHARED_SUMS = [
    ((D * (N * T + 1)) // (N * (N * T + 1)), D // N),
    ((D * (T + 1)) // (N * (T + 1) * 3), D // (N * 3)),
    ((D * (T + 1)) // (T + 1), D),
    ((D * (T + 1)) % (N * (T + 1)), (D % N) * (T + 1)),
]


@pytest.mark.parametrize(("divided", "expected"), SHARED_SUMS)
def test_a_sum_that_both_sides_have_is_cancelled(divided, expected):
    assert divided == expected


def test_a_sum_that_one_side_has_stays():
    assert str(D // (T + 1)) == "d//(t + 1)"


def test_a_division_that_changes_nothing_is_one_by_one():
    facts = Facts()
    facts.equate(D * T, (D // N) * T, "the code says so")
    assert facts.resolve(N) == const(1)
    other = Facts()
    other.equate(D + 1, D // N, "the code says so")
    assert other.resolve(N) == N


@pytest.mark.parametrize("pair", [(N, D // N), (D // N, N), (T, (D * N) // T)])
def test_a_number_of_parts_and_what_each_of_them_has_are_two_sizes(pair):
    assert Facts().compare(*pair) is Verdict.DISTINCT


@pytest.mark.parametrize("pair", [(N, D // T), (D, D // N + 1), (N, 2 * (D // N))])
def test_other_quotients_are_not_told_from_a_number_of_parts(pair):
    assert Facts().compare(*pair) is not Verdict.DISTINCT


def test_a_number_of_parts_is_what_the_code_says_it_is():
    facts = Facts()
    facts.equate(D, N * N, "the code says so")
    assert facts.compare(N, D // N) is Verdict.EQUAL
