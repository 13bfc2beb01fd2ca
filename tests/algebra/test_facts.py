"""Verdicts hold for every substitution that the facts allow, and every fact can be forgotten."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.strategies import NAMES, Tree, divisions, evenly, size_of, substitutions, trees
from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.quotients import cancel_quotients, clear_quotients
from attncheck.algebra.shape import Row, shape_of
from attncheck.algebra.size import ONE, Size, Symbol, const, of

EQUAL, DIFFERENT, DISTINCT, UNKNOWN = Verdict


@st.composite
def some_symbols(draw: st.DrawFn) -> dict[str, Symbol]:
    """Symbols of every kind: flexible or not, of the table or not, with a number or without."""
    return {
        name: Symbol(
            name,
            flexible=draw(st.booleans()),
            table=draw(st.booleans()),
            value=draw(st.none() | st.integers(1, 5)),
        )
        for name in NAMES
    }


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Tree, Tree]:
    """Two expressions: any two, or one that is the other's in disguise, or nearly."""
    left, right = draw(trees()), draw(trees())
    third = draw(trees())
    disguises = [
        right,
        ("-", ("+", left, right), right),
        ("//", ("*", left, third), third),
        ("*", third, ("//", left, third)),
        ("+", left, 1),
        ("*", left, 2),
        ("-", ("+", left, "a"), "b"),
        ("+", ("*", 2, ("//", left, 2)), 1),
        ("*", third, ("+", ("//", left, third), 1)),
        ("*", ("*", 2, third), ("//", left, third)),
        ("+", ("*", ("//", left, third), third), ("%", left, third)),
    ]
    return left, draw(st.sampled_from(disguises))


def allowed(facts: Facts, symbols: dict[str, Symbol]) -> Iterator[dict[Symbol, int]]:
    """The substitutions that agree with what the symbols were bound to."""
    for values in substitutions(list(symbols.values()), range(1, 6)):
        bound = ((symbol, facts.resolve(of(symbol))) for symbol in symbols.values())
        if all(size.evaluate(values) == values[symbol] for symbol, size in bound):
            yield values


def check(verdict: Verdict, left: Size, right: Size, values: dict[Symbol, int]) -> None:
    a, b = left.evaluate(values), right.evaluate(values)
    if a is None or b is None or not (evenly(left, values) and evenly(right, values)):
        return
    if verdict is EQUAL:
        assert a == b
    if verdict is DIFFERENT:
        assert a != b


@given(pairs(), some_symbols())
def test_verdicts_hold_for_every_substitution(
    pair: tuple[Tree, Tree], symbols: dict[str, Symbol]
) -> None:
    left, right = (size_of(tree, symbols) for tree in pair)
    facts = Facts()
    verdict = facts.compare(left, right)
    assert facts.compare(right, left) is verdict
    for values in allowed(facts, symbols):
        check(verdict, left, right, values)
        if verdict is DIFFERENT and all(nowhere_empty(size, values) for size in (left, right)):
            # That two sizes differ is a proof: it does not rest on divisions coming out even.
            assert left.evaluate(values) != right.evaluate(values)


@given(pairs(), some_symbols())
def test_axes_that_hold_something_differ_where_they_are_said_to(
    pair: tuple[Tree, Tree], symbols: dict[str, Symbol]
) -> None:
    left, right = (size_of(tree, symbols) for tree in pair)
    facts = Facts()
    verdict = facts.meet(left, right)
    assert facts.meet(right, left) is verdict
    assert verdict is facts.compare(left, right) or verdict is DIFFERENT
    for values in allowed(facts, symbols):
        numbers = [size.evaluate(values) for size in (left, right)]
        empty = any(not nowhere_empty(size, values) for size in (left, right))
        if verdict is DIFFERENT and not empty and all(n is not None and n > 0 for n in numbers):
            assert numbers[0] != numbers[1]


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        ("n", ("*", 2, "n"), DIFFERENT),
        (("*", "a", "n"), ("*", ("*", 3, "a"), "n"), DIFFERENT),
        (("*", "n", ("+", ("//", "a", "n"), 1)), "a", DIFFERENT),
        (("*", ("*", "b", "n"), ("+", ("//", "a", "n"), 2)), ("*", "b", "a"), DIFFERENT),
        (("*", ("*", 2, "n"), ("//", "a", "n")), "a", DIFFERENT),
        (("*", "n", ("//", "a", "n")), "a", EQUAL),
        (("+", ("*", "n", ("//", "a", "n")), "b"), "a", UNKNOWN),
        (("+", ("*", 2, ("//", "a", 2)), 1), "a", UNKNOWN),
        (("*", 2, "a"), ("*", 3, "b"), UNKNOWN),
    ],
)
def test_multiples_and_parts_too_large_never_meet(
    left: Tree, right: Tree, verdict: Verdict
) -> None:
    symbols = {name: Symbol(name, positive=False) for name in (*NAMES, "n")}
    facts = Facts()
    assert facts.meet(size_of(left, symbols), size_of(right, symbols)) is verdict


