"""A letter of an einsum that two operands have for different sizes, and where it stands in each."""

from __future__ import annotations

from attncheck.algebra.size import Size
from attncheck.checks.report import Sizes
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Einsum
from attncheck.operators.patterns import DOTS
from attncheck.record import record

_OPERANDS = 2


@record
class Summed:
    """A letter that is summed over: the axis of each of two operands, and its two sizes."""

    axes: tuple[int, int]
    sizes: tuple[Size, Size]


def summed_clash(operation: Operation, view: View) -> Summed | None:
    """The letter that two operands are summed over and have for different sizes.

    None where another letter may have been meant: an operand has the other one's size on an axis
    that it shares with nobody.
    """
    event, clash = operation.event, operation.clash
    shapes = [view.sizes(tensor) for _, tensor in operation.tensors()]
    if not isinstance(event, Einsum) or clash is None or len(event.inputs) != _OPERANDS:
        return None
    if len(shapes) != _OPERANDS or clash.left is None or clash.right is None:
        return None
    first, second = (_axes(*each) for each in zip(event.inputs, shapes, strict=True))
    shared = [letter for letter in first if letter in second]
    apart = [each for each in shared if not view.equal(first[each][1], second[each][1])]
    if len(apart) != 1 or apart[0] in event.output:
        return None
    (i, left), (j, right) = first.pop(apart[0]), second.pop(apart[0])
    if left is None or right is None or not view.equal(left, clash.left):
        return None
    for operand, wanted in ((first, right), (second, left)):
        alone = [size for letter, (_, size) in operand.items() if letter not in shared]
        if any(size is None or view.equal(size, wanted) for size in alone):
            return None
    return Summed((i, j), (left, right))


def _axes(letters: tuple[str, ...], sizes: Sizes | None) -> dict[str, tuple[int, Size | None]]:
    """The axis of each letter of an operand and its size; none if a letter stands for two axes."""
    count = len(letters) - (DOTS in letters)
    if sizes is None or len(set(letters)) != len(letters):
        return {}
    if len(sizes) != count and (DOTS not in letters or len(sizes) < count):
        return {}
    cut = letters.index(DOTS) if DOTS in letters else len(letters)
    places = [*range(cut), *range(len(sizes) - count + cut, len(sizes))]
    named = [letter for letter in letters if letter != DOTS]
    return {letter: (place, sizes[place]) for letter, place in zip(named, places, strict=True)}
