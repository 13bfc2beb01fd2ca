"""Axes that line up by position only: right as long as two sizes are one number.

Two tensors whose axes meet crosswise, ``(B, T)`` with ``(T, B)``, are right for a square only.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from attncheck.algebra.broadcast import Pairing
from attncheck.algebra.shape import Axis, Shape
from attncheck.algebra.size import Symbol, of
from attncheck.checks.added_to_itself import added_to_themselves
from attncheck.checks.axis_left_over import left_over
from attncheck.checks.batches import mixed_up
from attncheck.checks.broadcasts import diagnose, report
from attncheck.checks.crossed_biases import crossed_biases
from attncheck.checks.displaced import stretched
from attncheck.checks.elementwise_mistakes import Kind
from attncheck.checks.mask_places import are_one
from attncheck.checks.masks import is_mask
from attncheck.checks.merged_otherwise import merged_otherwise
from attncheck.checks.one_left_over import ones_left_over
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import COMPARISONS, Elementwise, Expansion, Permutation
from attncheck.record import replace
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor

RULE = Rule(
    "ATN202",
    "misaligned-broadcast",
    "axes that line up by position and not by meaning",
)
ON = (Elementwise, Expansion)


def check_trace(view: View) -> Iterator[Report]:
    """Report batches taken for something else, biases of the other sequence, doubled lengths."""
    yield from mixed_up(RULE, view)
    yield from crossed_biases(RULE, view)
    yield from added_to_themselves(RULE, view)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report axes of different meaning that meet."""
    if isinstance(operation.event, Expansion):
        yield from stretched(RULE, operation, view)
        return
    yield from report(
        RULE,
        Kind.MISALIGNED,
        operation,
        view,
        "`{code}` lines up {left} with {right} by position, not by meaning",
    )
    yield from _crosswise(operation, view)
    if view.remembered(diagnose, operation) is None:
        yield from left_over(RULE, operation, view)
        yield from ones_left_over(RULE, operation, view)
    yield from merged_otherwise(RULE, operation, view)


def _crosswise(operation: Operation, view: View) -> Iterator[Report]:
    """Report two tensors of the same two sizes, of which one stands the other way round."""
    event, operands = operation.event, list(operation.tensors())
    if operation.clash is not None or len(operands) != 2 or not isinstance(event, Elementwise):
        return
    if event.symbol in COMPARISONS:
        return  # what is compared with what may be another order on purpose
    pairings = () if event.broadcast is None else event.broadcast.pairings
    places = _crossed(pairings)
    index = 0 if is_mask(view.graph, operands[0][1]) else 1
    operand, tensor = operands[index]
    if places is None or operand.node is None or _are_mirrored(operands, view):
        return
    sides = [
        [axis for pairing in pairings if (axis := side(pairing)) is not None]
        for side in (_left, _right)
    ]
    # The operation has made the two sizes one: here they are told apart again.
    sizes = [axis.size for axis in sides[index] if axis.size is not None]
    own = {symbol: of(Symbol(symbol.name)) for size in sizes for symbol in size.symbols()}
    axes = [
        replace(axis, size=None if axis.size is None else axis.size.replace(own.get))
        for axis in sides[index]
    ]
    turned = [axis.size for axis in axes]
    one, other = (turned[place] for place in places)
    turned[places[0]], turned[places[1]] = other, one
    told = [text_of(tuple(axis.size for axis in side)) for side in sides]
    yield Report(
        RULE,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` lines up {told[0]} with {told[1]} by position, not by"
        f" meaning: {one} meets {other}, and {other} meets {one}",
        Culprit(operand.node, tensor.with_shape(Shape(tuple(axes)))),
        tuple(turned),
        "the two axes in the order that the other operand has them in",
        hidden=f"hidden while {one} == {other}",
    )


def _are_mirrored(operands: list[tuple[Operand, Tensor]], view: View) -> bool:
    """Whether one of two tensors is the other one turned: ``X + X.T`` is for squares only."""
    for (_, one), (_, turned) in itertools.permutations(operands):
        made = view.graph.maker(turned)
        if made is None or not isinstance(made.event, Permutation) or made.source is None:
            continue
        if made.source is one or (made.source.made_by & one.made_by) - {None}:
            return True
    return False


def _left(pairing: Pairing) -> Axis | None:
    return pairing.left


def _right(pairing: Pairing) -> Axis | None:
    return pairing.right


def _crossed(pairings: Sequence[Pairing]) -> tuple[int, int] | None:
    """The two places, from the end, whose axes meet crosswise; not of a square and its own turn."""
    for (i, one), (j, other) in itertools.combinations(enumerate(pairings), 2):
        axes = (one.left, one.right, other.left, other.right)
        if any(axis is None or axis.size is None or axis.size.number is not None for axis in axes):
            continue
        (a, b), (c, d) = (one.left, one.right), (other.left, other.right)
        assert a is not None and b is not None and c is not None and d is not None
        crossed = a.size == d.size and b.size == c.size and a.size != b.size
        if crossed and not are_one(a, d) and not are_one(b, c):
            return i - len(pairings), j - len(pairings)
    return None
