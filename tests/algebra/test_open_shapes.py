"""What is found out about an open shape is true of the tensor behind it, whatever its rank."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import (
    Axis,
    Row,
    Shape,
    Tag,
    bind_row,
    close,
    expand,
    leading_axis,
    open_shape,
    shape_of,
    with_leading,
    with_trailing,
)
from attncheck.algebra.size import Size, Symbol, const, of

#: Pairwise different sizes of the hidden tensor's axes.
SIZES = (7, 11, 13, 17)
T = of(Symbol("T"))


class Hidden:
    """A tensor whose shape nobody has seen, and the sizes that were told of it."""

    def __init__(self, rank: int) -> None:
        self.sizes = SIZES[:rank]
        self.shape = open_shape("x")
        self.facts = Facts()
        self.told: list[tuple[Size, int]] = []
        self.lead = self.trail = 0

    def tell(self, axis: Axis | None, index: int) -> None:
        assert axis is not None
        assert axis.size is not None
        self.told.append((axis.size, self.sizes[index]))

    def read(self, index: int) -> None:
        """``x.shape[index]``."""
        if index < len(self.sizes):
            self.tell(leading_axis(self.shape, index, self.facts), index)

    def show_last(self, count: int) -> None:
        """An operation on the last axes."""
        if self.lead + max(count, self.trail) <= len(self.sizes):
            self.trail = max(count, self.trail)
            shown = with_trailing(self.shape, count, self.facts)
            assert shown is not None
            for index in range(-count, 0):
                self.tell((shown.lead if shown.closed else shown.trail)[index], index)

    def show_first(self, count: int) -> None:
        """An operation on the first axes."""
        if max(count, self.lead) + self.trail <= len(self.sizes):
            self.lead = max(count, self.lead)
            shown = with_leading(self.shape, count, self.facts)
            assert shown is not None
            for index in range(count):
                self.tell(shown.lead[index], index)

    def close(self, _: int) -> None:
        """``a, b, c = x.shape``."""
        shown = close(self.shape, len(self.sizes), self.facts)
        assert shown is not None
        for index, axis in enumerate(shown.axes):
            self.tell(axis, index)

    def values(self) -> dict[Symbol, int]:
        """The one number that every symbol has, after all that was found out."""
        values: dict[Symbol, int] = {}
        for size, number in self.told:
            symbol = self.facts.resolve(size).symbol
            assert symbol is not None
            assert values.setdefault(symbol, number) == number
        return values


STEPS = ("read", "show_last", "show_first", "close")


@given(
    st.integers(0, len(SIZES)),
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, len(SIZES))), max_size=6),
)
def test_what_is_told_of_a_hidden_tensor_fits_together(
    rank: int, steps: list[tuple[str, int]]
) -> None:
    hidden = Hidden(rank)
    for name, number in steps:
        getattr(hidden, name)(number)
        hidden.values()
    hidden.close(0)
    values = hidden.values()
    sizes = expand(hidden.shape, hidden.facts).sizes()
    assert [size.evaluate(values) for size in sizes if size is not None] == list(hidden.sizes)
    # One axis, one symbol: what was read before it was listed is the listed one.
    assert len(values) == rank


@given(
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, len(SIZES))), max_size=4),
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, len(SIZES))), max_size=4),
)
def test_undo_opens_a_shape_again(
    before: list[tuple[str, int]], after: list[tuple[str, int]]
) -> None:
    hidden = Hidden(len(SIZES))
    for name, number in before:
        getattr(hidden, name)(number)
    shape, mark = expand(hidden.shape, hidden.facts), hidden.facts.mark()
    for name, number in after:
        getattr(hidden, name)(number)
    hidden.facts.undo(mark)
    assert expand(hidden.shape, hidden.facts) == shape


def test_a_vector_read_from_the_front_has_one_axis() -> None:
    """``d = query.shape[0]; keys @ query``: the axis read and the axis contracted are the same."""
    facts, query = Facts(), open_shape("query")
    first = leading_axis(query, 0, facts)
    shown = with_trailing(query, 1, facts)
    assert shown is not None
    assert shown.lead == ()
    vector = close(query, 1, facts)
    assert vector is not None
    assert first is not None
    assert first.size is not None
    assert vector.lead[0].size is not None
    assert facts.resolve(first.size) == facts.resolve(vector.lead[0].size)


def test_a_matrix_read_from_the_front_has_two() -> None:
    facts, keys = Facts(), open_shape("keys")
    first = leading_axis(keys, 0, facts)
    with_trailing(keys, 1, facts)
    matrix = close(keys, 2, facts)
    assert matrix is not None
    assert matrix.lead[0] == first
    assert [str(axis) for axis in matrix] == ["keys_0", "keys_last1"]


def test_shapes_that_share_a_row_are_found_out_together() -> None:
    facts, x = Facts(), open_shape("x")
    shown = with_trailing(x, 1, facts)
    assert shown is not None
    projected = Shape(shown.lead, shown.row, (Axis(of(Symbol("e"))),))
    close(projected, 3, facts)
    assert expand(x, facts).rank == 3
    assert expand(x, facts).lead[:2] == expand(projected, facts).lead[:2]


def test_closed_shapes_have_the_axes_they_have() -> None:
    facts, shape = Facts(), shape_of(2, 3, root="x")
    assert close(shape, 2, facts) == shape
    assert close(shape, 3, facts) is None
    assert with_leading(shape, 2, facts) == with_trailing(shape, 1, facts) == shape
    assert with_leading(shape, 3, facts) is None
    assert with_trailing(shape, 3, facts) is None
    assert leading_axis(shape, 1, facts) == shape.lead[1]
    assert leading_axis(shape, 2, facts) is None
    assert shape.lead[1].tag == Tag("x", 1)


def test_a_row_that_is_no_tensors_own_gives_axes_without_a_birth() -> None:
    facts, shape = Facts(), Shape((), Row("axis", born=False))
    shown = with_trailing(shape, 2, facts)
    assert shown is not None
    assert [axis.tag for axis in shown.trail] == [None, None]
    rest = with_trailing(shape, 3, facts)
    assert rest is not None
    assert rest.trail[0].tag is None


def test_an_open_shape_has_no_list_of_axes() -> None:
    with pytest.raises(ValueError, match="open shape"):
        open_shape("x").axes  # noqa: B018


def test_a_row_bound_from_outside_hands_on_what_was_read() -> None:
    facts, x = Facts(), open_shape("x")
    first = leading_axis(x, 0, facts)
    assert x.row is not None
    bind_row(x.row, shape_of(T, 5), facts)
    assert first is not None
    assert first.size is not None
    assert facts.resolve(first.size) == T


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (shape_of(), "()"),
        (shape_of(T), "(T,)"),
        (shape_of(T, None, 3), "(T, ?, 3)"),
        (open_shape("x"), "(...)"),
        (Shape((Axis(T),), Row("x"), (Axis(None),)), "(T, ..., ?)"),
    ],
)
def test_shapes_are_written_as_tuples(shape: Shape, text: str) -> None:
    assert str(shape) == text


def test_a_shape_is_expanded_by_what_is_known_when_it_is_asked_for() -> None:
    facts = Facts()
    size, other = (of(Symbol(name, flexible=True)) for name in "ab")
    shape = shape_of(size, other)
    assert expand(shape, facts) is shape
    facts.force(size, const(3), "")
    mark = facts.mark()
    assert expand(shape, facts).sizes() == (const(3), other)
    facts.force(other, const(5), "")
    assert expand(shape, facts).sizes() == (const(3), const(5))
    assert expand(shape, facts) is expand(shape, facts)
    facts.undo(mark)
    assert expand(shape, facts).sizes() == (const(3), other)
