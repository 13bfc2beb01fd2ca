"""Shapes: axes that know their size and where they came from, closed or open in the middle.

A closed shape lists all its axes. An open one knows some leading and some trailing axes around a
`Row`, a middle of unknown length: ``x.transpose(0, 1)`` shows leading axes, ``Linear(d, e)(x)`` a
trailing one, ``B, T, C = x.shape`` closes it. A row is bound in `Facts` like a flexible symbol;
`expand` puts in what is known.

To read ``x.shape[0]`` is another thing than to use the first axis: of a vector it is the last axis
too. `leading_axis` reads without claiming that the axis lies before the trailing ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import field

from attncheck.algebra.facts import Facts
from attncheck.algebra.size import Size, Symbol, const, of
from attncheck.record import record, replace

_serials = itertools.count(1)


@record
class Tag:
    """Where an axis was born: a tensor's name and the position in it.

    ``side`` tells two axes of one birth apart after they met in a product, as query time and key
    time do in ``x @ x.T``: 0 is the left operand's, 1 the right one's, and so on.
    """

    root: str
    index: int
    side: int = 0

    def beside(self) -> Tag:
        """The same axis, standing on the other side of a product with itself."""
        return replace(self, side=self.side + 1)


#: What an axis is made for along which every element is the same.
COPIES = "copies"


class Cut:
    """One axis that was cut into pieces: which axis it was, and how large the pieces are.

    Two cuts are never the same one, however alike they are.
    """

    __slots__ = ("sizes", "whole")

    def __init__(self, whole: Axis, sizes: tuple[Size | None, ...]) -> None:
        self.whole = whole
        self.sizes = sizes


@record
class Axis:
    """One axis: its size (None if unknown), its birth, and what happened to it.

    ``normalised`` are the softmax operations (by number) under which this axis sums to one;
    ``parts`` the axes that were merged into this one by a reshape or by repetition, outermost
    first; ``made`` says why the code asked for the axis: to have size 1 (``None``, ``unsqueeze``,
    ``keepdims``), or to count `COPIES` of the same elements. ``limit`` is what an axis of unknown
    size was cut to: it has as many elements, or fewer if there were not so many. ``piece`` is the
    cut that an axis is a piece of, and which piece it is, the outermost being 0.
    """

    size: Size | None
    tag: Tag | None = None
    normalised: frozenset[int] = frozenset()
    parts: tuple[Axis, ...] = ()
    made: str | None = field(default=None, compare=False)
    limit: Size | None = field(default=None, compare=False)
    piece: tuple[Cut, int] | None = field(default=None, compare=False)

    @property
    def is_one(self) -> bool:
        """Whether the size is the number 1."""
        return self.size is not None and self.size.number == 1

    def __str__(self) -> str:
        return "?" if self.size is None else str(self.size)


#: An axis nothing is known of.
UNKNOWN_AXIS = Axis(None)


class Row:
    """The unknown middle of an open shape; bound in `Facts.rows` to what it turns out to be.

    ``born`` says that `name` is a tensor's, so that the axes found in it are that tensor's own.
    """

    __slots__ = ("born", "name", "serial")

    def __init__(self, name: str, *, born: bool = True) -> None:
        self.name = name
        self.born = born
        self.serial = next(_serials)

    def rest(self) -> Row:
        """What is left unknown of this middle when some of its axes are found."""
        return Row(self.name, born=self.born)

    def __repr__(self) -> str:
        return f"*{self.name}"


@record
class Shape:
    """The axes of a tensor: all of them (``row`` is None), or those before and after a row."""

    lead: tuple[Axis, ...]
    row: Row | None = None
    trail: tuple[Axis, ...] = ()

    @property
    def closed(self) -> bool:
        """Whether every axis is listed."""
        return self.row is None

    @property
    def axes(self) -> tuple[Axis, ...]:
        """All axes of a closed shape.

        Raises ValueError for an open one, whose axes nobody can list.
        """
        if self.row is not None:
            raise ValueError("an open shape has no list of axes")
        return self.lead

    @property
    def rank(self) -> int | None:
        """The number of axes, or None for an open shape."""
        return len(self.lead) if self.row is None else None

    @property
    def tail(self) -> tuple[Axis, ...]:
        """The axes whose distance from the end is known."""
        return self.lead if self.row is None else self.trail

    @property
    def at_least(self) -> int:
        """The number of axes known."""
        return len(self.lead) + len(self.trail)

    def sizes(self) -> tuple[Size | None, ...]:
        """The sizes of a closed shape's axes."""
        return tuple(axis.size for axis in self.axes)

    def __iter__(self) -> Iterator[Axis]:
        return iter(self.axes)

    def __str__(self) -> str:
        names = [str(axis) for axis in self.lead]
        if self.row is not None:
            names += ["...", *(str(axis) for axis in self.trail)]
        return f"({names[0]},)" if len(names) == 1 and self.row is None else f"({', '.join(names)})"


