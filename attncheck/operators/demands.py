"""What a layer demands of several tensors at once: one number of axes, and exactly these sizes."""

from __future__ import annotations

from collections.abc import Iterable

from attncheck.algebra.contract import contract
from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Shape, closed
from attncheck.algebra.size import Size
from attncheck.operators.axes import least_rank, with_rank
from attncheck.operators.call import Call
from attncheck.operators.events import Clash, Fault


def times(left: Size | None, right: Size | None) -> Size | None:
    """The product of two sizes; None if one of them is not known."""
    return None if left is None or right is None else left * right


def shared_rank(shapes: Iterable[Shape | None], most: int) -> int | None:
    """The number of axes of tensors that all have `most` axes or all have one less.

    The first tensor whose number of axes is known decides, for `most` if it has yet another number;
    None if there is no such tensor.
    """
    for shape in shapes:
        if shape is not None and (shape.closed or least_rank(shape) >= most):
            return most - 1 if shape.rank == most - 1 else most
    return None


def rank_demanded(
    shape: Shape, rank: int, text: str, facts: Facts, operand: int = 0
) -> Shape | Clash | None:
    """The shape with exactly `rank` axes, a clash that says `text` and the shape, or None."""
    made = with_rank(shape, rank, facts)
    if isinstance(made, Clash):
        return Clash(Fault.RANK, f"{text}, not {shape}", operand)
    return made


def demand(
    call: Call,
    given: Shape | None,
    wanted: tuple[Axis, ...],
    what: str,
    operand: int,
    shared: tuple[int, ...] = (),
) -> Clash | None:
    """Why a tensor does not have exactly the `wanted` axes, or None.

    ``shared`` are the axes whose size is another operand's; that of the others is the layer's.
    """
    if given is None:
        return None
    text = f"takes {what} of {closed(wanted)}"
    shape = rank_demanded(given, len(wanted), text, call.facts, operand)
    if shape is None or isinstance(shape, Clash):
        return shape
    for index, (axis, need) in enumerate(zip(shape.lead, wanted, strict=True)):
        pair = contract(axis, need, call.facts, what)
        if pair.verdict.clashes:
            fault = Fault.AGREEMENT if index in shared else Fault.FEATURES
            told = f"{text}, not {shape}"
            return Clash(fault, told, operand, axis.size, need.size, pair.verdict)
    return None
