"""Masks of tokens by frame, or by row, that count the wrong part of the merged axis.

Of an axis merged as ``(t p)`` the patches are the fast part: token i is of frame ``i // p``, and is
patch ``i % p`` of it. ``i % t`` is neither, unless there are as many frames as patches: a mask made
of it lets tokens see others of any frame.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis
from attncheck.algebra.size import Size
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.meaning.elements import operand_of
from attncheck.meaning.positions import Form
from attncheck.operators.events import Attention, Contraction, Einsum, Elementwise
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_size, as_tensor

_COUNTING = Form(0, 1, 0)
_PARTS = 2
_DIVIDING = frozenset({"%", "//"})
#: Elementwise steps by which a mask meets scores.
_MEETING = frozenset({"masked_fill", "where", "+"})


@record
class SlowPart:
    """Numbers of tokens divided by the slow part of their axis: ``i % t`` of ``(t p)``."""

    operation: Operation
    slow: Size
    fast: Size


def over_fast_parts(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each number of a token that counts the wrong part, and makes a mask."""
    for operation in view.graph.operations:
        found = None if operation.elsewhere else view.remembered(slow_part, operation)
        output = as_tensor(operation.output)
        if found is None or output is None:
            continue
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}`: token i of ({found.slow} {found.fast}), merged in"
            f" this order, is number i // {found.fast} of the {found.slow}, and number"
            f" i % {found.fast} of the {found.fast}; the mask that is made of this lets tokens see"
            " others by another number than their own",
            Culprit(operation.node, output),
            view.sizes(output),
            f"the same shape, counted with {found.fast}, the part that changes from token to token",
        )


def slow_part(operation: Operation, view: View) -> SlowPart | None:
    """The parts of the tokens' axis where numbers of tokens are divided by the slow one."""
    event = operation.event
    if not isinstance(event, Elementwise) or event.symbol not in _DIVIDING:
        return None
    counted, divisor = operand_of(operation, "x"), operand_of(operation, "y")
    tensor = None if counted is None else as_tensor(counted.value)
    slow = None if divisor is None else as_size(divisor.value)
    if tensor is None or slow is None or view.meanings.positions.form(tensor) != _COUNTING:
        return None
    sizes = view.sizes(tensor)
    if sizes is None or len(sizes) != 1 or sizes[0] is None:
        return None
    fasts = [_fast_part(axis, sizes[0], slow, view) for axis in _axes_met(operation, view)]
    fast = fasts[0] if fasts else None
    if fast is None or any(each is None or not view.equal(each, fast) for each in fasts):
        return None
    return SlowPart(operation, slow, fast)


def _axes_met(operation: Operation, view: View) -> Iterator[Axis]:
    """The axes of keys, and of queries, that what was made of numbers meets as a mask."""
    made = {operation.number}
    for later in view.graph.derived(operation, until=(Attention, Contraction, Einsum)):
        tensors = [tensor for _, tensor in later.tensors()]
        if isinstance(later.event, Attention):
            mask = operand_of(later, "mask") or operand_of(later, "attn_mask")
            given = None if mask is None else as_tensor(mask.value)
            if given is not None and not made.isdisjoint(given.made_by):
                yield from (later.event.query, later.event.key)
            continue
        own = [tensor for tensor in tensors if not made.isdisjoint(tensor.made_by)]
        if isinstance(later.event, Elementwise) and later.event.symbol in _MEETING:
            others = [tensor for tensor in tensors if made.isdisjoint(tensor.made_by)]
            met = [axis for each in others for axis in _last_two(each, view)]
            if met and own:
                yield from met
                continue
        made.add(later.number)


def _last_two(tensor: Tensor, view: View) -> tuple[Axis, ...]:
    shape = view.shape(tensor)
    return () if shape is None else tuple(axis for axis in shape.tail[-2:] if axis.parts)


def _fast_part(axis: Axis, tokens: Size, slow: Size, view: View) -> Size | None:
    """The fast part of an axis of tokens whose slow part is certain, and another number."""
    if len(axis.parts) != _PARTS or not view.equal(axis.size, tokens):
        return None
    first, second = (part.size for part in axis.parts)
    if first is None or second is None or not view.equal(first, slow):
        return None
    if second.number == 1 or view.facts.compare(first, second) is Verdict.EQUAL:
        return None
    return second
