"""Pieces of one axis that are put together in another order than the axis was cut into.

Rows of an image cut as ``(p1 x)`` for grid attention (Tu et al. 2022, "MaxViT", section 3.2) and
put back as ``(x p1)`` change places, though nothing raises. A shuffle does so on purpose: of
channels, or of what was cut just for that. So pieces are told only where something was done to them
since they were cut, and only where

- rows and columns are both put back whole, each in another order than it was cut in; or
- pieces of what was split into heads are merged with what others were split from, as the outputs of
  grouped queries are with the features of the values.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis, Cut, Shape
from attncheck.checks import reshape_not_transpose
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import COPYING, MOVES, Rearranging, Reshaping
from attncheck.record import record
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_MERGES = (Rearranging, Reshaping)
#: Rows and columns: what is cut along one axis alone may be a shuffle.
_SIDES = 2
#: What the queries of groups are split into: groups, heads, features.
_OF_QUERIES = 3


@record
class Displaced:
    """An axis of a result that was put together of pieces in another order than they were cut in.

    ``place`` is which axis it is; ``order`` has the places of its parts in the right order. It is
    ``whole`` if nothing but all pieces of one axis is in it.
    """

    place: int
    axis: Axis
    order: tuple[int, ...]
    whole: bool


def check_trace(view: View) -> Iterator[Report]:
    """Report merges of pieces that stand in another order than they were cut in."""
    for operation in view.graph.operations:
        found = () if operation.elsewhere else view.remembered(displaced, operation)
        operand, tensor = next(operation.tensors(), (None, None))
        if not found or operand is None or operand.node is None or tensor is None:
            continue
        written, wanted = (_texts(found, ordered=ordered) for ordered in (False, True))
        what = "pieces" if found[0].whole else "heads"
        yield Report(
            reshape_not_transpose.RULE,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` puts together as {written} what was cut as {wanted}:"
            f" the {what} change places, and nothing raises",
            Culprit(operand.node, tensor),
            None,
            f"put together as {wanted}, in the order in which they were cut",
            named=not found[0].whole,
        )


def _texts(found: tuple[Displaced, ...], *, ordered: bool) -> str:
    texts = []
    for each in found:
        order = each.order if ordered else range(len(each.order))
        texts.append(text_of(tuple(each.axis.parts[place].size for place in order)))
    return " and ".join(texts)


def displaced(operation: Operation, view: View) -> tuple[Displaced, ...]:
    """The axes that a merge puts together in another order than they were cut in."""
    event, tensor, output = operation.event, operation.source, as_tensor(operation.output)
    if not isinstance(event, _MERGES) or operation.clash is not None or tensor is None:
        return ()
    before, after = view.shape(tensor), view.shape(output)
    if before is None or after is None or not before.closed or not after.closed:
        return ()
    old = [axis.parts for axis in before.axes]
    found = [
        each
        for place, axis in enumerate(after.axes)
        if axis.parts and not any(axis.parts is parts for parts in old)
        for each in _displaced(place, axis, view)
    ]
    sides = [each for each in found if each.whole]
    told = sides if len(sides) >= _SIDES else [each for each in found if not each.whole]
    return tuple(told) if told and _are_worked_on(told, tensor, view) else ()


def _displaced(place: int, axis: Axis, view: View) -> Iterator[Displaced]:
    """The axis, if pieces of one cut are its parts, in another order than they were cut in."""
    cuts = dict.fromkeys(part.piece[0] for part in axis.parts if part.piece is not None)
    for cut in cuts:
        own = [at for at, part in enumerate(axis.parts) if _number(part, cut, view) is not None]
        order = sorted(own, key=lambda at: _number(axis.parts[at], cut, view) or 0)
        if own == order:
            continue
        right = list(range(len(axis.parts)))
        for at, wanted in zip(own, order, strict=True):
            right[at] = wanted
        whole = len(own) == len(axis.parts) == len(cut.sizes)
        if whole or _is_of_heads(axis, cut, own):
            yield Displaced(place, axis, tuple(right), whole)


def _number(part: Axis, cut: Cut, view: View) -> int | None:
    """Which piece of a cut an axis is, None if it is none or is not as large any more."""
    made, number = part.piece or (None, 0)
    return number if made is cut and view.equal(part.size, cut.sizes[number]) else None


def _is_of_heads(axis: Axis, cut: Cut, own: list[int]) -> bool:
    """Whether two pieces of three are merged with features that come from elsewhere.

    What the third was, queries and keys were multiplied over.
    """
    rest = [part for at, part in enumerate(axis.parts) if at not in own]
    return len(cut.sizes) == _OF_QUERIES and len(own) == _OF_QUERIES - 1 and len(rest) == 1


def _are_worked_on(found: list[Displaced], tensor: Tensor, view: View) -> bool:
    """Whether anything but a move was done to pieces since they were cut."""
    pieces = {part.piece for each in found for part in each.axis.parts if part.piece is not None}
    while _has_all(pieces, view.shape(tensor)):
        made = view.graph.maker(tensor)
        if made is None:
            return False
        if not isinstance(made.event, MOVES) and made.kind not in COPYING:
            return True
        if made.source is None:
            return False
        tensor = made.source
    return False


def _has_all(pieces: set[tuple[Cut, int]], shape: Shape | None) -> bool:
    """Whether all these pieces are axes of a shape, or parts of its axes."""
    if shape is None or not shape.closed:
        return False
    return pieces.issubset(part.piece for axis in shape.axes for part in (axis, *axis.parts))
