"""A batch-first tensor in a layer that takes time first, or the reverse."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.attended_heads import among_heads
from attncheck.checks.cells_over_batch import cells_over_batch
from attncheck.checks.constructed import constructor, layer_of
from attncheck.checks.dropped_results import TURNING, dropped_results
from attncheck.checks.layouts import Contradiction, Reading, contradictions, turned
from attncheck.checks.mask_arguments import exchanged
from attncheck.checks.packed_otherwise import is_batch_first, packed_otherwise
from attncheck.checks.report import Culprit, Report
from attncheck.checks.returned_layouts import returned_otherwise
from attncheck.checks.turned_masks import turned_mask
from attncheck.checks.view import View
from attncheck.evidence.identifiers import names_in
from attncheck.graph import Operation
from attncheck.rule import Rule
from attncheck.values.value import Sequence, as_tensor

RULE = Rule(
    "ATN304",
    "batch-time-layout",
    "a batch-first tensor given to a sequence-first layer or the reverse",
    fix="unsafe",
)
_SETTING = "batch_first"


def check_trace(view: View) -> Iterator[Report]:
    """Report each layer once whose layout the code contradicts."""
    told = set[object]()
    for found in contradictions(view):
        if found.reading.operation.node not in told:
            told.add(found.reading.operation.node)
            yield _silent(found, view)
    if not told:
        yield from packed_otherwise(RULE, view)
    yield from cells_over_batch(RULE, view)
    yield from returned_otherwise(RULE, view)
    yield from dropped_results(RULE, view, TURNING)
    written = _SETTING in view.source.text
    for operation in view.graph.operations:
        reading = turned(operation, view)
        masked = exchanged(operation, view) or view.remembered(turned_mask, operation)
        if reading is not None and not operation.elsewhere and not masked:
            yield _loud(reading, view)
        yield from among_heads(RULE, operation, view)
        if written:
            yield from _turned_round(operation, view, told)


def _turned_round(operation: Operation, view: View, told: set[object]) -> Iterator[Report]:
    """A layer made with ``batch_first=not batch_first``: two names that mean the same."""
    spelling = None if operation.elsewhere else layer_of(operation)
    if spelling is None or not any(each.neutral == _SETTING for each in spelling.making.parameters):
        return
    call, function = constructor(view, operation)
    given = None if call is None else next(_given(call), None)
    if call is None or given is None or call in told:
        return
    told.add(call)
    tensor = operation.source
    yield Report(
        RULE,
        operation,
        call,
        f"`{view.quote(call)}` is made with batch_first={view.code(given)}: where the caller says"
        " that the batch comes first, the layer reads it as time, and the reverse; the positions of"
        " one sequence never meet, and nothing raises",
        None if tensor is None else Culprit(call, tensor),
        None,
        "the layout that the caller names: batch_first given on as it is",
        function=function,
        named=True,
        local=True,
    )


def _given(call: cst.Call) -> Iterator[cst.BaseExpression]:
    """What ``batch_first`` is given, if that is the negation of something of this name."""
    for argument in call.args:
        keyword, value = argument.keyword, argument.value
        if keyword is None or keyword.value != _SETTING or type(value) is not cst.UnaryOperation:
            continue
        if type(value.operator) is cst.Not and _SETTING in names_in(value.expression):
            yield value


def _silent(found: Contradiction, view: View) -> Report:
    reading = found.reading
    unpacked = _unpacked_otherwise(reading, view)
    if unpacked is not None:
        return _of_unpacking(unpacked, found, view)
    takes = f"axis {int(reading.batch_first)} ({reading.time}) for time"
    message = (
        f"`{view.quote(reading.operation.node)}` takes {takes} and axis"
        f" {int(not reading.batch_first)} ({reading.batch}) for the batch, as {_how(reading)} does,"
        f" but {_why(found)}; the positions of one sequence never meet, those of different"
        " sequences do, and nothing raises"
    )
    return _report(reading, view, message)


def _unpacked_otherwise(reading: Reading, view: View) -> Operation | None:
    """What unpacks a sequence in another layout than it was packed in, if there is one such."""
    if reading.operation.kind != "pack_padded":
        return None
    later = [
        made
        for made in view.graph.after(reading.operation)
        if made.kind == "pad_packed" and made.place == reading.operation.place
    ]
    first = [is_batch_first(made) for made in later]
    return later[0] if first == [not reading.batch_first] else None


def _of_unpacking(operation: Operation, found: Contradiction, view: View) -> Report:
    """The report that a sequence comes out of packing the other way round than it went in."""
    packed = found.reading.operation
    output = operation.output.items if type(operation.output) is Sequence else None
    tensor = as_tensor(output[0]) if output else None
    first = "time" if found.reading.batch_first else "the batch"
    sizes = view.sizes(tensor)
    return Report(
        RULE,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` gives {first} first, and `{view.quote(packed.node)}` was"
        f" given it the other way round, but {_why(found)}; nothing raises where the lengths agree",
        None if tensor is None else Culprit(operation.node, tensor),
        None if sizes is None else (sizes[1], sizes[0], *sizes[2:]),
        f"as it was packed, with batch_first={found.reading.batch_first}",
        layer=operation.node,
    )


def _loud(reading: Reading, view: View) -> Report:
    clash = reading.operation.clash
    assert clash is not None
    message = (
        f"`{view.quote(reading.operation.node)}` {clash.text}, as {_how(reading)} reads them;"
        f" {'time' if reading.batch_first else 'batch'} first they agree"
    )
    return _report(reading, view, message)


def _report(reading: Reading, view: View, message: str) -> Report:
    operation, operand = reading.operation, reading.operand
    call, function = constructor(view, operation)
    node = operation.node if call is None or reading.said else call
    layout = "(B, T, ...)" if reading.batch_first else "(T, B, ...)"
    first, second, *rest = reading.shape.sizes()
    return Report(
        RULE,
        operation,
        node,
        message,
        Culprit(operand.node or operation.node, reading.tensor),
        (second, first, *rest),
        f"as it is taken, {layout}; or the layer made with batch_first={not reading.batch_first}",
        function=function if node is call else None,
        layer=operation.node if layer_of(operation) is None else call,
    )


def _how(reading: Reading) -> str:
    if reading.said:
        return f"one with batch_first={reading.batch_first}"
    return "one without batch_first=True"


def _why(found: Contradiction) -> str:
    """What the code says of the axes, the strongest of either."""
    first = int(found.reading.batch_first)
    said = [
        f"{witnesses[0].words.format(axis=axis)}"
        for axis, witnesses in ((first, found.of_time), (1 - first, found.of_batch))
        if witnesses
    ]
    return " and ".join(said).replace("and the code calls", "and")
