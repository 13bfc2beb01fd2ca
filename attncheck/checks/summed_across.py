"""Running sums of what was sorted, along another axis than it was sorted along.

Sparsemax (Martins and Astudillo 2016, algorithm 1) and nucleus sampling (Holtzman et al. 2020) sort
the scores of each row, sum them up in that order, and count or gather in the same row. A running
sum along the batch adds up scores of one rank of different sequences.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import (
    COMPARISONS,
    COPYING,
    Elementwise,
    Reduction,
    Selection,
    Softmax,
)
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.value import as_integer, as_tensor

_SORTS = frozenset({"sort", "sort_pair", "topk"})
#: What takes elements by an index along one axis.
_TAKES = frozenset({"gather", "take_along"})
_TURNED = frozenset({"flip", "reverse"})
_MOST_STEPS = 8


@record
class SummedAcross:
    """A running sum, the sort behind it with its axis, and what reads the sum along that axis."""

    total: Operation
    along: int
    sort: Operation
    axis: int
    reader: Operation


def summed_across(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each running sum across rows that were sorted one by one."""
    for found in view.once(sums_across):
        output = as_tensor(found.total.output)
        sizes = view.sizes(output)
        if output is None or sizes is None:
            continue
        operations = (found.total, found.sort, found.reader)
        total, sort, reader = (view.quote(each.node) for each in operations)
        yield Report(
            rule,
            found.total,
            found.total.node,
            f"`{total}` sums {text_of(sizes)} up along axis {found.along}, {sizes[found.along]},"
            f" but `{sort}` ({view.place(found.sort.node)}) has sorted along axis {found.axis},"
            f" {sizes[found.axis]}, and `{reader}` ({view.place(found.reader.node)}) goes along"
            " that too: what is added up belongs to different rows, and no shape shows it",
            Culprit(found.total.node, output),
            sizes,
            f"the same shape, summed up along axis {found.axis}, in the order of each row",
            axis=found.axis,
            local=True,
        )


def sums_across(view: View) -> list[SummedAcross]:
    """The running sums of a trace that run across what was sorted."""
    found: dict[object, SummedAcross] = {}
    for total in view.graph.operations:
        if total.elsewhere or total.node in found:
            continue
        each = _across(total, view)
        if each is not None:
            found[total.node] = each
    return list(found.values())


def _across(total: Operation, view: View) -> SummedAcross | None:
    event, shape = total.event, view.shape(as_tensor(total.output))
    if not isinstance(event, Elementwise) or event.symbol != "cumsum" or event.along is None:
        return None
    if shape is None or not shape.closed or len(shape.axes) < 2:
        return None
    rank, sort = len(shape.axes), _sort_behind(total, view)
    axis = None if sort is None else _axis(sort, rank)
    along = event.along % rank
    if sort is None or sort.elsewhere or axis is None or axis == along:
        return None
    readers = (each for each in _readers(total, view) if _read_along(each, rank, view) == axis)
    reader = next(readers, None)
    return None if reader is None else SummedAcross(total, along, sort, axis, reader)


def _sort_behind(total: Operation, view: View) -> Operation | None:
    """The sort whose values are summed up, through what leaves every element in its place."""
    tensor = total.source
    for _ in range(_MOST_STEPS):
        made = None if tensor is None else view.graph.maker(tensor)
        if made is None or made.kind in _SORTS:
            return made
        plain = isinstance(made.event, Elementwise) and len(list(made.tensors())) == 1
        turned = made.kind in _TURNED or (isinstance(made.event, Selection) and _keeps_axes(made))
        if not (plain or turned or isinstance(made.event, Softmax) or made.kind in COPYING):
            return None
        tensor = made.source
    return None


def _keeps_axes(made: Operation) -> bool:
    event = made.event
    return isinstance(event, Selection) and event.kept == tuple(range(len(event.kept)))


def _axis(operation: Operation, rank: int) -> int | None:
    """The axis that a sort or a gather names, from 0; of a sort the last one, if it names none."""
    given = next((each.value for each in operation.operands if each.name == "axis"), None)
    unnamed = -1 if operation.kind in _SORTS else None
    axis = unnamed if given is None else as_integer(given)
    return axis % rank if axis is not None and -rank <= axis < rank else None


def _readers(total: Operation, view: View) -> Iterator[Operation]:
    """What gathers from the sums, or counts what they were compared with, element by element."""
    made, compared = {total.number}, set[int]()
    for later in view.graph.after(total):
        if later.read.isdisjoint(made):
            continue
        if isinstance(later.event, Elementwise) or later.kind in COPYING:
            made.add(later.number)
            symbol = getattr(later.event, "symbol", "")
            if symbol in COMPARISONS or not later.read.isdisjoint(compared):
                compared.add(later.number)
        elif later.source is not None and (
            (isinstance(later.event, Reduction) and later.source.made_by & compared)
            or (later.kind in _TAKES and later.source.made_by & made)
        ):
            yield later


def _read_along(reader: Operation, rank: int, view: View) -> int | None:
    shape = view.shape(reader.source)
    if shape is None or not shape.closed or len(shape.axes) != rank:
        return None
    if isinstance(reader.event, Reduction):
        axes = reader.event.axes
        return axes[0] % rank if axes is not None and len(axes) == 1 else None
    return _axis(reader, rank)
