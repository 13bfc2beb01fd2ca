"""One row of a mask for all queries of a chunk: the row that the first of them has.

Attention in chunks cuts some queries out, ``dynamic_slice_in_dim(query, start, chunk, axis=1)``,
and what is put on their scores from the same start on. Cut to one row it is stretched over the
chunk, and nothing raises (Rabe and Staats 2021, "Self-attention Does Not Need O(n^2) Memory",
section 3).
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.shape import Axis
from attncheck.attention import behind
from attncheck.checks.mask_places import are_one
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.meaning.elements import operand_of
from attncheck.operators.events import COPYING, Elementwise
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_integer, as_tensor

#: Operators that cut a part out of a tensor from a start on, and what the start is called.
_CUTS = frozenset({"part", "narrow"})
_STARTS = frozenset({"start_indices", "from", "begin"})


@record
class Row:
    """What cuts one row out of a tensor, the place of the row from the end, and from where on."""

    made: Operation
    place: int
    start: int


def of_first_query(rule: Rule, view: View) -> Iterator[Report]:
    """A report of `rule` for each row that is put on the scores of several queries."""
    told: set[object] = set()
    for site in view.sites:
        for operation in behind(view.graph, site.scores_in):
            tensors = [tensor for _, tensor in operation.tensors()]
            if not isinstance(operation.event, Elementwise) or len(tensors) != 2:
                continue
            for mask, scores in (tensors, tensors[::-1]):
                row = _row(mask, view)
                queries = None if row is None else _queries(row, scores, view)
                if row is None or queries is None or row.made.node in told:
                    continue
                told.add(row.made.node)
                yield from _report(rule, row, queries, view)


def _row(mask: Tensor, view: View) -> Row | None:
    """The cut that a tensor is, if it leaves one place of an axis that has more."""
    made = view.graph.maker(mask)
    while made is not None and made.kind in COPYING and made.source is not None:
        made = view.graph.maker(made.source)
    found = None if made is None else _start(made)
    if made is None or found is None or made.elsewhere:
        return None
    whole, left = view.shape(made.source), view.shape(as_tensor(made.output))
    start, axis = found
    if whole is None or left is None or not (whole.closed and left.closed):
        return None
    if len(whole.axes) != len(left.axes) or not -len(left.axes) <= axis < len(left.axes):
        return None
    size = whole.axes[axis].size
    if size is None or size.number == 1 or any(each.flexible for each in size.symbols()):
        return None  # what nobody has seen may have one row for all queries
    place = axis % len(left.axes) - len(left.axes)
    return Row(made, place, start) if left.axes[axis].is_one else None


def _start(made: Operation) -> tuple[int, int] | None:
    """The operation that gave the place from which on an axis is cut, where it varies; the axis."""
    starts = [
        (operand, operand.value.operation)
        for operand in made.operands
        if operand.name in _STARTS and isinstance(operand.value, Tensor)
    ]
    if made.kind not in _CUTS or len(starts) != 1:
        return None
    ((operand, number),) = starts
    axis = _axis(made, operand)
    return None if number is None or axis is None else (number, axis)


def _axis(made: Operation, start: Operand) -> int | None:
    """The axis that a start is of: the one that is named, or its place among the starts."""
    named = operand_of(made, "axis")
    if named is not None:
        return as_integer(named.value)
    for argument in made.node.args if isinstance(made.node, cst.Call) else ():
        if isinstance(argument.value, cst.Tuple | cst.List):
            for place, element in enumerate(argument.value.elements):
                if element.value is start.node:
                    return place
    return None


def _queries(row: Row, scores: Tensor, view: View) -> Axis | None:
    """The axis of the queries that a row is stretched over, if they are cut from the same start."""
    shape = view.shape(scores)
    if shape is None or not shape.closed or len(shape.axes) < -row.place:
        return None
    met = shape.axes[row.place]
    for made in behind(view.graph, scores):
        start = _start(made)
        same = start is not None and start[0] == row.start
        cut = view.shape(as_tensor(made.output)) if same else None
        axes = cut.axes if cut is not None and cut.closed else ()
        if any(are_one(axis, met) and view.equal(axis.size, met.size) for axis in axes):
            return None if met.is_one else met
    return None


def _report(rule: Rule, row: Row, queries: Axis, view: View) -> Iterator[Report]:
    made, output = row.made, as_tensor(row.made.output)
    sizes = view.sizes(output)
    if output is None or sizes is None:
        return
    wanted = list(sizes)
    wanted[row.place] = queries.size
    yield Report(
        rule,
        made,
        made.node,
        f"`{view.quote(made.node)}` cuts one row out, and the queries are cut {queries} long from"
        f" the same start: the row of the first of them is put on the scores of all {queries}, and"
        " nothing raises",
        Culprit(made.node, output),
        tuple(wanted),
        f"a row for each of the {queries} queries, cut from the same start",
        hidden=f"hidden while {queries} == 1",
    )