SCALAR = Shape(())


def fresh_axis(row: Row, index: int) -> Axis:
    """The axis at `index` of the tensor that `row` belongs to (negative: counted from its end).

    Its size is a flexible symbol, named after the tensor; of one that is not known to be the
    tensor's own, nobody knows that it is no size that the code has named.
    """
    name = f"{row.name}_{index}" if index >= 0 else f"{row.name}_last{-index}"
    symbol = Symbol(name, flexible=True, found=not row.born)
    return Axis(of(symbol), Tag(row.name, index) if row.born else None)


def shape_of(*sizes: Size | int | None, root: str | None = None) -> Shape:
    """A closed shape of these sizes; with `root`, each axis is tagged as born there."""
    return Shape(
        tuple(
            Axis(
                const(size) if isinstance(size, int) else size,
                Tag(root, index) if root is not None else None,
            )
            for index, size in enumerate(sizes)
        )
    )


def closed(axes: Iterable[Axis]) -> Shape:
    """The closed shape of these axes."""
    return Shape(tuple(axes))


def open_shape(name: str) -> Shape:
    """A shape of which nothing is known yet, but which can be found out."""
    return Shape((), Row(name))


def expand(shape: Shape, facts: Facts) -> Shape:
    """`shape` with its row, if bound, put in, and bound symbols in its sizes replaced."""
    known = facts.expanded.get(id(shape))
    if known is not None:
        return known[1]
    found = listed(shape, facts)
    if facts.has_bindings:
        lead, trail = _resolve(found.lead, facts), _resolve(found.trail, facts)
        if lead is not found.lead or trail is not found.trail:
            found = Shape(lead, found.row, trail)
    facts.expanded[id(shape)] = shape, found
    return found


def listed(shape: Shape, facts: Facts) -> Shape:
    """`shape` with its row, if bound, put in; the sizes as they stand there."""
    while shape.row is not None:
        bound = facts.rows.get(shape.row)
        if bound is None:
            break
        if bound.row is None:
            shape = Shape(shape.lead + bound.lead + shape.trail)
        else:
            shape = Shape(shape.lead + bound.lead, bound.row, bound.trail + shape.trail)
    return shape


def _resolve(axes: tuple[Axis, ...], facts: Facts) -> tuple[Axis, ...]:
    resolved = None
    for index, axis in enumerate(axes):
        if axis.size is None:
            continue
        known = facts.resolve(axis.size)
        if known is not axis.size:
            resolved = list(axes) if resolved is None else resolved
            resolved[index] = replace(axis, size=known)
    return axes if resolved is None else tuple(resolved)


# -- finding out an open shape --------------------------------------------------------------------


@record
class Reading:
    """An axis that was read by its number from the front of a tensor whose rank is not known.

    If the row it was read from turns out to be too short to hold it, it is one of the axes
    ``after`` that row.
    """

    axis: Axis
    after: tuple[Axis, ...]


def close(shape: Shape, rank: int, facts: Facts) -> Shape | None:
    """Make an open shape have exactly `rank` axes, binding its row; None if it has more already."""
    shape = expand(shape, facts)
    if shape.row is None:
        return shape if len(shape.lead) == rank else None
    missing = rank - shape.at_least
    if missing < 0:
        return None
    middle = _found(shape, missing, facts)
    bind_row(shape.row, Shape(middle), facts)
    return expand(shape, facts)


