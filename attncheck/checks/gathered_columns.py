"""Rows that are gathered with an index of one feature: only the first feature of each is there.

torch's gather takes one element for each element of the index. Of states ``(B, T, d)`` an index of
``(B, 1, 1)`` takes feature 0 of one state of each sequence, and ``(B, 1)`` is then spread over the
d features of whatever it is added to; whole rows want an index that is expanded to ``(B, 1, d)``.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.broadcast import undecided
from attncheck.algebra.shape import Axis
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import COPYING, Elementwise, Selection, Squeeze
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import UNKNOWN, as_integer, as_tensor

_MOST_STEPS = 6


@record
class Column:
    """A gather that takes the first of `features` only, and where that meets all of them."""

    gather: Operation
    source: Tensor
    features: Axis
    spread: Operation


def gathered_columns(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each gather of one feature that is then broadcast as if it were all."""
    for found in view.once(columns_gathered):
        output = as_tensor(found.gather.output)
        sizes = view.sizes(output)
        if output is None or sizes is None:
            continue
        size = found.features.size
        yield Report(
            rule,
            found.gather,
            found.gather.node,
            f"`{view.quote(found.gather.node)}` is {view.text(output)}: gather takes one element"
            f" for each element of its index, and of the {size} features of a row that is the"
            f" first alone; `{view.quote(found.spread.node)}` ({view.place(found.spread.node)})"
            f" spreads it over all {size}",
            Culprit(found.gather.node, output),
            (*sizes[:-1], size),
            "all features of the rows: an index that is expanded over them",
            hidden=f"hidden while {size} == 1",
            local=found.gather.place == found.spread.place,
        )


def columns_gathered(view: View) -> list[Column]:
    """The gathers of a trace whose result meets the features that it has only the first of."""
    columns = {
        operation.number: found
        for operation in view.graph.operations
        if operation.kind == "gather" and not operation.elsewhere
        for found in [_column(operation, view)]
        if found is not None
    }
    found: dict[object, Column] = {}
    for later in view.graph.operations if columns else ():
        if not isinstance(later.event, Elementwise) or later.elsewhere:
            continue
        for gather in _gathers(later, view):
            if gather.number in columns and gather.node not in found:
                source, features = columns[gather.number]
                if _meets(later, gather, features, view):
                    found[gather.node] = Column(gather, source, features, later)
    return list(found.values())


def _column(operation: Operation, view: View) -> tuple[Tensor, Axis] | None:
    """What is gathered from along another axis than the last, of which the index has one place."""
    if not operation.spelling.startswith("torch.") or operation.clash is not None:
        return None
    given = {operand.name: operand.value for operand in operation.operands}
    source, index = (as_tensor(given.get(name, UNKNOWN)) for name in ("x", "index"))
    axis = as_integer(given.get("axis", UNKNOWN))
    shapes = [view.shape(each) for each in (source, index)]
    if source is None or axis is None or any(each is None or not each.closed for each in shapes):
        return None
    whole, wanted = (each.axes for each in shapes if each is not None)
    if len(whole) != len(wanted) or len(whole) < 2 or axis % len(whole) == len(whole) - 1:
        return None
    size = whole[-1].size
    known = size is not None and size.number != 1 and not undecided(size)
    return (source, whole[-1]) if known and wanted[-1].is_one else None


def _gathers(later: Operation, view: View) -> Iterator[Operation]:
    """The gathers that an operand may come from with its last axis left where it is."""
    for _, tensor in later.tensors():
        waiting = [(made, 0) for made in view.graph.known_makers(tensor)]
        while waiting:
            made, steps = waiting.pop()
            if made.kind == "gather":
                yield made
            elif steps < _MOST_STEPS and _keeps_last(made, view) and made.source is not None:
                waiting += [(each, steps + 1) for each in view.graph.known_makers(made.source)]


def _keeps_last(made: Operation, view: View) -> bool:
    shape = view.shape(made.source)
    if made.kind in COPYING:
        return True
    if shape is None or not shape.closed:
        return False
    last = len(shape.axes) - 1
    if isinstance(made.event, Squeeze):
        return last not in [axis % len(shape.axes) for axis in made.event.axes]
    return isinstance(made.event, Selection) and made.event.kept[-1:] == (last,)


def _meets(later: Operation, gather: Operation, features: Axis, view: View) -> bool:
    """Whether another operand has all the features where this one has one of them."""
    others = [
        shape
        for _, tensor in later.tensors()
        if gather not in view.graph.known_makers(tensor)
        for shape in [view.shape(tensor)]
        if shape is not None and shape.tail
    ]
    return any(view.equal(shape.tail[-1].size, features.size) for shape in others)
