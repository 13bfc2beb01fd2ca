"""Broadcasting against NumPy: the same shape for every substitution, or a proven refusal."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attncheck.algebra.broadcast import How, broadcast, broadcast_all
from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import Axis, Row, Shape, Tag, expand, open_shape, shape_of
from attncheck.algebra.size import ONE, Size, Symbol, const, of

B, T = (of(Symbol(name)) for name in ("B", "T"))
TABLE = [of(Symbol(name, table=True)) for name in ("T_enc", "T_dec")]
LOOSE = of(Symbol("x_0", flexible=True))
PLAIN = [symbol for size in (B, T, *TABLE) for symbol in size.symbols()]
SUBSTITUTIONS = [
    dict(zip((*PLAIN, LOOSE.symbol), (*plain, loose), strict=True))
    # A name is no 1, an unseen axis may be.
    for plain in product((2, 3), repeat=len(PLAIN))
    for loose in (1, 2, 3, 4)
]

axes = st.sampled_from([None, ONE, ONE, const(3), B, T, *TABLE, 2 * T, T + 1, LOOSE]).map(Axis)
axis_lists = st.lists(axes, max_size=3).map(tuple)
shapes = axis_lists.map(Shape)


def evaluated(shape: tuple[Axis, ...], values: dict[Symbol, int], unknown: int) -> tuple[int, ...]:
    sizes = [unknown if axis.size is None else axis.size.evaluate(values) for axis in shape]
    assert None not in sizes
    return tuple(size for size in sizes if size is not None)


def numpy_broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def covers(axes: tuple[Axis, ...], sizes: tuple[int, ...], values: dict[Symbol, int]) -> bool:
    """Whether all that is known of these axes is true of these sizes."""
    return len(axes) == len(sizes) and all(
        axis.size is None or axis.size.evaluate(values) == size
        for axis, size in zip(axes, sizes, strict=True)
    )


@given(shapes, shapes, st.integers(1, 4))
def test_closed_shapes_broadcast_as_numpy_does(left: Shape, right: Shape, unknown: int) -> None:
    outcome = broadcast(left, right, Facts())
    hows = {pairing.how for pairing in outcome.pairings}
    proved = any(pairing.verdict is Verdict.DIFFERENT for pairing in outcome.clashes)
    for values in SUBSTITUTIONS:
        found = numpy_broadcast(
            evaluated(left.axes, values, unknown), evaluated(right.axes, values, unknown)
        )
        if found is None:
            # Nothing that was called certain fails.
            assert How.ASSUMED in hows or How.CLASH in hows
            continue
        assert not proved
        assert outcome.shape is not None
        assert covers(outcome.shape.axes, found, values)


@given(shapes, shapes)
def test_pairings_say_how_each_axis_came_about(left: Shape, right: Shape) -> None:
    outcome = broadcast(left, right, Facts())
    assert outcome.shape is not None
    assert tuple(pairing.result for pairing in outcome.pairings) == outcome.shape.axes
    for pairing in outcome.pairings:
        one, other = pairing.left, pairing.right
        if pairing.how is How.LEFT_ADDED:
            assert one is None
        elif pairing.how is How.RIGHT_ADDED:
            assert other is None
        else:
            assert one is not None
            assert other is not None
            assert (pairing.how is How.LEFT_STRETCHED) == (one.is_one and not other.is_one)
            assert (pairing.how is How.RIGHT_STRETCHED) == (other.is_one and not one.is_one)


@st.composite
def open_or_closed(draw: st.DrawFn, row: Row) -> tuple[Shape, tuple[int, ...]]:
    """A shape, open at `row` or another one or closed, and what stands in its middle."""
    lead, trail = draw(axis_lists), draw(axis_lists)
    if draw(st.booleans()):
        return Shape(lead + trail), ()
    if draw(st.booleans()):
        return Shape(lead, row, trail), (2, 1)
    middle = draw(st.lists(st.integers(1, 3), max_size=2).map(tuple))
    return Shape(lead, Row("y"), trail), middle


def filled(shape: Shape, middle: tuple[int, ...], values: dict[Symbol, int]) -> tuple[int, ...]:
    return (*evaluated(shape.lead, values, 2), *middle, *evaluated(shape.trail, values, 2))


@given(st.data())
def test_whatever_closes_an_open_shape_the_answer_covers_it(data: st.DataObject) -> None:
    row = Row("x")
    left, left_middle = data.draw(open_or_closed(row))
    right, right_middle = data.draw(open_or_closed(row))
    assume(not (left.closed and right.closed))
    outcome = broadcast(left, right, Facts())
    for values in SUBSTITUTIONS:
        found = numpy_broadcast(
            filled(left, left_middle, values), filled(right, right_middle, values)
        )
        if found is None:
            continue
        assert not any(pairing.verdict is Verdict.DIFFERENT for pairing in outcome.clashes)
        shape = outcome.shape
        if shape is None:
            continue
        assert shape.row is not None
        assert len(found) >= max(len(shape.lead), len(shape.trail))
        assert covers(shape.lead, found[: len(shape.lead)], values)
        assert covers(shape.trail, found[len(found) - len(shape.trail) :], values)


@given(st.lists(shapes, min_size=1, max_size=4))
def test_many_shapes_broadcast_as_numpy_does(operands: list[Shape]) -> None:
    outcome = broadcast_all(operands, Facts())
    for values in SUBSTITUTIONS:
        found = numpy_broadcast(*(evaluated(shape.axes, values, 2) for shape in operands))
        if found is not None:
            assert outcome.shape is not None
            assert covers(outcome.shape.axes, found, values)


# -- what is kept of an axis --------------------------------------------------------------------


def tagged(name: str, size: Size | None, *marks: int) -> Axis:
    return Axis(size, Tag(name, 0), frozenset(marks))


def test_equal_axes_keep_the_marks_of_both() -> None:
    outcome = broadcast(Shape((tagged("w", T, 3),)), Shape((tagged("v", T, 5),)), Facts())
    assert outcome.shape == Shape((tagged("w", T, 3, 5),))


def test_a_number_that_is_a_name_is_shown_by_name() -> None:
    named = of(Symbol("d_s", table=True, value=64))
    outcome = broadcast(Shape((Axis(const(64)),)), Shape((Axis(named),)), Facts())
    assert outcome.shape == Shape((Axis(named),))


def test_a_name_whose_number_is_one_may_be_stretched() -> None:
    batch = of(Symbol("batch_size", table=True, value=1))
    outcome = broadcast(shape_of(batch, T), shape_of(5, T), Facts())
    assert not outcome.clashes
    assert outcome.shape == shape_of(5, T)


@pytest.mark.parametrize(
    ("left", "right", "how", "verdict"),
    [
        (T, 2 * T, How.CLASH, Verdict.DIFFERENT),
        (TABLE[0], TABLE[1], How.CLASH, Verdict.DISTINCT),
        (B, T, How.ASSUMED, Verdict.UNKNOWN),
        (LOOSE, 2 * LOOSE, How.ASSUMED, Verdict.UNKNOWN),
        (None, T, How.ASSUMED, Verdict.UNKNOWN),
        (T, T, How.MATCHED, Verdict.EQUAL),
        (ONE, ONE, How.MATCHED, Verdict.EQUAL),
        (ONE, T, How.LEFT_STRETCHED, Verdict.EQUAL),
    ],
)
def test_how_two_axes_meet(
    left: Size | None, right: Size | None, how: How, verdict: Verdict
) -> None:
    (pairing,) = broadcast(shape_of(left), shape_of(right), Facts()).pairings
    assert (pairing.how, pairing.verdict) == (how, verdict)


def test_open_shapes_of_one_row_meet_axis_by_axis() -> None:
    row = Row("x")
    left, right = Shape(shape_of(B).lead, row, shape_of(1).lead), Shape((), row, shape_of(T).lead)
    outcome = broadcast(left, right, Facts())
    assert outcome.shape == Shape(shape_of(B).lead, row, shape_of(T).lead)


def test_a_longer_closed_shape_tells_the_last_axes_of_the_result() -> None:
    """Positions (T, d) added to an input of which only the last axis is known."""
    facts, d = Facts(), of(Symbol("d"))
    loose = Shape((), Row("x"), shape_of(d).lead)
    outcome = broadcast(loose, shape_of(1, T, d), facts)
    assert outcome.shape is not None
    assert outcome.shape.trail == (Axis(None), Axis(T), Axis(d))
    assert outcome.shape.row is not loose.row


def test_nothing_known_stays_nothing_known() -> None:
    assert broadcast(open_shape("x"), open_shape("y"), Facts()).shape is None
    scalar = broadcast(open_shape("x"), Shape(()), Facts()).shape
    assert scalar is not None
    assert scalar.row is not None


def test_bound_sizes_are_put_in_first() -> None:
    facts = Facts()
    facts.equate(LOOSE, T, "test")
    outcome = broadcast(shape_of(LOOSE), shape_of(T), facts)
    assert [pairing.how for pairing in outcome.pairings] == [How.MATCHED]
    assert outcome.shape == expand(shape_of(LOOSE), facts) == shape_of(T)


def test_unseen_axes_that_are_kin_are_one_size() -> None:
    facts = Facts()
    left, right = (of(Symbol(name, flexible=True, kin="d_attn")) for name in ("q_1", "k_1"))
    (pairing,) = broadcast(shape_of(left), shape_of(right), facts).pairings
    assert pairing.how is How.MATCHED
    assert facts.resolve(left) == facts.resolve(right)


def test_first_and_last_axis_of_an_open_shape_may_be_one() -> None:
    """``(1, 1) * x`` has two axes also where x, seen from both ends, has one."""
    loose = Shape(shape_of(B).lead, Row("x"), shape_of(T).lead)
    outcome = broadcast(shape_of(1, 1), loose, Facts())
    assert outcome.shape is not None
    assert (outcome.shape.lead, outcome.shape.trail) == ((), (Axis(None), Axis(T)))


def test_axes_that_may_be_one_keep_the_parts_that_both_have() -> None:
    heads = Axis(of(Symbol("n_heads")))
    batches = [of(Symbol(name, flexible=True)) for name in ("b", "c")]
    assert heads.size is not None
    left, right = (Axis(heads.size * batch, parts=(heads, Axis(batch))) for batch in batches)
    made = broadcast(Shape((left,)), Shape((right,)), Facts()).shape
    assert made is not None
    assert made.axes == (Axis(None, parts=(heads, Axis(None))),)
    # what knows nothing of its parts may be the same, or one
    unseen = Axis(of(Symbol("x_0", flexible=True)))
    made = broadcast(Shape((left,)), Shape((unseen,)), Facts()).shape
    assert made is not None
    assert made.axes == (Axis(None, parts=left.parts),)
    turned = Axis(heads.size * batches[1], parts=(Axis(batches[1]), heads))
    made = broadcast(Shape((left,)), Shape((turned,)), Facts()).shape
    assert made is not None
    assert made.axes == (Axis(None),)
