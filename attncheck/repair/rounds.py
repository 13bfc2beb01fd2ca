"""Candidate fixes for what a loop carries on with another rank: it is made with the rank it had."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.size import ONE
from attncheck.checks.later_rounds import carried_into
from attncheck.checks.report import Report, Sizes, sizes_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Selection
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.ranks import without_axis
from attncheck.repair.wording import (
    axis_kept,
    bracketed,
    functions_for,
    library_of,
    strip_column,
    with_axis_of_one,
)
from attncheck.values.tensor import Tensor


def as_it_began(report: Report, view: View) -> Iterator[Candidate]:
    """What the rounds of a loop carry on, made with as many axes as the loop begins with."""
    carried = carried_into(report.operation, view)
    made = None if carried is None else view.maker(carried.tensor)
    if carried is None or made is None:
        return
    began, now = sizes_of(carried.began), view.sizes(carried.tensor)
    if began is None or now is None:
        return
    yield from _of_each_row(made, library_of(view, report.operation), view)
    if len(now) > len(began):
        yield from _an_axis_less(made, carried.tensor, began, now, view)
    else:
        yield from _an_axis_more(made, carried.tensor, began, now, view)


def _of_each_row(made: Operation, library: str | None, view: View) -> Iterator[Candidate]:
    """``x[:, index]`` with one index for each row as ``x[arange(len(x)), index]``."""
    node = made.node
    if not isinstance(made.event, Selection):
        return
    if not isinstance(node, cst.Subscript) or len(node.slice) < 2:
        return
    first = node.slice[0].slice
    if not isinstance(first, cst.Slice) or first.lower is not None or first.upper is not None:
        return
    module = "torch" if library == "torch" else functions_for(view, library)
    text = f"{module}.arange({bracketed(view, node.value)}.shape[0])"
    yield edit(first, text, "take one place of each row", safe=False)


def _an_axis_less(
    made: Operation, tensor: Tensor, began: Sizes, now: Sizes, view: View
) -> Iterator[Candidate]:
    """Without the axis of 1 that it did not begin with."""
    stripped = strip_column(view, made)
    if stripped is not None:
        node, text, words = stripped
        yield Candidate((Change(node, text),), words, safe=False, same_size=True)
    for axis in reversed(range(len(now))):
        if now[axis] == ONE and len(now) == len(began) + 1:
            text = without_axis(view, made.node, tensor, axis, len(now))
            words = f"drop axis {axis}, which is 1"
            yield Candidate((Change(made.node, text),), words, safe=False, same_size=True)


def _an_axis_more(
    made: Operation, tensor: Tensor, began: Sizes, now: Sizes, view: View
) -> Iterator[Candidate]:
    """With the axis of 1 that it began with."""
    if isinstance(made.node, cst.Call) and made.kind == "reduce":
        text, words = axis_kept(view, made, made.node)
        yield Candidate((Change(made.node, text),), words, safe=False, same_size=True)
    for axis in range(len(began)):
        if began[axis] == ONE and len(began) == len(now) + 1:
            text = with_axis_of_one(view, made.node, tensor, axis, len(now))
            words = f"give it its axis of 1 at {axis}"
            yield Candidate((Change(made.node, text),), words, safe=False, same_size=True)
