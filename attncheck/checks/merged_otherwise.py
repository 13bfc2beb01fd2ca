"""Positions that two tensors have merged in another order: rows of an image against its columns.

``h * w`` positions are as many as ``w * h``, so that nothing raises, but position 1 is the second
of the first row here and of the first column there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.algebra.size import Size
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise
from attncheck.rule import Rule


def merged_otherwise(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """Report an axis that meets one merged of the same parts in another order."""
    event, operands = operation.event, list(operation.tensors())
    if operation.clash is not None or len(operands) != 2 or not isinstance(event, Elementwise):
        return
    for pairing in () if event.broadcast is None else event.broadcast.pairings:
        if pairing.left is None or pairing.right is None:
            continue
        one, other = (_parts(axis, view) for axis in (pairing.left, pairing.right))
        if one == other or Counter(one) != Counter(other):
            continue
        operand, tensor = operands[1]
        if operand.node is None:
            return
        ours, theirs = text_of(one), text_of(other)
        first, second = (view.quote(each.node) for each, _ in operands)
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` lines up positions that `{first}` has merged from"
            f" {ours} with those that `{second}` has merged from {theirs}: as many, in another"
            " order",
            Culprit(operand.node, tensor),
            view.sizes(tensor),
            f"the same shape, merged from {ours} as well, so that each position meets itself",
            hidden=f"hidden while {one[0]} == {other[0]}",
        )
        return


def _parts(axis: Axis, view: View) -> tuple[Size, ...]:
    """The sizes that an axis is merged from, in order; none if they are not told apart by name."""
    sizes = [view.facts.resolve(part.size) for part in axis.parts if part.size is not None]
    named = len(sizes) == len(axis.parts) > 1 and all(size.number is None for size in sizes)
    return tuple(sizes) if named else ()
