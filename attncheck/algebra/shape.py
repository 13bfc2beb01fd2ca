"""Shapes: axes that know their size and where they came from, closed or open in the middle.

A closed shape lists all its axes. An open one knows some leading and some trailing axes around a
`Row`, a middle of unknown length: ``x.size(0)`` gives a leading axis, ``Linear(d, e)(x)`` a trailing
one, ``B, T, C = x.shape`` closes it. A row is bound in `Facts` like a flexible symbol; `expand`
puts in what is known.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from attncheck.algebra.facts import Facts
from attncheck.algebra.size import Size, Symbol, const, of

_serials = itertools.count(1)


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its size (None if unknown), its birth, and what happened to it.

    ``normalised`` are the softmax operations (by number) under which this axis sums to one;
    ``parts`` the axes that were merged into this one by a reshape, outermost first; ``made`` says
    that the axis has size 1 because the code asked for it (``None``, ``unsqueeze``, ``keepdims``).
    """

    size: Size | None
    tag: Tag | None = None
    normalised: frozenset[int] = frozenset()
    parts: tuple[Axis, ...] = ()
    made: str | None = field(default=None, compare=False)

    @property
    def is_one(self) -> bool:
        """Whether the size is the number 1."""
        return self.size is not None and self.size.number == 1

    def __str__(self) -> str:
        return "?" if self.size is None else str(self.size)


#: An axis nothing is known of.
UNKNOWN_AXIS = Axis(None)


class Row:
    """The unknown middle of an open shape; bound in `Facts.rows` to the shape it turns out to be."""

    __slots__ = ("name", "serial")

    def __init__(self, name: str) -> None:
        self.name = name
        self.serial = next(_serials)

    def __repr__(self) -> str:
        return f"*{self.name}"


@dataclass(frozen=True, slots=True)
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

    Its size is a flexible symbol, named after the tensor.
    """
    name = f"{row.name}_{index}" if index >= 0 else f"{row.name}_last{-index}"
    return Axis(of(Symbol(name, flexible=True)), Tag(row.name, index))


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
    while shape.row is not None:
        bound = facts.rows.get(shape.row)
        if bound is None:
            break
        assert isinstance(bound, Shape)
        if bound.row is None:
            shape = Shape(shape.lead + bound.lead + shape.trail)
        else:
            shape = Shape(shape.lead + bound.lead, bound.row, bound.trail + shape.trail)
    if facts.has_bindings:
        shape = Shape(_resolve(shape.lead, facts), shape.row, _resolve(shape.trail, facts))
    return shape


def _resolve(axes: tuple[Axis, ...], facts: Facts) -> tuple[Axis, ...]:
    resolved = []
    changed = False
    for axis in axes:
        size = axis.size
        if size is not None:
            known = facts.resolve(size)
            if known is not size:
                axis = replace(axis, size=known)
                changed = True
        resolved.append(axis)
    return tuple(resolved) if changed else axes


def close(shape: Shape, rank: int, facts: Facts) -> Shape | None:
    """Make an open shape have exactly `rank` axes, binding its row; None if it has more already."""
    shape = expand(shape, facts)
    if shape.row is None:
        return shape if len(shape.lead) == rank else None
    missing = rank - shape.at_least
    if missing < 0:
        return None
    middle = tuple(fresh_axis(shape.row, len(shape.lead) + index) for index in range(missing))
    facts.bind_row(shape.row, Shape(middle))
    return Shape(shape.lead + middle + shape.trail)


def with_trailing(shape: Shape, count: int, facts: Facts) -> Shape | None:
    """Make an open shape show at least `count` trailing axes; None if it is closed and has fewer."""
    shape = expand(shape, facts)
    if shape.row is None:
        return shape if len(shape.lead) >= count else None
    missing = count - len(shape.trail)
    if missing <= 0:
        return shape
    middle = tuple(fresh_axis(shape.row, index - count) for index in range(missing))
    rest = Row(shape.row.name)
    facts.bind_row(shape.row, Shape((), rest, middle))
    return Shape(shape.lead, rest, middle + shape.trail)


def with_leading(shape: Shape, count: int, facts: Facts) -> Shape | None:
    """Make an open shape show at least `count` leading axes; None if it is closed and has fewer."""
    shape = expand(shape, facts)
    if shape.row is None:
        return shape if len(shape.lead) >= count else None
    missing = count - len(shape.lead)
    if missing <= 0:
        return shape
    first = len(shape.lead)
    middle = tuple(fresh_axis(shape.row, first + index) for index in range(missing))
    rest = Row(shape.row.name)
    facts.bind_row(shape.row, Shape(middle, rest))
    return Shape(shape.lead + middle, rest, shape.trail)
