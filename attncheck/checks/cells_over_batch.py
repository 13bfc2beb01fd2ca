"""A cell that runs over the sequences of a batch, as if they were the steps of one sequence.

``for x_t in emb: state = cell(x_t, state)`` of (B, T, E) hands the state of one sequence on to the
next, and takes the positions of each for a batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import libcst as cst

from attncheck.checks.carried_states import loop_around
from attncheck.checks.layouts import Witnesses
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Recurrence
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor

#: (batch, time, features)
_SEQUENCES = 3


@record
class OverBatch:
    """A cell inside a loop over a tensor whose first axis is the batch."""

    cell: Operation
    tensor: Tensor
    loop: cst.For


def cells_over_batch(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each cell that runs over a batch."""
    for found in view.once(over_batch):
        yield Report(
            rule,
            found.cell,
            found.loop.iter,
            f"`{view.quote(found.loop.iter)}` is gone through along its first axis, which is the"
            f" batch, and `{view.quote(found.cell.node)}` hands its state on from one sequence to"
            " the next; the positions of each sequence are taken for a batch, and nothing raises",
            Culprit(found.loop.iter, found.tensor),
            view.sizes(found.tensor),
            "gone through along axis 1, step by step",
        )


def over_batch(view: View) -> list[OverBatch]:
    """The cells of a trace that run over a batch, once each."""
    found: dict[cst.CSTNode, OverBatch] = {}
    for operation in view.graph.operations:
        event = operation.event
        if not isinstance(event, Recurrence) or not event.cell or operation.elsewhere:
            continue
        loop = loop_around(view.source.around(operation.node))
        if not isinstance(loop, cst.For) or operation.node in found:
            continue
        for operand, tensor in islice(operation.tensors(), 1):
            given = _gone_through(loop, operand, tensor, view)
            if given is not None:
                found[operation.node] = OverBatch(operation, given, loop)
    return list(found.values())


def _gone_through(loop: cst.For, operand: Operand, step: Tensor, view: View) -> Tensor | None:
    """The tensor that a loop goes through along its batch, of which a step is one entry."""
    if not isinstance(operand.node, cst.Name) or not isinstance(loop.target, cst.Name):
        return None
    if operand.node.value != loop.target.value or step.operation is None:
        return None
    made = view.graph.makers(step)
    whole = [made_by.output for made_by in made if made_by is not None]
    tensor = whole[0] if len(whole) == 1 and isinstance(whole[0], Tensor) else None
    shape = view.shape(tensor)
    if tensor is None or shape is None or not shape.closed or len(shape.axes) != _SEQUENCES:
        return None
    witnesses = view.once(Witnesses)
    of_batch, of_time = (
        {each.counts for each in witnesses.of(axis) if not each.weak} for axis in shape.axes[:2]
    )
    return tensor if (of_batch, of_time) == ({"batch"}, {"time"}) else None