def nowhere_empty(size: Size, values: dict[Symbol, int]) -> bool:
    """Whether nothing is divided by more than it is: no axis is empty."""
    for atom in divisions(size):
        above, below = atom.numerator.evaluate(values), atom.denominator.evaluate(values)
        if above is None or not below or above // below < 1:
            return False
    return size.evaluate(values) is not None


@given(pairs(), pairs(), some_symbols(), st.booleans())
def test_verdicts_hold_under_what_was_learned(
    learned: tuple[Tree, Tree], asked: tuple[Tree, Tree], symbols: dict[str, Symbol], forced: bool
) -> None:
    facts = Facts()
    one, other = (size_of(tree, symbols) for tree in learned)
    (facts.force if forced else facts.equate)(one, other, "test")
    left, right = (size_of(tree, symbols) for tree in asked)
    verdict = facts.compare(left, right)
    left, right = facts.resolve(left), facts.resolve(right)
    for values in allowed(facts, symbols):
        check(verdict, left, right, values)


@given(st.lists(pairs(), max_size=4), some_symbols())
def test_resolved_sizes_have_no_bound_symbol(
    learned: list[tuple[Tree, Tree]], symbols: dict[str, Symbol]
) -> None:
    facts = Facts()
    for one, other in learned:
        facts.equate(size_of(one, symbols), size_of(other, symbols), "test")
    for symbol in symbols.values():
        resolved = facts.resolve(of(symbol))
        assert facts.resolve(resolved) == resolved
        assert all(facts.reason(left) is None for left in resolved.symbols())


@given(pairs(), some_symbols())
def test_what_is_equated_is_equal_unless_it_is_known_to_differ(
    pair: tuple[Tree, Tree], symbols: dict[str, Symbol]
) -> None:
    facts = Facts()
    left, right = (size_of(tree, symbols) for tree in pair)
    before = facts.equate(left, right, "test")
    if before is EQUAL or facts.has_bindings:
        assert before is not DIFFERENT
        assert facts.compare(left, right) is EQUAL


@given(pairs(), some_symbols())
def test_an_operation_forces_flexible_symbols_only(
    pair: tuple[Tree, Tree], symbols: dict[str, Symbol]
) -> None:
    facts = Facts()
    left, right = (size_of(tree, symbols) for tree in pair)
    verdict = facts.force(left, right, "test")
    bound = [symbol for symbol in symbols.values() if facts.reason(symbol) is not None]
    assert all(symbol.flexible for symbol in bound)
    assert verdict is EQUAL or not bound
    assert facts.meet(left, right) is verdict


@given(st.lists(pairs(), min_size=1, max_size=4), pairs(), some_symbols(), st.data())
def test_undo_restores_every_answer(
    learned: list[tuple[Tree, Tree]],
    asked: tuple[Tree, Tree],
    symbols: dict[str, Symbol],
    data: st.DataObject,
) -> None:
    facts = Facts()
    steps = [tuple(size_of(tree, symbols) for tree in pair) for pair in learned]
    left, right = (size_of(tree, symbols) for tree in asked)
    at = data.draw(st.integers(0, len(steps)))
    for one, other in steps[:at]:
        facts.equate(one, other, "before")
    before = facts.compare(left, right), facts.resolve(left), facts.divisible(left, right)
    mark = facts.mark()
    for one, other in steps[at:]:
        facts.force(one, other, "after")
        facts.equate(one, other, "after")
        facts.divides(one, other, "after")
        facts.relate(symbols["a"], other)
        facts.bind_row(Row("x"), shape_of(one, other))
    new = facts.learned(mark)
    after = facts.compare(left, right), facts.resolve(left), facts.divisible(left, right)
    facts.undo(mark)
    assert facts.learned(mark) == []
    assert before == (
        facts.compare(left, right),
        facts.resolve(left),
        facts.divisible(left, right),
    )
    facts.keep(new)
    assert after == (
        facts.compare(left, right),
        facts.resolve(left),
        facts.divisible(left, right),
    )


