"""Sizes and shapes as data: the JSON form of findings and of `attncheck shapes`."""

from __future__ import annotations

from attncheck.algebra.shape import Shape
from attncheck.algebra.size import Size

#: An unknown size, and the unknown middle of a shape.
UNKNOWN_SIZE = "?"
OPEN = "..."


def size_data(size: Size | None) -> int | str:
    """A size as an integer, or as an expression over names; ``"?"`` if it is not known."""
    if size is None:
        return UNKNOWN_SIZE
    number = size.number
    return str(size) if number is None else number


def shape_data(shape: Shape | None) -> list[int | str] | None:
    """A shape as a list of sizes; None if it is not known at all.

    ``"..."`` stands for the axes of an open shape that are not known, not even how many.
    """
    if shape is None or (shape.row is not None and not shape.lead and not shape.trail):
        return None
    sizes = [size_data(axis.size) for axis in shape.lead]
    if shape.row is None:
        return sizes
    return [*sizes, OPEN, *(size_data(axis.size) for axis in shape.trail)]
