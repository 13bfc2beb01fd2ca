"""Axis numbers, and editing shapes by them, alike for closed and open shapes.

A `Layout` is the list of a shape's axes with the row of an open shape standing in it as one item,
so that removing, inserting and exchanging axes need no case distinction. Axis numbers that an open
shape does not show yet are brought into sight first: ``x.transpose(1, 2)`` tells that x has three
axes or more.
"""

from __future__ import annotations

from collections.abc import Iterable

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import (
    Axis,
    Row,
    Shape,
    close,
    expand,
    seen_from_one_end,
    with_leading,
    with_trailing,
)
from attncheck.operators.call import Call
from attncheck.operators.events import Clash, Fault
from attncheck.record import record
from attncheck.values.value import Const


@record
class Layout:
    """A shape as one list of items: its axes and, if it is open, its row among them."""

    items: tuple[Axis | Row, ...]

    @classmethod
    def of(cls, shape: Shape) -> Layout:
        """The layout of a shape."""
        if shape.row is None:
            return cls(shape.lead)
        return cls((*shape.lead, shape.row, *shape.trail))

    def find(self, axis: int) -> int | None:
        """The index of an axis number in the list, or None if the axis is not in sight."""
        count = len(self.items)
        index = axis if axis >= 0 else axis + count
        if not 0 <= index < count:
            return None
        behind = self.items[index:] if axis < 0 else self.items[: index + 1]
        return None if any(isinstance(item, Row) for item in behind) else index

    def axis(self, index: int) -> Axis:
        """The axis at an index that `find` gave."""
        item = self.items[index]
        assert isinstance(item, Axis)
        return item

    def number(self, index: int) -> int:
        """The axis number of an index: from 0, or negative where only the end is known."""
        before = any(isinstance(item, Row) for item in self.items[:index])
        return index - len(self.items) if before else index


def shape_of_items(items: Iterable[Axis | Row]) -> Shape:
    """The shape that a layout's items make."""
    lead: list[Axis] = []
    trail: list[Axis] = []
    row: Row | None = None
    for item in items:
        if isinstance(item, Row):
            row = item
        elif row is None:
            lead.append(item)
        else:
            trail.append(item)
    return Shape(tuple(lead), row, tuple(trail))


def least_rank(shape: Shape) -> int:
    """The number of axes a shape surely has.

    The leading and the trailing axes of an open shape were seen by different operations and may
    be the same ones.
    """
    return shape.at_least if shape.closed else max(len(shape.lead), len(shape.trail))


def expose(shape: Shape, axes: Iterable[int], facts: Facts) -> Shape | None:
    """The shape with all of these axes in sight; None if it is closed and has no such axis."""
    axes = tuple(axes)
    front = max((axis + 1 for axis in axes), default=0)
    back = max((-axis for axis in axes), default=0)
    shown: Shape | None = _apart(expand(shape, facts), front, back, facts)
    if shown is not None and front > 0:
        shown = with_leading(shown, front, facts)
    if shown is not None and back > 0:
        shown = with_trailing(shown, back, facts)
    return shown


def _apart(shape: Shape, front: int, back: int, facts: Facts) -> Shape:
    """An open shape without the end that axes asked for from the other end may belong to.

    Whether axis 2 of (..., d_model) is the last one nobody knows: moved, it may take d_model along.
    """
    if shape.row is None or (front > 0 and back > 0):
        return shape
    if shape.trail and front > len(shape.lead):
        return seen_from_one_end(shape, shape.lead, (), facts)
    if shape.lead and back > len(shape.trail):
        return seen_from_one_end(shape, (), shape.trail, facts)
    return shape


def locate(
    shape: Shape, axes: tuple[int, ...], facts: Facts
) -> tuple[Layout, tuple[int, ...]] | Clash:
    """The layout of a shape and the indices of these axes in it, or why there are none such."""
    shown = expose(shape, axes, facts)
    if shown is None:
        return out_of_range(axes, shape)
    layout = Layout.of(shown)
    found = [layout.find(axis) for axis in axes]
    indices = tuple(index for index in found if index is not None)
    if len(indices) < len(axes):
        return out_of_range(axes, shape)
    if len(set(indices)) < len(indices):
        return Clash(Fault.AXIS, f"names an axis of {shape} twice")
    return layout, indices


def out_of_range(axes: tuple[int, ...], shape: Shape) -> Clash:
    """The clash of axis numbers that a closed shape does not have."""
    rank = len(shape.lead)
    bad = [axis for axis in axes if not -rank <= axis < rank]
    named = ", ".join(str(axis) for axis in bad or axes)
    return Clash(Fault.AXIS, f"names axis {named} of {shape}, which has {axes_text(rank)}")


def axes_text(rank: int) -> str:
    """A number of axes in words."""
    return "1 axis" if rank == 1 else f"{rank} axes"


def with_rank(shape: Shape, rank: int, facts: Facts) -> Shape | Clash | None:
    """The shape closed to exactly `rank` axes; a clash if it has another number of them.

    None where an open shape shows more axes than that but may have fewer.
    """
    shape = expand(shape, facts)
    made = close(shape, rank, facts)
    if made is not None:
        return made
    if shape.closed or least_rank(shape) > rank:
        return Clash(Fault.RANK, f"takes {axes_text(rank)}, not {shape}")
    return None


def split_trailing(shape: Shape, count: int, facts: Facts) -> tuple[Shape, tuple[Axis, ...]] | None:
    """The shape without its last `count` axes, and these; None if it is closed and has fewer."""
    shown = with_trailing(shape, count, facts)
    if shown is None:
        return None
    if shown.row is None:
        cut = len(shown.lead) - count
        return Shape(shown.lead[:cut]), shown.lead[cut:]
    cut = len(shown.trail) - count
    return Shape(shown.lead, shown.row, shown.trail[:cut]), shown.trail[cut:]


def split_ends(
    shape: Shape, front: int, back: int, facts: Facts
) -> tuple[tuple[Axis, ...], Shape, tuple[Axis, ...]] | None:
    """The first `front` axes, the shape between, the last `back`; None if there are fewer."""
    if shape.closed and len(shape.lead) < front + back:
        return None
    shown: Shape | None = expand(shape, facts)
    for grow, count in ((with_leading, front), (with_trailing, back), (with_leading, front)):
        shown = None if shown is None else grow(shown, count, facts)
    if shown is None:
        return None
    if shown.row is None:
        end = len(shown.lead) - back
        return shown.lead[:front], Shape(shown.lead[front:end]), shown.lead[end:]
    end = len(shown.trail) - back
    middle = Shape(shown.lead[front:], shown.row, shown.trail[:end])
    return shown.lead[:front], middle, shown.trail[end:]


def append(shape: Shape, axes: Iterable[Axis]) -> Shape:
    """The shape with more axes behind."""
    if shape.row is None:
        return Shape(shape.lead + tuple(axes))
    return Shape(shape.lead, shape.row, shape.trail + tuple(axes))


def unknown_axis(call: Call, name: str = "axis") -> bool:
    """Whether an axis argument was given but is not known."""
    return call.given(name) and call.integers(name) is None


def is_bool(call: Call, name: str) -> bool:
    """Whether an argument is the literal True or False."""
    value = call.value(name)
    return isinstance(value, Const) and isinstance(value.value, bool)