@given(trees(), trees(), some_symbols())
def test_divisibility_holds_for_every_substitution(
    above: Tree, below: Tree, symbols: dict[str, Symbol]
) -> None:
    facts = Facts()
    size, divisor = size_of(above, symbols), size_of(below, symbols)
    verdict = facts.divisible(size, divisor)
    for values in allowed(facts, symbols):
        a, b = size.evaluate(values), divisor.evaluate(values)
        if a is None or not b:
            continue
        assert verdict is not EQUAL or a % b == 0
        assert verdict is not DIFFERENT or a % b
        assert not facts.always_divides(divisor, size) or a % b == 0


@given(trees(), some_symbols())
def test_cancelled_and_cleared_divisions_mean_the_same_where_they_come_out_even(
    tree: Tree, symbols: dict[str, Symbol]
) -> None:
    size = size_of(tree, symbols)
    for values in allowed(Facts(), symbols):
        if not evenly(size, values) or size.evaluate(values) is None:
            continue
        assert cancel_quotients(size).evaluate(values) == size.evaluate(values)
        assert (clear_quotients(size).evaluate(values) == 0) == (size.evaluate(values) == 0)


# -- the table ----------------------------------------------------------------------------------


def table(name: str, value: int | None = None) -> Size:
    return of(Symbol(name, table=True, value=value))


B, T, D = table("batch_size"), table("T_enc"), table("d_model")
H, K, V, S = table("n_heads"), table("d_k"), table("d_v"), table("d_s")
W = of(Symbol("window"))
X = of(Symbol("x_0", flexible=True))
M, N, P = (of(Symbol(name)) for name in "mnp")


