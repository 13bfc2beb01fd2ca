"""A short look says nothing that a long one does not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from algebra.strategies import NAMES, Tree, size_of
from algebra.test_facts import pairs
from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.glances import differ
from attncheck.algebra.size import Symbol, const, of

A, B, C = (of(Symbol(name)) for name in "abc")


@st.composite
def symbols_of_few_names(draw: st.DrawFn) -> dict[str, Symbol]:
    """Symbols of which several may have one name, as those of the table have."""
    return {
        name: Symbol(
            draw(st.sampled_from(NAMES)),
            flexible=draw(st.booleans()),
            table=draw(st.booleans()),
            value=draw(st.none() | st.integers(1, 5)),
        )
        for name in NAMES
    }


@given(pairs(), pairs(), symbols_of_few_names())
def test_sizes_are_equal_where_they_compare_so(
    pair: tuple[Tree, Tree], learned: tuple[Tree, Tree], symbols: dict[str, Symbol]
) -> None:
    facts = Facts()
    try:
        facts.equate(*(size_of(tree, symbols) for tree in learned), "it says so")
        left, right = (size_of(tree, symbols) for tree in pair)
    except ZeroDivisionError:
        return
    assert facts.equal(left, right) is (facts.compare(left, right) is Verdict.EQUAL)


def test_products_of_other_sizes_differ_at_first_sight():
    assert differ(A * B, A * C)
    assert differ(A * B * C, A + B)
    assert differ(A * 2, A * 3)
    assert differ(A * (B // C), A)


def test_what_comes_out_even_is_looked_at_for_long():
    assert not differ(C * (B // C), B)
    assert not differ(A * (B // C) * C, A * B)


def test_what_more_is_known_of_is_looked_at_for_long():
    heads = of(Symbol("heads", value=4))
    assert not differ(heads, const(4))
    assert not differ(A % B, A)
    one, other = (of(Symbol("d_model", table=True)) for _ in range(2))
    assert not differ(one * A, other * A)
    assert Facts().equal(one * A, other * A)
