"""Masks beside what they mask: a mask or a bias fits into the scores that it is put on.

A mask that comes in from outside is known by its name only. Whatever its axes are, it is written
for the tensor it meets, which keeps its shape; `role` is ``"mask"`` for such a tensor and for what
is made of it alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attncheck.algebra.shape import Shape
from attncheck.evidence.roles import Role
from attncheck.operators.call import Call
from attncheck.operators.operands import operand_shape

#: The role of a tensor that is put on another one.
MASK: Final = Role.MASK


def is_mask(call: Call, name: str) -> bool:
    """Whether an argument is a mask by its name."""
    tensor = call.tensor(name)
    return tensor is not None and tensor.role == MASK


def masked_shapes(call: Call, names: Sequence[str]) -> list[Shape] | None:
    """The shapes of the operands that masks are put on, where these say what the result is.

    None where no operand is a mask, or where the others may be stretched by one.
    """
    masks = [name for name in names if is_mask(call, name)]
    shapes = [operand_shape(call, name) for name in names if name not in masks]
    known = [shape for shape in shapes if shape is not None]
    if not masks or len(known) < len(shapes) or not known:
        return None
    rank = max((shape.rank or 0 for shape in known), default=0)
    if rank < 2 or not all(takes_masks(shape) for shape in known if shape.rank != 0):
        return None
    return known if all(_fits(call, name, rank) for name in masks) else None


def _fits(call: Call, name: str, rank: int) -> bool:
    mask = operand_shape(call, name)
    return mask is None or mask.at_least <= rank


def takes_masks(filled: Shape) -> bool:
    """Whether a mask that fits into a shape leaves it as it is: all axes known, none of size 1."""
    return filled.row is None and not any(axis.is_one for axis in filled.lead)
