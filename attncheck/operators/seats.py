"""One axis of a shape by its number, and the shape with other axes in its place.

In an open shape a number counts from one end; which axis it is, is certain only if it cannot belong
to the axes that are known from the other end. `seat` answers with the axis or with None, and binds
the shape's row where the operation proves that there must be more axes.
"""

from __future__ import annotations

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Row, Shape, expand, with_leading, with_trailing
from attncheck.algebra.size import Size
from attncheck.operators.axes import axes_text, least_rank, out_of_range
from attncheck.operators.call import Call
from attncheck.operators.events import Clash, Fault
from attncheck.record import record, replace


@record
class Seat:
    """An axis of `shape`: ``index`` counts through the leading, then the trailing axes."""

    shape: Shape
    index: int

    @property
    def axis(self) -> Axis:
        """The axis itself."""
        return (self.shape.lead + self.shape.trail)[self.index]

    @property
    def doubtful(self) -> range:
        """The axes known from the other end of an open shape that may be this very one.

        The first axis is taken to be another one than the last, as `leading` has it.
        """
        lead, trail = len(self.shape.lead), len(self.shape.trail)
        if self.shape.row is None or not lead or not trail:
            return range(0)
        least = max(lead, trail, 2)
        if self.index < lead:
            return range(lead, lead + trail - least + self.index + 1)
        return range(max(self.index - lead - trail + least, 0), lead)

    def put(self, *axes: Axis) -> Shape:
        """The shape with `axes` instead of this one, and without those that may be this one."""
        shape, split = self.shape, len(self.shape.lead)
        gone = range(0) if axes == (self.axis,) else self.doubtful
        items: list[tuple[Axis, ...]] = [(axis,) for axis in shape.lead + shape.trail]
        items[self.index : self.index + 1] = [axes]
        lead, trail = (
            tuple(axis for i in part if i not in gone for axis in items[i])
            for part in (range(split), range(split, len(items)))
        )
        row = Row(shape.row.name, born=False) if shape.row is not None and gone else shape.row
        return Shape(lead, row, trail)


def seat(shape: Shape, axis: int, facts: Facts) -> Seat | None:
    """The axis numbered `axis` (negative: from the end); None if that is not certain."""
    shape = expand(shape, facts)
    rank = shape.rank
    if rank is not None:
        return Seat(shape, axis % rank) if -rank <= axis < rank else None
    grown = leading(shape, axis + 1, facts) if axis >= 0 else trailing(shape, -axis, facts)
    if grown is None:
        return None
    return Seat(grown, axis if axis >= 0 else axis + grown.at_least)


def seat_of(call: Call, default: int | None = None) -> tuple[Seat | None, Clash | None]:
    """The axis of ``x`` that a call names (else the `default` one), or why it has none."""
    shape = call.shape("x")
    axis = call.integer("axis") if call.given("axis") else default
    if shape is None or axis is None:
        return None, None
    return seat(shape, axis, call.facts), axis_clash(shape, axis, call.facts)


def leading(shape: Shape, count: int, facts: Facts, rank: int = 0) -> Shape | None:
    """An open shape with at least `count` leading axes; None where these may be trailing ones.

    ``rank`` is the number of axes that the operation proves the tensor to have at least. The first
    axis is taken to be another one than the last: nothing that has a feature axis and is asked for
    its first one is a vector.
    """
    known, others = len(shape.lead), len(shape.trail)
    if others and count > max(known, rank - others) and (count > 1 or others > 1):
        return None
    return with_leading(shape, count, facts)


def trailing(shape: Shape, count: int, facts: Facts, rank: int = 0) -> Shape | None:
    """An open shape with at least `count` trailing axes; the mirror image of `leading`."""
    known, others = len(shape.trail), 0 if shape.closed else len(shape.lead)
    if others and count > max(known, rank - others) and (count > 1 or others > 1):
        return None
    return with_trailing(shape, count, facts)


def axis_clash(shape: Shape, axis: int, facts: Facts) -> Clash | None:
    """A clash if `axis` is out of range for a closed shape."""
    rank = expand(shape, facts).rank
    return None if rank is None or -rank <= axis < rank else out_of_range((axis,), shape)


def rank_clash(shape: Shape, wanted: str, operand: int = 0) -> Clash:
    """The clash of a tensor with another number of axes than the `wanted` one ("a matrix")."""
    return Clash(Fault.RANK, f"takes {wanted}, not {shape}", operand)


def ranks_clash(shape: Shape, ranks: tuple[int, ...]) -> Clash | None:
    """The clash of a shape that has none of these numbers of axes, or None."""
    if (shape.rank in ranks) if shape.closed else (least_rank(shape) <= max(ranks)):
        return None
    wanted = axes_text(ranks[-1])
    return rank_clash(shape, " or ".join([*map(str, ranks[:-1]), wanted]))


def resized(axis: Axis, size: Size | None, facts: Facts, made: str | None = None) -> Axis:
    """A part of `axis`: of its birth and with its marks, but of another size.

    The axis itself if the size is the same.
    """
    if size is None or axis.size is None:
        return replace(axis, size=size, parts=(), made=made)
    if facts.equal(size, axis.size):
        return axis
    return replace(axis, size=size, parts=(), made=made)