@pytest.fixture
def facts() -> Facts:
    """What every trace starts with."""
    known = Facts()
    assert D.symbol is not None
    known.relate(D.symbol, H * K)
    return known


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        (B, T, DISTINCT),
        (B * T, B * S, DISTINCT),
        (B + T, B + S, DISTINCT),
        # An expression may well be what another name stands for.
        (T + 1, B, UNKNOWN),
        (T // 2, S, UNKNOWN),
        (2 * T, T, DIFFERENT),
        (T + 1, T, DIFFERENT),
        (T + B, B, DIFFERENT),
        (T, W, UNKNOWN),
        (T, X, UNKNOWN),
        # A number may be what a name stands for.
        (T, const(64), UNKNOWN),
        (H * K, 8 * K, UNKNOWN),
        (D // 8, K, UNKNOWN),
        (K + V, const(128), UNKNOWN),
        # The width and its heads belong together, in both directions.
        (D, H * K, EQUAL),
        (D // H, K, EQUAL),
        (D // K, H, EQUAL),
        (B * T * D, B * T * H * K, EQUAL),
        (H * (D // H), D, EQUAL),
        (H * V, D, UNKNOWN),
        (2 * H * (D // H), D, DIFFERENT),
        # Odd windows exist.
        (2 * (W // 2) + 1, W, UNKNOWN),
        (2 * (W // 2), W, EQUAL),
        (2 * (W // 2) + 2, W, DIFFERENT),
        (T - 2 * (T // 2), ONE, UNKNOWN),
        (W // 4 * 4 + W % 4, W, EQUAL),
        # A symbol of the same name made elsewhere is the same size.
        (table("T_enc"), T, EQUAL),
        (table("T_enc", 5), T, EQUAL),
        (table("T_enc", 5), table("T_enc", 7), DIFFERENT),
        # Numbers prove a difference; that they coincide proves nothing.
        (table("d_s", 64), table("d_h", 64), DISTINCT),
        (table("d_s", 64), table("d_h", 32), DIFFERENT),
        (table("d_s", 64), const(64), EQUAL),
        (table("d_s", 64), const(32), DIFFERENT),
        (table("d_s", 64) * T, 64 * T, EQUAL),
        (table("d_s", 64) * T, 32 * T, DIFFERENT),
        (table("n", 3) * (table("m", 64) // table("n", 3)), table("m", 64), DIFFERENT),
    ],
)
def test_verdicts_on_sizes_that_attention_code_compares(
    facts: Facts, left: Size, right: Size, verdict: Verdict
) -> None:
    assert facts.compare(left, right) is verdict
    assert facts.compare(right, left) is verdict


def test_a_contradicted_relation_is_a_difference(facts: Facts) -> None:
    put = {D.symbol: const(512), H.symbol: const(8), K.symbol: const(32)}
    heads, size = table("n_heads", 8), table("d_k", 32)
    width = Symbol("d_model", table=True, value=512)
    facts.relate(width, heads * size)
    assert facts.compare(of(width), heads * size) is DIFFERENT
    assert facts.compare(D.replace(put.get), (H * K).replace(put.get)) is DIFFERENT


def test_an_assert_makes_distinct_names_equal(facts: Facts) -> None:
    mark = facts.mark()
    assert facts.equate(S, V, "the code says so") is DISTINCT
    assert facts.compare(S, V) is EQUAL
    assert facts.reason(S.symbol or V.symbol or Symbol("")) is not None
    facts.undo(mark)
    assert facts.compare(S, V) is DISTINCT


def test_an_operation_forces_through_common_factors_and_sums() -> None:
    facts = Facts()
    assert facts.force(X * T, D * T, "test") is EQUAL
    assert facts.resolve(X) == D
    y = of(Symbol("y_0", flexible=True))
    assert facts.force(y + 1, T, "test") is EQUAL
    assert facts.resolve(y) == T - 1


def test_equal_sizes_prefer_to_bind_the_unseen_axis() -> None:
    facts = Facts()
    facts.equate(W, X, "test")
    assert facts.resolve(X) == W
    facts.equate(T, B + W, "test")
    assert facts.resolve(T) == B + W


def test_a_learned_divisibility_carries_over_to_multiples(facts: Facts) -> None:
    assert facts.divisible(W, H) is UNKNOWN
    facts.divides(H, W, "the code says so")
    assert facts.divisible(W, H) is EQUAL
    assert facts.divisible(B * W, H) is EQUAL
    assert facts.divisible(B * W, B * H) is EQUAL
    assert facts.divisible(W, B * H) is UNKNOWN


def test_divisibility_by_relation_and_by_number(facts: Facts) -> None:
    assert facts.divisible(D, H) is EQUAL
    assert facts.divisible(table("d", 10), table("n", 3)) is DIFFERENT
    assert facts.divisible(table("d", 12), table("n", 3)) is EQUAL
    assert not facts.always_divides(table("n", 3), table("d", 12))
    assert facts.divisible(2 * T + 1, const(2)) is DIFFERENT


def test_relations_in_both_directions_end() -> None:
    facts = Facts()
    assert D.symbol is not None
    assert K.symbol is not None
    facts.relate(D.symbol, H * K)
    facts.relate(K.symbol, D // H)
    assert facts.compare(D, H * K) is EQUAL
    assert facts.compare(D + K, H * K + D // H) is EQUAL
    assert facts.compare(D, T) in (DISTINCT, UNKNOWN)


def test_is_one_sees_bindings() -> None:
    facts = Facts()
    assert not facts.is_one(X)
    facts.equate(X, ONE, "test")
    assert facts.is_one(X)


def test_symbols_bound_to_each_other_end() -> None:
    facts = Facts()
    a, b, c = (of(Symbol(name, flexible=True)) for name in "abc")
    for left, right in ((a, b), (b, c), (c, a)):
        facts.equate(left, right, "test")
    assert facts.resolve(a) == facts.resolve(b) == facts.resolve(c)


def test_a_pair_left_open_is_not_called_distinct(facts: Facts) -> None:
    state = table("d_h")
    assert facts.compare(S, state) is facts.compare(B * S, B * state) is DISTINCT
    facts.leave_open("d_h", "d_s")
    assert facts.compare(S, state) is facts.compare(B * S, B * state) is UNKNOWN
    assert facts.compare(S, T) is DISTINCT


def test_a_relation_changes_verdicts_until_it_is_undone() -> None:
    facts = Facts()
    assert D.symbol is not None
    assert facts.compare(D, H * V) is UNKNOWN
    mark = facts.mark()
    facts.relate(D.symbol, H * V)
    assert facts.compare(D, H * V) is EQUAL
    facts.undo(mark)
    assert facts.compare(D, H * V) is UNKNOWN


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [
        (M - N, UNKNOWN),
        (M * N - N * P, UNKNOWN),
        (M * N + P - N * P - 1, UNKNOWN),
        (M * N + M, DIFFERENT),
        (M + 1, DIFFERENT),
        (2 * M - M, DIFFERENT),
    ],
)
def test_products_on_both_sides_leave_a_comparison_open(difference: Size, verdict: Verdict) -> None:
    rest = M * N * P
    assert Facts().compare(rest + difference, rest) is verdict
