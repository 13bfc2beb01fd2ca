"""Tensors whose axes meet others than those they are, though each has its own in the other one.

``(B, T, d) + (B, T, d, 1)`` runs only where B, T and d are one number. By their sizes it can be
seen where each axis belongs: under the same one of the other tensor, with an axis of 1 less or one
in another place.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Sequence

from attncheck.algebra.broadcast import Broadcast, How
from attncheck.algebra.facts import Verdict
from attncheck.algebra.size import ONE, Size, Symbol
from attncheck.checks.report import Culprit, Report, Sizes, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Expansion
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

#: Expansions that only stretch axes of 1.
_STRETCHING = frozenset({"expand", "expand_as"})


def stretched(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """The report of ``x.expand_as(y)`` that lines up axes of x with others of y."""
    event = operation.event
    if not isinstance(event, Expansion) or event.kind not in _STRETCHING or operation.clash:
        return
    operand, tensor = next(operation.tensors(), (None, None))
    if operand is None or tensor is None:
        return
    sizes, made = view.sizes(tensor), view.sizes(as_tensor(operation.output))
    if sizes is None or made is None or operand.node is None:
        return
    for index, wanted in displaced((sizes, made), view):
        if index == 0:
            yield Report(
                rule,
                operation,
                operation.node,
                f"`{view.quote(operation.node)}` lines up {text_of(sizes)} with {text_of(made)}"
                " by position, not by meaning",
                Culprit(operand.node, tensor),
                wanted,
                f"so that each axis meets itself in {text_of(made)}",
            )


def displaced(sizes: tuple[Sizes, Sizes], view: View) -> Iterator[tuple[int, Sizes]]:
    """Which of two operands stands wrong, and the sizes that line it up; the likeliest first.

    One that was given an axis of 1 stands where that has put it.
    """
    if any(None in each for each in sizes) or not _meet_by_chance(*sizes, view):
        return
    for index in sorted((0, 1), key=lambda number: ONE not in sizes[number]):
        wanted = put_under(sizes[index], sizes[1 - index], view.equal)
        if wanted is not None and wanted != sizes[index]:
            yield index, wanted


@record
class Beside:
    """An operand that meets the wrong axis: which, the sizes that line it up, and those it met."""

    index: int
    wanted: Sizes
    before: tuple[Sizes, Sizes]


def beside_its_own(met: Broadcast, tensors: Sequence[Tensor]) -> Beside | None:
    """Which operand has a number of the code meet an axis of the data, and how it is lined up.

    ``scores (B, H, T, T) * temperature (H,)``: the operation takes T to be H, so sizes are compared
    as they were before. The longer operand has the very axis, so nobody means T by it; one that was
    given an axis of 1 stands where that has put it.
    """
    shapes = [tensor.shape for tensor in tensors]
    left, right = (tuple(shape.sizes()) if shape and shape.closed else () for shape in shapes)
    short, own, other = (0, left, right) if len(left) < len(right) else (1, right, left)
    if not own or None in (*own, *other) or ONE in own or len(own) == len(other):
        return None
    aligned = other[len(other) - len(own) :]
    chance = [
        _is_written(size) and _is_of_data(beside)
        for size, beside in zip(own, aligned, strict=True)
        if size != beside
    ]
    if not chance or not all(chance) or not any(p.how is How.ASSUMED for p in met.pairings):
        return None
    wanted = put_under(own, other, operator.eq)
    return None if wanted is None else Beside(short, wanted, (left, right))


def _is_written(size: Size | None) -> bool:
    """Whether a size is a number that the code is made with: of heads, of channels."""
    symbol = None if size is None else size.symbol
    return symbol is not None and not symbol.flexible and not symbol.found


def _is_of_data(size: Size | None) -> bool:
    """Whether only the data says how long an axis is."""
    symbol = None if size is None else size.symbol
    return symbol is not None and (symbol.flexible or symbol.found)


def _meet_by_chance(left: Sizes, right: Sizes, view: View) -> bool:
    """Whether axes of unlike sizes meet of which nobody has said that they differ.

    What a division leaves may be any size.
    """
    met = [
        (a, b)
        for a, b in zip(reversed(left), reversed(right), strict=False)
        if a is not None and b is not None and ONE not in (a, b) and not view.equal(a, b)
    ]
    return bool(met) and all(
        view.facts.compare(a, b) is Verdict.UNKNOWN
        and all(type(atom) is Symbol and not atom.found for size in (a, b) for atom in size.atoms())
        for a, b in met
    )


def put_under(
    own: Sizes, other: Sizes, equal: Callable[[Size | None, Size | None], bool]
) -> Sizes | None:
    """The sizes of a tensor with each axis under the one of its size of another tensor.

    None if an axis has none there, or if there is more than one way.
    """
    kept = [size for size in own if size != ONE]
    if not kept or len(kept) > len(other):
        return None
    ways = [
        places
        for places in itertools.combinations(range(len(other)), len(kept))
        if all(
            _are_one(size, other[place], equal) for size, place in zip(kept, places, strict=True)
        )
    ]
    if len(ways) != 1:
        return None
    (places,) = ways
    return tuple(other[at] if at in places else ONE for at in range(places[0], len(other)))


def _are_one(
    left: Size | None, right: Size | None, equal: Callable[[Size | None, Size | None], bool]
) -> bool:
    """Whether two axes are of one size that is no number: numbers may be equal by chance."""
    return left is not None and left.number is None and equal(left, right)
