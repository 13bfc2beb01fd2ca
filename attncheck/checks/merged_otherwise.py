"""Positions that two tensors have merged in another order: rows of an image against its columns.

``h * w`` positions are as many as ``w * h``, so that nothing raises, but position 1 is the second
of the first row here and of the first column there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.algebra.size import Size
from attncheck.checks.orders import repeats
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise
from attncheck.rule import Rule


def merged_otherwise(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """Report an axis that meets one merged of the same parts in another order."""
    found, operands = parts_apart(operation, view), list(operation.tensors())
    if found is None or operands[1][0].node is None:
        return
    tensor = operands[1][1]
    ours, theirs = map(text_of, found)
    first, second = (view.quote(each.node) for each, _ in operands)
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` lines up positions that `{first}` has merged from {ours}"
        f" with those that `{second}` has merged from {theirs}: as many, in another order",
        Culprit(operands[1][0].node, tensor),
        view.sizes(tensor),
        f"the same shape, merged from {ours} as well, so that each position meets itself",
        hidden=f"hidden while {found[0][0]} == {found[1][0]}",
    )


def parts_apart(
    operation: Operation, view: View
) -> tuple[tuple[Size, ...], tuple[Size, ...]] | None:
    """The parts of two axes that meet, where these are the same and in another order; else None."""
    event = operation.event
    if operation.clash is not None or not isinstance(event, Elementwise):
        return None
    if len(list(operation.tensors())) != 2 or event.broadcast is None:
        return None
    for pairing in event.broadcast.pairings:
        if pairing.left is None or pairing.right is None:
            continue
        one, other = (_parts(axis, view) for axis in (pairing.left, pairing.right))
        if one != other and Counter(one) == Counter(other):
            return one, other
    return None


def _parts(axis: Axis, view: View) -> tuple[Size, ...]:
    """The sizes that an axis is merged from, in order; none if they are not told apart by name.

    Of an axis that was repeated another rule tells.
    """
    if repeats(view, axis) is not None:
        return ()
    sizes = [view.facts.resolve(part.size) for part in axis.parts if part.size is not None]
    named = len(sizes) == len(axis.parts) > 1 and all(size.number is None for size in sizes)
    return tuple(sizes) if named else ()
