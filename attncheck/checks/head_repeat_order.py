"""Heads or a batch repeated in one order, and read in the other: every row meets another's."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import COPIES, Axis
from attncheck.checks.orders import (
    Conflict,
    Parts,
    conflict,
    contradicted,
    is_merged,
    meeting,
    repeats,
    tiled_mask,
    votes,
)
from attncheck.checks.report import Culprit, Report, Sizes, text_of
from attncheck.checks.rotated_pairs import pairs_rotated, rotated_pairs
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import (
    Attention,
    Contraction,
    Einsum,
    Elementwise,
    Joining,
    Rearranging,
    Reshaping,
)
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

RULE = Rule(
    "ATN307",
    "head-repeat-order",
    "heads or batch tiled where the consumer groups them by neighbours, or the reverse",
)
ON = (Attention, Elementwise, Contraction, Einsum, Joining, Reshaping, Rearranging)


def check_trace(view: View) -> Iterator[Report]:
    """Report rotary tables that are laid out for other pairs of features than are rotated."""
    yield from rotated_pairs(RULE, view)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a repeat whose copies stand in another order than what they are read with."""
    if operation.clash is not None:
        return
    mask = tiled_mask(operation, view)
    if mask is not None:
        repeat, heads, batch = mask
        words = "reads all heads of a sequence beside each other"
        yield _at_repeat(repeat, operation, (heads, batch), (batch, heads), words, view)
        return
    split = contradicted(operation, view.facts)
    if split is not None:
        axis, wanted = split
        made = repeats(view, axis)
        if made is not None:
            words = f"splits them into {text_of(wanted)}"
            yield _at_repeat(made, operation, (wanted[1], wanted[0]), wanted, words, view)
        return
    rotary = {found.product.number for found in view.once(pairs_rotated)}
    if operation.number in rotary or not rotary.isdisjoint(operation.read):
        return  # what is turned by the wrong angles is told as that
    for left, right in meeting(operation, is_merged):
        found = conflict(left, right, view.facts)
        if found is not None:
            yield _report(operation, found, view)
            return


def _report(operation: Operation, found: Conflict, view: View) -> Report:
    """A report at the repeat that is the odd one out; at the meeting where that cannot be told."""
    makers = [(repeats(view, axis), axis, sizes) for axis, sizes in found.sides]
    known = [(made, axis, sizes) for made, axis, sizes in makers if made is not None]
    odd = known
    if len(known) > 1:
        parties = [made for made, _, _ in known]
        odd = [each for each in known if _is_odd(each[1], each[2], parties, view)]
    if len(odd) != 1:
        return _undecided(operation, found, view)
    made, axis, own = odd[0]
    wanted = found.right_sizes if axis is found.left else found.left_sizes
    words = f"reads them beside rows that lie as {text_of(wanted)}"
    return _at_repeat(made, operation, own, (own[1], own[0]), words, view)


def _is_odd(axis: Axis, sizes: Parts, parties: list[Operation], view: View) -> bool:
    """Whether most of the other repeats and views of the trace want the other order."""
    outside = axis.parts[0].made == COPIES
    count, beside = sizes if outside else (sizes[1], sizes[0])
    balance = votes(view, count, beside, parties)
    return balance < 0 if outside else balance > 0


def _at_repeat(
    made: Operation,
    reader: Operation,
    own: Sizes,
    wanted: Sizes,
    words: str,
    view: View,
) -> Report:
    output = as_tensor(made.output)
    assert output is not None
    message = (
        f"`{view.quote(made.node)}` lays its rows out as {text_of(own)};"
        f" `{view.quote(reader.node)}` {words}, so that rows of different origin meet"
    )
    return Report(
        RULE,
        reader,
        made.node,
        message,
        Culprit(made.node, output),
        view.sizes(output) or _as_it_meets(output, reader, view),
        f"the same shape, with the repeated axis laid out as {text_of(wanted)}",
        function=made.place.function,
    )


def _as_it_meets(output: Tensor, reader: Operation, view: View) -> Sizes | None:
    """A repeated tensor of unknown rank with as many axes as what it meets with its first one."""
    shape = view.shape(output)
    others = [sizes for _, tensor in reader.tensors() if (sizes := view.sizes(tensor))]
    if shape is None or shape.closed or len(others) != 1:
        return None
    missing = len(others[0]) - max(len(shape.lead), len(shape.trail))
    if missing < 0:
        return None
    if shape.lead:
        return (*(axis.size for axis in shape.lead), *[None] * missing)
    return (*[None] * missing, *(axis.size for axis in shape.trail))


def _undecided(operation: Operation, found: Conflict, view: View) -> Report:
    message = (
        f"`{view.quote(operation.node)}` pairs rows laid out as {text_of(found.left_sizes)} with"
        f" rows laid out as {text_of(found.right_sizes)}: one side is tiled, the other is not"
    )
    output = as_tensor(operation.output)
    return Report(
        RULE,
        operation,
        operation.node,
        message,
        None if output is None else Culprit(operation.node, output),
        view.sizes(output),
        "both sides repeated in one order: all copies of a row beside each other, or all rows"
        " once and then again",
    )
