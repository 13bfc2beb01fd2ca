"""Shapes that evidence states, as tensors are born with them: an axis is the one of its tensor."""

from __future__ import annotations

from attncheck.algebra.shape import Axis, Shape, Tag
from attncheck.algebra.size import Symbol, of
from attncheck.record import replace


def loosened(shape: Shape, name: str, *, numbers: bool = False) -> Shape:
    """`shape` with a size of its own for each axis, to be found equal to others by operations only.

    A size that is a number stays, unless `numbers` are not to be trusted either.
    """
    axes = []
    for index, axis in enumerate(shape.lead):
        size = axis.size
        if size is not None and (numbers or size.number is None):
            symbol = size.symbol
            kin = str(size) if symbol is not None else None
            text = f"{name}_{symbol.name}" if symbol is not None else f"{name}_{index}"
            size = of(Symbol(text, flexible=True, kin=kin))
        axes.append(Axis(size, Tag(name, index)))
    return Shape(tuple(axes), shape.row, shape.trail)


def born(shape: Shape, name: str) -> Shape:
    """`shape` with its axes tagged as born in the tensor `name`."""
    if not name:
        return shape
    lead = tuple(replace(axis, tag=Tag(name, index)) for index, axis in enumerate(shape.lead))
    count = len(shape.trail)
    trail = tuple(
        replace(axis, tag=Tag(name, index - count)) for index, axis in enumerate(shape.trail)
    )
    return Shape(lead, shape.row, trail)
