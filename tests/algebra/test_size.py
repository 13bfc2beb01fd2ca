"""Sizes compute what Python's integers compute, and have one form for one polynomial."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from algebra.strategies import NAMES, Tree, size_of, trees, value_of
from attncheck.algebra.notation import parse_size
from attncheck.algebra.size import ONE, ZERO, Size, Symbol, const, of, product

SYMBOLS = {name: Symbol(name) for name in NAMES}
ANY_SIGN = {name: Symbol(name, positive=False) for name in NAMES}
A, B, C = (of(symbol) for symbol in SYMBOLS.values())

sizes = trees().map(lambda tree: size_of(tree, SYMBOLS))
polynomials = trees(operators="+ - *").map(lambda tree: size_of(tree, SYMBOLS))


def numbers(least: int) -> st.SearchStrategy[dict[str, int]]:
    return st.fixed_dictionaries({name: st.integers(least, 12) for name in NAMES})


@given(trees(), numbers(1))
def test_a_size_is_what_python_computes(tree: Tree, values: dict[str, int]) -> None:
    expected = value_of(tree, values)
    assume(expected is not None)
    found = size_of(tree, SYMBOLS).evaluate({SYMBOLS[n]: v for n, v in values.items()})
    assert found == expected


@given(trees(), numbers(-6))
def test_symbols_that_may_be_negative_are_computed_like_python(
    tree: Tree, values: dict[str, int]
) -> None:
    expected = value_of(tree, values)
    assume(expected is not None)
    found = size_of(tree, ANY_SIGN).evaluate({ANY_SIGN[n]: v for n, v in values.items()})
    assert found == expected


@given(polynomials, polynomials, polynomials)
def test_ring_laws_hold_as_equality_of_form(x: Size, y: Size, z: Size) -> None:
    assert x + y == y + x
    assert x * y == y * x
    assert (x + y) + z == x + (y + z)
    assert (x * y) * z == x * (y * z)
    assert x * (y + z) == x * y + x * z
    assert x - x == ZERO
    assert x + ZERO == x * ONE == x
    assert ZERO - (ZERO - x) == x
    assert x - y == x + -y


@given(sizes, sizes)
def test_equal_sizes_have_one_hash_and_one_text(x: Size, y: Size) -> None:
    for one, other in ((x + y, y + x), (x * y, y * x), ((x + y) * x, x * x + y * x)):
        assert one == other
        assert hash(one) == hash(other)
        assert str(one) == str(other)


def test_divisions_of_like_named_symbols_have_one_order() -> None:
    other = of(Symbol("a"))
    x, y = A // 2, other // 2
    assert str(x) == str(y)
    assert x != y
    assert x * y == y * x


@given(sizes, numbers(1))
def test_the_text_is_python_for_the_size(size: Size, values: dict[str, int]) -> None:
    expected = size.evaluate({SYMBOLS[name]: value for name, value in values.items()})
    assume(expected is not None)
    assert eval(str(size), dict(values)) == expected


@given(sizes)
def test_the_text_reads_back_as_the_same_size(size: Size) -> None:
    assume(" 0" not in str(size) and "//0" not in str(size) and "%0" not in str(size))
    assert parse_size(str(size), SYMBOLS.__getitem__) == size


@given(polynomials, polynomials)
def test_an_exact_division_undoes_a_product(x: Size, y: Size) -> None:
    assume(y.terms)
    assert (x * y).divided_by(y) == x
    assert (x * y) // y == x
    assert (x * y) % y == ZERO


@given(sizes, sizes)
def test_an_exact_quotient_times_the_divisor_is_the_size(x: Size, y: Size) -> None:
    quotient = x.divided_by(y)
    if quotient is not None:
        assert quotient * y == x


@given(sizes, sizes, numbers(1))
def test_quotient_and_remainder_make_the_size(x: Size, y: Size, values: dict[str, int]) -> None:
    put = {SYMBOLS[name]: value for name, value in values.items()}
    total = (x // y * y + x % y).evaluate(put)
    assume(total is not None)
    assert total == x.evaluate(put)


@given(trees(), st.fixed_dictionaries({name: trees() for name in NAMES}), numbers(1))
def test_replacing_symbols_is_computing_with_the_replacements(
    tree: Tree, replacements: dict[str, Tree], values: dict[str, int]
) -> None:
    inner = {name: value_of(replacement, values) for name, replacement in replacements.items()}
    # Symbols stand for sizes, from 1 on.
    known = {name: value for name, value in inner.items() if value is not None and value > 0}
    assume(len(known) == len(NAMES))
    expected = value_of(tree, known)
    assume(expected is not None)
    put = {
        SYMBOLS[name]: size_of(replacement, SYMBOLS) for name, replacement in replacements.items()
    }
    replaced = size_of(tree, SYMBOLS).replace(put.get)
    found = replaced.evaluate({SYMBOLS[name]: value for name, value in values.items()})
    assert found == expected


def test_replacements_are_put_in_all_at_once() -> None:
    swap = {SYMBOLS["a"]: B, SYMBOLS["b"]: A}
    assert (A - 2 * B).replace(swap.get) == B - 2 * A
    assert (A + 1).replace({SYMBOLS["a"]: A + 1}.get) == A + 2


@given(sizes, numbers(1))
def test_the_primitive_part_is_zero_where_the_size_is(size: Size, values: dict[str, int]) -> None:
    put = {SYMBOLS[name]: value for name, value in values.items()}
    value = size.evaluate(put)
    assume(value is not None)
    rest = size.primitive().evaluate(put)
    assert rest is not None
    assert (rest == 0) == (value == 0)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (A - 1, "a - 1"),
        (1 - A, "1 - a"),
        (B * A, "a*b"),
        (2 * A * A + 3, "2*a**2 + 3"),
        (A // 2, "a//2"),
        (-(A // 2), "-(a//2)"),
        (B - A // 2, "b - a//2"),
        (2 * (A // B), "2*(a//b)"),
        ((A * B + 1) % C, "(a*b + 1)%c"),
        (A - B + 1, "a - b + 1"),
        (ZERO, "0"),
        (const(-3), "-3"),
    ],
)
def test_sizes_are_written_as_people_write_them(size: Size, text: str) -> None:
    assert str(size) == text


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (A * B // B, A),
        ((2 * A + 1) // 2, A),
        ((2 * A + 1) % 2, ONE),
        ((A + 2) // 2, A // 2 + 1),
        ((A - 1) // 2 + 1, (A + 1) // 2),
        (A // 2 // 3, A // 6),
        (A // B // C, A // (B * C)),
        (A * C // (B * C), A // B),
        (A * C % (B * C), A % B * C),
        ((A + 1) * B // (A + 1), B),
        (const(7) // 2, const(3)),
        (const(-7) // 2, const(-4)),
        (const(-7) % 2, ONE),
        (7 // const(2), const(3)),
        (7 % const(4), const(3)),
        (10 - A, -A + 10),
    ],
)
def test_divisions_are_simplified_where_they_always_hold(left: Size, right: Size) -> None:
    assert left == right


def test_a_division_by_zero_has_no_value() -> None:
    assert (A // 0).evaluate({SYMBOLS["a"]: 3}) is None
    assert (A % ZERO).evaluate({SYMBOLS["a"]: 3}) is None
    assert (ZERO // 0).evaluate() is None
    assert A.divided_by(ZERO) is None


def test_evaluation_uses_the_symbols_own_numbers() -> None:
    heads = Symbol("n_heads", value=8)
    assert (of(heads) * 4).evaluate() == 32
    assert (of(heads) * 4).evaluate({heads: 2}) == 8
    assert (of(heads) + A).evaluate() is None


@given(sizes, st.integers(0, 4))
def test_powers_are_repeated_products(size: Size, exponent: int) -> None:
    power = size**exponent
    # Powers too large to be kept equal nothing else.
    assume("huge" not in str(power))
    assert power == product([size] * exponent)


def test_a_negative_power_is_refused() -> None:
    with pytest.raises(ValueError, match="negative power"):
        A**-1


def test_no_expression_makes_the_algebra_run_away() -> None:
    towers = [(A + B + C) ** 10**6, (A + 1) ** 3000, const(3) ** 10**12]
    for tower in towers:
        assert tower.evaluate({SYMBOLS[name]: 2 for name in NAMES}) is None
    size = A
    for _ in range(200):
        size = size // 7 + size % 5
        size = size * size
    assert len(str(size)) < 10_000
    assert const(1) ** 10**12 == ONE
    assert str(const(1 << 100_000)) == "huge"