def with_trailing(shape: Shape, count: int, facts: Facts) -> Shape | None:
    """Make an open shape show `count` trailing axes or more; None if it is closed and has fewer."""
    shape = expand(shape, facts)
    if shape.row is None:
        return shape if len(shape.lead) >= count else None
    missing = count - len(shape.trail)
    if missing <= 0:
        return shape
    middle = tuple(fresh_axis(shape.row, index - count) for index in range(missing))
    bind_row(shape.row, Shape((), shape.row.rest(), middle), facts)
    return expand(shape, facts)


def with_leading(shape: Shape, count: int, facts: Facts) -> Shape | None:
    """Make an open shape show `count` leading axes or more; None if it is closed and has fewer."""
    shape = expand(shape, facts)
    if shape.row is None:
        return shape if len(shape.lead) >= count else None
    missing = count - len(shape.lead)
    if missing <= 0:
        return shape
    middle = _found(shape, missing, facts)
    bind_row(shape.row, Shape(middle, shape.row.rest()), facts)
    return expand(shape, facts)


def leading_axis(shape: Shape, index: int, facts: Facts) -> Axis | None:
    """The axis ``shape[index]``, `index` from 0; None if the shape is closed and has no such axis.

    Of an open shape this claims only that there are so many axes, not that the axis lies before
    the trailing ones that are known: ``d = query.shape[0]`` is how a vector's only axis is read.
    """
    shape = expand(shape, facts)
    if index < len(shape.lead):
        return shape.lead[index]
    if shape.row is None:
        return None
    inside = index - len(shape.lead)
    known = facts.readings.get((shape.row, inside))
    if known is not None:
        return _resolve((known.axis,), facts)[0]
    axis = fresh_axis(shape.row, index)
    facts.read_row(shape.row, inside, Reading(axis, shape.trail))
    return axis


def bind_row(row: Row, shape: Shape, facts: Facts) -> None:
    """Record what a shape's unknown middle is, and which axes those are that were read from it."""
    facts.bind_row(row, shape)
    readings = [(key[1], value) for key, value in facts.readings.items() if key[0] is row]
    for index, reading in readings:
        beyond = index - len(shape.lead)
        if beyond >= 0 and shape.row is not None:
            after = shape.trail + reading.after
            facts.read_row(shape.row, beyond, Reading(reading.axis, after))
            continue
        listed = shape.lead + reading.after
        if index < len(listed):
            _same(reading.axis, listed[index], facts)
    for whole, part in tuple(facts.continued.values()):
        _close_both(whole, part, facts)


def seen_from_one_end(
    whole: Shape, lead: tuple[Axis, ...], trail: tuple[Axis, ...], facts: Facts
) -> Shape:
    """An open shape without the axes known from one of its ends, which others may belong to.

    Once the number of axes of either is known, that of the other is, and so are the axes.
    """
    assert whole.row is not None
    row = Row(whole.row.name, born=False)
    part = Shape(lead, row, trail)
    facts.continue_row(row, whole, part)
    return part


def _close_both(whole: Shape, part: Shape, facts: Facts) -> None:
    """Where one of two views of a shape has become closed, close the other one."""
    ranks = [expand(each, facts).rank for each in (whole, part)]
    if (ranks[0] is None) is (ranks[1] is None):
        return
    one, other = (close(each, ranks[0] or ranks[1] or 0, facts) for each in (whole, part))
    if one is not None and other is not None:
        for own, same in zip(one, other, strict=True):
            _same(own, same, facts)


def _found(shape: Shape, count: int, facts: Facts) -> tuple[Axis, ...]:
    """The first `count` axes of a shape's row: those that were read already, else new ones."""
    row, first = shape.row, len(shape.lead)
    assert row is not None
    readings = (facts.readings.get((row, index)) for index in range(count))
    return tuple(
        fresh_axis(row, first + index) if reading is None else reading.axis
        for index, reading in enumerate(readings)
    )


def _same(read: Axis, listed: Axis, facts: Facts) -> None:
    if read.size is not None and listed.size is not None:
        facts.force(read.size, listed.size, "both are the same axis")
