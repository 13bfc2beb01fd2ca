"""Masks of padding that stand time first, as the tokens of a layer do that takes time first.

torch's attention takes which keys are padding as ``(B, S)``, whatever layout it was made for. Where
a mask is ``(S, B)`` either the layer reads its input wrongly or the mask stands the wrong way
round; what the docstring calls the axes of the input tells which.
Source: torch.nn.Transformer.forward, ``src_key_padding_mask: (S) or (N, S)``.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.shape import Axis
from attncheck.algebra.size import Symbol
from attncheck.checks.layouts import Reading, Witnesses, birth_of, readings_of
from attncheck.checks.plain import blamed
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.evidence.axes import Counts, counts
from attncheck.evidence.docstrings import read_docstring
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Fault
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor

_PADDING = "key_padding_mask"


@record
class TurnedMask:
    """A mask of padding that has the keys in front of the batch, and how the layer reads these."""

    operand: Operand
    tensor: Tensor
    reading: Reading


def turned_mask(operation: Operation, view: View) -> TurnedMask | None:
    """The mask that a layer cannot work with because it stands as the layer's input does."""
    clash, found = operation.clash, blamed(operation)
    if clash is None or clash.fault is not Fault.AGREEMENT or found is None:
        return None
    operand, tensor = found
    sizes = view.sizes(tensor)
    if not operand.name.endswith(_PADDING) or sizes is None or len(sizes) != 2:
        return None
    for reading in readings_of(operation, view):
        time, batch = reading.time, reading.batch
        stands = view.equal(sizes[0], time.size) and view.equal(sizes[1], batch.size)
        if stands and not reading.batch_first and _is_told(reading, view):
            return TurnedMask(operand, tensor, reading)
    return None


def _is_told(reading: Reading, view: View) -> bool:
    """Whether a docstring calls the axes of a layer's input what the layer takes them for.

    So does a table of positions that is laid along the axis that is taken for time.
    """
    witnesses = view.once(Witnesses)
    spoken = [
        {each.counts for each in witnesses.of(axis) if each.source is not reading.operation}
        for axis in (reading.time, reading.batch)
    ]
    if spoken == [{"time"}, set()]:
        return True
    said = [set(_called(axis, reading.operation, view)) for axis in (reading.time, reading.batch)]
    return said in ([{"time"}, {"batch"}], [{"time"}, set()], [set(), {"batch"}])


def _called(axis: Axis, operation: Operation, view: View) -> Iterator[Counts]:
    """What the docstring of a function says that an axis counts, which one of its arguments has."""
    function = operation.place.node
    text = function.get_docstring() if isinstance(function, cst.FunctionDef) else None
    if text is None or birth_of(axis) is None:
        return
    named = _arguments(operation, view)
    for name, claim in read_docstring(text, list(named)).parameters.items():
        shape, claimed = view.shape(named[name]), claim.read(Symbol)
        if shape is None or claimed is None or not (shape.closed and claimed.closed):
            continue
        for own, told in zip(shape.axes, claimed.axes, strict=False):
            said = counts(told.size)
            if birth_of(own) == birth_of(axis) and said is not None:
                yield said


def _arguments(operation: Operation, view: View) -> dict[str, Tensor]:
    """What the names in the function of an operation stand for when they are first used there."""
    named: dict[str, Tensor] = {}
    for made in view.graph.operations:
        if made.place == operation.place:
            for operand, tensor in made.tensors():
                if isinstance(operand.node, cst.Name):
                    named.setdefault(operand.node.value, tensor)
    return named


def report(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """The report of `rule` about a mask of padding that stands time first."""
    found = view.remembered(turned_mask, operation)
    if found is None or found.operand.node is None:
        return
    time, batch = found.reading.time, found.reading.batch
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` takes which keys are padding batch first,"
        f" {text_of((batch.size, time.size))}, whatever the layout of its input:"
        f" `{view.quote(found.operand.node)}` {view.text(found.tensor)} has time first, as the"
        " input",
        Culprit(found.operand.node, found.tensor),
        (batch.size, time.size),
        "one row for each sequence, with a column for each of its keys:"
        f" {text_of((batch.size, time.size))}",
    )
