"""Reshapes against NumPy, in count and in order.

The order is judged on the elements themselves. Read a shape's coordinates from the left: the first
one, the first two and so on each group the elements into blocks. A reshape only splits and merges
neighbours if, of any grouping of the input and any of the output, one refines the other.
"""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.reshape import INFER, Infer, Order, Reshaped, reshape
from attncheck.algebra.shape import Axis, Row, Shape, Tag, shape_of
from attncheck.algebra.size import ONE, Size, Symbol, const, of, product

KEPT, SCRAMBLED, UNKNOWN = Order


def groupings(shape: tuple[int, ...]) -> list[np.ndarray]:
    """For every number of leading coordinates, the group of each element."""
    coordinates = np.unravel_index(np.arange(prod(shape)), shape) if shape else ()
    return [
        np.ravel_multi_index(coordinates[:count], shape[:count])
        for count in range(1, len(shape) + 1)
    ]


def refines(fine: np.ndarray, coarse: np.ndarray) -> bool:
    """Whether all elements of one fine group are in one coarse group."""
    pairs = np.unique(np.stack((fine, coarse)), axis=1)
    return len(np.unique(pairs[0])) == pairs.shape[1]


def splits_and_merges(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    return all(
        refines(one, other) or refines(other, one)
        for one in groupings(before)
        for other in groupings(after)
    )


def numpy_reshape(before: tuple[int, ...], after: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        return np.empty(before, bool).reshape(after).shape
    except ValueError:
        return None


def sizes_of(outcome: Reshaped, values: dict[Symbol, int]) -> tuple[int | None, ...]:
    sizes = outcome.shape.sizes()
    return tuple(None if size is None else size.evaluate(values) for size in sizes)


numbers = st.lists(st.sampled_from([1, 2, 3, 4, 6]), max_size=4).map(tuple)


@st.composite
def numeric_reshapes(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A shape and a wanted one: often with as many elements, sometimes with a -1."""
    before = draw(numbers)
    if draw(st.booleans()):
        # Deal the prime factors of the count out anew.
        factors = [p for n in before for p in {4: (2, 2), 6: (2, 3), 1: ()}.get(n, (n,))]
        bins = [1] * draw(st.integers(1, 4))
        for factor in draw(st.permutations(factors)):
            bins[draw(st.integers(0, len(bins) - 1))] *= factor
        after = tuple(bins)
    else:
        after = draw(numbers)
    if after and draw(st.booleans()):
        at = draw(st.integers(0, len(after) - 1))
        after = (*after[:at], -1, *after[at + 1 :])
    return before, after


@given(numeric_reshapes())
def test_numbers_reshape_as_numpy_does(pair: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    before, after = pair
    wanted: list[Size | Infer | None] = [INFER if n == -1 else const(n) for n in after]
    outcome = reshape(shape_of(*before), wanted, Facts())
    found = numpy_reshape(before, after)
    if found is None:
        assert outcome.count is Verdict.DIFFERENT
        return
    assert outcome.count is Verdict.EQUAL
    assert sizes_of(outcome, {}) == found
    assert (outcome.order is KEPT) == splits_and_merges(before, found)
    assert (outcome.regrouped is None) == (outcome.order is KEPT)


# -- names --------------------------------------------------------------------------------------

B, T, H, K = (of(Symbol(name)) for name in ("B", "T", "H", "K"))
PRIMES = {
    size.symbol: prime
    for size, prime in zip((B, T, H, K), (2, 3, 5, 7), strict=True)
    if size.symbol is not None
}
factors = st.sampled_from([B, T, H, K])


@st.composite
def groups(draw: st.DrawFn, sizes: list[Size]) -> list[Size]:
    """Neighbours merged at random, with some axes of size 1 between."""
    axes: list[Size] = []
    for size in sizes:
        if axes and draw(st.booleans()):
            axes[-1] = axes[-1] * size
        else:
            axes += [ONE] * draw(st.integers(0, 1)) + [size]
    return axes + [ONE] * draw(st.integers(0, 1))


@st.composite
def symbolic_reshapes(draw: st.DrawFn) -> tuple[list[Size], list[Size], bool]:
    """Two ways to group the same factors, in the same order or (False) perhaps in another."""
    sizes = draw(st.lists(factors, min_size=1, max_size=4))
    in_order = draw(st.booleans())
    other = sizes if in_order else list(draw(st.permutations(sizes)))
    return draw(groups(sizes)), draw(groups(other)), in_order


def evaluated(sizes: list[Size]) -> tuple[int, ...]:
    values = [size.evaluate(PRIMES) for size in sizes]
    assert None not in values
    return tuple(value for value in values if value is not None)


@given(symbolic_reshapes(), st.booleans(), st.data())
def test_names_reshape_as_numpy_does_with_primes_for_them(
    sizes: tuple[list[Size], list[Size], bool], infer: bool, data: st.DataObject
) -> None:
    before, after, in_order = sizes
    wanted: list[Size | Infer | None] = list(after)
    if infer:
        wanted[data.draw(st.integers(0, len(after) - 1))] = INFER
    outcome = reshape(shape_of(*before), wanted, Facts())
    assert outcome.count is Verdict.EQUAL
    assert sizes_of(outcome, PRIMES) == numpy_reshape(evaluated(before), evaluated(after))
    assert (outcome.order is KEPT) == splits_and_merges(evaluated(before), evaluated(after))
    assert outcome.order is not UNKNOWN
    assert outcome.order is KEPT or not in_order


@given(st.lists(factors, min_size=1, max_size=4), st.lists(factors, min_size=1, max_size=4))
def test_counts_that_differ_are_told(before: list[Size], after: list[Size]) -> None:
    outcome = reshape(shape_of(*before), after, Facts())
    same = product(before) == product(after)
    assert (outcome.count is Verdict.EQUAL) == same
    if outcome.count is Verdict.DIFFERENT:
        assert numpy_reshape(evaluated(before), evaluated(after)) is None
    assert sizes_of(outcome, PRIMES) == evaluated(after)


@given(st.lists(factors, min_size=1, max_size=4), st.data())
def test_what_was_merged_comes_apart_into_the_same_axes(
    sizes: list[Size], data: st.DataObject
) -> None:
    source = shape_of(*sizes, root="x")
    merged = reshape(source, data.draw(groups(sizes)), Facts())
    back = reshape(merged.shape, sizes, Facts())
    assert merged.order is back.order is KEPT
    assert back.shape == source


@given(st.lists(factors, min_size=2, max_size=4, unique=True), st.data())
def test_what_was_merged_and_is_dealt_out_in_another_order_is_scrambled(
    sizes: list[Size], data: st.DataObject
) -> None:
    other = list(data.draw(st.permutations(sizes)))
    assume(other != sizes)
    merged = reshape(shape_of(*sizes), [INFER], Facts())
    assert reshape(merged.shape, other, Facts()).order is SCRAMBLED


@given(st.lists(factors, min_size=1, max_size=4), st.data())
def test_axes_of_unknown_size_are_carried_along(sizes: list[Size], data: st.DataObject) -> None:
    """One size that is not known: what was proved without it stays proved, and is still true."""
    hidden = data.draw(st.integers(0, len(sizes) - 1))
    axes = list(shape_of(*sizes, root="x"))
    axes[hidden] = Axis(None, axes[hidden].tag)
    grouped = data.draw(groups(sizes))
    at = data.draw(st.integers(0, len(grouped) - 1))
    wanted: list[Size | Infer | None] = list(grouped)
    wanted[at] = data.draw(st.sampled_from([INFER, None]))
    facts = Facts()
    outcome = reshape(Shape(tuple(axes)), wanted, facts)
    found = sizes_of(outcome, PRIMES)
    assert not facts.has_bindings
    assert outcome.count is not Verdict.DIFFERENT
    assert outcome.order is not SCRAMBLED
    for size, expected in zip(found, evaluated(grouped), strict=True):
        assert size is None or size == expected


wanted_sizes = st.lists(factors | st.none(), max_size=3)


@given(wanted_sizes, wanted_sizes, wanted_sizes)
def test_an_open_shape_gives_what_was_asked_for(
    lead: list[Size | None], trail: list[Size | None], wanted: list[Size | None]
) -> None:
    source = Shape(shape_of(*lead).lead, Row("x"), shape_of(*trail).lead)
    outcome = reshape(source, wanted, Facts())
    assert (outcome.count, outcome.order) == (Verdict.UNKNOWN, UNKNOWN)
    assert outcome.shape.sizes() == tuple(wanted)


# -- what attention code does -------------------------------------------------------------------

D = of(Symbol("d_model", table=True))
N = of(Symbol("n_heads", table=True))
KEY = of(Symbol("d_k", table=True))
W = of(Symbol("width"))


def facts_of_the_table() -> Facts:
    facts = Facts()
    assert D.symbol is not None
    facts.relate(D.symbol, N * KEY)
    return facts


@pytest.mark.parametrize(
    ("before", "wanted", "order"),
    [
        # Splitting heads off the last axis is right, into the middle it is ATN303.
        ([B, T, D], [B, T, N, D // N], KEPT),
        ([B, T, D], [B, T, N, KEY], KEPT),
        ([B, T, D], [B, T, N, INFER], KEPT),
        ([B, T, D], [B, T, INFER, KEY], KEPT),
        ([B, T, D], [B, N, T, D // N], SCRAMBLED),
        ([B, T, D], [B, N, T, KEY], SCRAMBLED),
        ([B, T, W], [B, N, T, INFER], SCRAMBLED),
        ([B, T, N * KEY], [B, N, T, KEY], SCRAMBLED),
        ([B, T, 8 * K], [B, 8, T, K], SCRAMBLED),
        # Merging them without transposing back.
        ([B, N, T, KEY], [B, T, N * KEY], SCRAMBLED),
        ([B, N, T, KEY], [B, T, D], SCRAMBLED),
        ([B, T, N, KEY], [B, T, D], KEPT),
        # fairseq: sequence first, heads folded into the batch.
        ([T, B, N * KEY], [T, B * N, KEY], KEPT),
        ([T, B, D], [T, B * N, KEY], KEPT),
        ([T, B, D], [T, B * N, D // N], KEPT),
        ([B, T, N * KEY], [B * N, T, KEY], SCRAMBLED),
        # Batch and time folded together.
        ([B, T, D], [INFER, D], KEPT),
        ([B * T, D], [B, T, INFER], KEPT),
        ([B * T, D], [T, B, D], KEPT),
        ([B, T, D], [T, B, D], SCRAMBLED),
        # The relative-position shift: an idiom, but not an order that is kept.
        ([B, N, T, T + 1], [B, N, T + 1, T], SCRAMBLED),
        # Nothing says which of the two axes the parts divide.
        ([B, T, D], [B, 4, INFER], UNKNOWN),
        ([T, K], [H, INFER], UNKNOWN),
        ([T, K], [2, T // 2, K], KEPT),
    ],
)
def test_order_in_attention_code(
    before: list[Size], wanted: list[Size | int | Infer], order: Order
) -> None:
    sizes = [const(size) if isinstance(size, int) else size for size in wanted]
    outcome = reshape(shape_of(*before), sizes, facts_of_the_table())
    assert outcome.count is Verdict.EQUAL
    assert outcome.order is order


@pytest.mark.parametrize(
    ("before", "wanted", "count"),
    [
        ([B, T, D], [B, T, N, 2 * (D // N)], Verdict.DIFFERENT),
        ([B, T, D], [B, T, W], Verdict.UNKNOWN),
        ([B, T, of(Symbol("d", value=10))], [B, T, of(Symbol("n", value=3)), INFER], Verdict.EQUAL),
        ([of(Symbol("d", value=10))], [of(Symbol("n", value=3)), INFER], Verdict.DIFFERENT),
        ([const(10)], [const(3), INFER], Verdict.DIFFERENT),
        ([2 * T + 1], [const(2), INFER], Verdict.DIFFERENT),
        ([B, T], [const(0), INFER], Verdict.DIFFERENT),
        ([B, T], [INFER, INFER], Verdict.DIFFERENT),
        ([B, T], [None, None], Verdict.UNKNOWN),
        ([B, T], [B, None], Verdict.EQUAL),
    ],
)
def test_counts_in_attention_code(
    before: list[Size], wanted: list[Size | Infer | None], count: Verdict
) -> None:
    outcome = reshape(shape_of(*before), wanted, facts_of_the_table())
    assert outcome.count is count


def test_symbols_decide_the_order_where_numbers_coincide() -> None:
    """A demo with T = 4 and two heads does not make the dealing out right."""
    time, heads = (of(Symbol(name, value=n)) for name, n in (("T", 4), ("n_heads", 2)))
    outcome = reshape(shape_of(B, time, heads * K), [B, heads, time, K], Facts())
    assert outcome.order is SCRAMBLED
    assert outcome.regrouped == (shape_of(time, heads * K).lead, shape_of(heads, time, K).lead)


def test_the_count_forces_an_unseen_axis() -> None:
    facts, unseen = Facts(), of(Symbol("x_2", flexible=True))
    outcome = reshape(shape_of(B, T, unseen), [B, T, H, K], facts)
    assert outcome.count is Verdict.EQUAL
    assert facts.resolve(unseen) == H * K
    assert outcome.order is KEPT


def test_the_parts_of_a_merged_axis_are_remembered() -> None:
    source = shape_of(T, B, H * K, root="x")
    folded = reshape(source, [T, B * H, K], Facts()).shape
    assert folded.lead[1].parts == (source.lead[1], Axis(H))
    assert reshape(folded, [T, B, H, K], Facts()).shape.lead[1] == source.lead[1]


def test_an_axis_cut_since_it_was_merged_has_no_parts_to_come_back() -> None:
    merged = reshape(shape_of(B, T, root="x"), [INFER], Facts()).shape.lead[0]
    stale = Axis(2 * H * K, parts=merged.parts)
    outcome = reshape(Shape((stale,)), [2 * H, K], Facts())
    assert outcome.shape == shape_of(2 * H, K)


def test_axes_keep_their_marks_and_axes_of_one_their_reason() -> None:
    weights = Axis(T, Tag("w", 1), frozenset({7}))
    kept = Axis(ONE, Tag("w", 0), made="keepdims")
    shape = reshape(Shape((kept, weights)), [ONE, T], Facts()).shape
    assert shape.lead == (kept, weights)
    assert shape.lead[0].made == "keepdims"
    column = reshape(Shape((weights,)), [INFER, ONE], Facts()).shape
    assert column.lead == (weights, Axis(ONE))
    assert column.lead[1].made == "reshape"


def test_the_first_and_last_axes_are_known_where_the_count_is_not() -> None:
    source = shape_of(B, T, K, root="x")
    shape = reshape(source, [B, None, None, K], Facts()).shape
    assert (shape.lead[0], shape.lead[3]) == (source.lead[0], source.lead[2])
    assert shape.sizes() == (B, None, None, K)


def test_a_shape_without_elements_has_no_order_to_lose() -> None:
    outcome = reshape(shape_of(0, 3), [const(5), const(0)], Facts())
    assert (outcome.count, outcome.order) == (Verdict.EQUAL, KEPT)
    assert outcome.shape == shape_of(5, 0)


@pytest.mark.parametrize(
    ("before", "wanted", "size"),
    [
        ([B, T, D], [B, INFER, N, D // N], T),
        ([B, T, W], [B, INFER, N, W // N], T),
        ([B, T, N, D // N], [B, INFER, D], T),
        ([B, T, N, D // N], [INFER, D], B * T),
        ([B, T, N * (D // N)], [B, INFER, D], T),
        ([B, T, D], [B, INFER, N, K], (T * D) // (N * K)),
    ],
)
def test_features_that_are_cut_into_heads_leave_the_positions(
    before: list[Size], wanted: list[Size | Infer], size: Size
) -> None:
    made = reshape(shape_of(*before), wanted, Facts()).shape
    assert made.lead[wanted.index(INFER)].size == size


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 0, 1)])
def test_axes_that_are_one_element_together_go(order: tuple[int, int, int]) -> None:
    heads, rest = of(Symbol("n_heads")), of(Symbol("q"))
    sizes = [heads, ONE // heads, rest]
    made = reshape(shape_of(*(sizes[place] for place in order)), [rest], Facts())
    assert made.shape.sizes() == (rest,)
    assert made.count is Verdict.EQUAL
    assert made.order is Order.KEPT


def test_what_is_inferred_has_no_names_of_the_axes_that_stay() -> None:
    batch, heads, width = of(Symbol("B", value=2)), of(Symbol("n", value=4)), of(Symbol("d"))
    made = reshape(shape_of(2, 1, 3 * width), [batch, ONE, const(3), heads, INFER], Facts())
    assert made.shape.sizes()[-1] == width // heads
    last = reshape(shape_of(3 * width, 2), [heads, INFER, batch], Facts())
    assert last.shape.sizes()[1] == (3 * width) // heads
