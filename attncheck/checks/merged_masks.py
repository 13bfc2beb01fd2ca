"""Masks that were merged before the one had as many axes as the other: the batch is there twice.

``mask[:, None, None, :] & table`` of padding ``(B, S)`` and a table ``(B, T, S)`` lines up the
table's batch with the axis of 1 that the padding has for the heads: ``(B, B, T, S)``, which no
attention takes unless there happen to be as many heads as sequences.
"""

from __future__ import annotations

from attncheck.algebra.shape import Shape
from attncheck.algebra.size import ONE
from attncheck.checks.plain import blamed
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import COPYING, MOVES, Elementwise
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor

#: What merges two masks: both have to let see, one of them has to hide, or numbers of these.
_MERGES = frozenset({"&", "|", "and", "or", "*", "+", "minimum", "maximum"})
_MOST_STEPS = 8


@record
class Merged:
    """The operation that merges two masks, the one with an axis too many, and both shapes."""

    operation: Operation
    operand: Operand
    tensor: Tensor
    longer: Shape
    shorter: Shape


def merged(attention: Operation, view: View) -> Merged | None:
    """What has given the mask that an attention cannot work with a batch too many, or None."""
    found = blamed(attention)
    tensor = None if found is None else found[1]
    for _ in range(_MOST_STEPS):
        made = None if tensor is None else view.graph.maker(tensor)
        if made is None:
            return None
        if isinstance(made.event, Elementwise) and made.event.symbol in _MERGES:
            return _merge(made, view)
        if not isinstance(made.event, MOVES) and made.kind not in COPYING:
            return None
        tensor = made.source
    return None


def _merge(made: Operation, view: View) -> Merged | None:
    operands = [(operand, tensor, view.shape(tensor)) for operand, tensor in made.tensors()]
    if len(operands) != 2 or made.elsewhere or made.clash is not None:
        return None
    for (operand, tensor, longer), (_, _, shorter) in (operands, operands[::-1]):
        if longer is None or shorter is None or not (longer.closed and shorter.closed):
            continue
        if (len(longer.axes), len(shorter.axes)) != (4, 3) or operand.node is None:
            continue
        batch, heads = longer.axes[:2]
        own = shorter.axes[0]
        if heads.is_one and not own.is_one and view.equal(batch.size, own.size):
            return Merged(made, operand, tensor, longer, shorter)
    return None


def report(rule: Rule, found: Merged, attention: Operation, view: View) -> Report:
    """The report of `rule` about masks that were merged with the batch of one of them twice."""
    made, sizes = found.operation, found.longer.sizes()
    assert found.operand.node is not None
    assert attention.clash is not None
    return Report(
        rule,
        made,
        made.node,
        f"`{view.quote(made.node)}` lines up a mask of {text_of(sizes)} with one of"
        f" {text_of(found.shorter.sizes())} from the last axis on: the batch of the second meets"
        f" the axis of 1 that the first has for the heads, and `{view.quote(attention.node)}`"
        f" {attention.clash.text}; it runs only where there are as many heads as sequences",
        Culprit(found.operand.node, found.tensor),
        (sizes[0], ONE, sizes[3]) if sizes[2] == ONE else (sizes[0], *sizes[2:]),
        f"without the axis for the heads, as the mask {text_of(found.shorter.sizes())} has none",
    )
