"""Averages over what came before, by a triangle of ones whose rows are divided by their counts.

``tril(ones(n, n)) / arange(1, n + 1)[:, None]`` has rows that sum to one, as the weights of an
average attention (Zhang et al. 2018, equation 1). Of another triangle the rows are not counted so.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.meaning.elements import operand_of
from attncheck.meaning.positions import moved
from attncheck.operators.events import Elementwise, Triangle
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_MOST_STEPS = 8


def uneven_averages(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each triangle of ones whose rows are divided by other counts than their own."""
    for made in view.graph.operations:
        event = made.event
        if made.elsewhere or not isinstance(event, Elementwise) or event.symbol not in ("*", "/"):
            continue
        sides = [operand_of(made, name) for name in ("x", "y")]
        tensors = [None if side is None else as_tensor(side.value) for side in sides]
        orders = (tensors,) if event.symbol == "/" else (tensors, tensors[::-1])
        for table, counts in orders:
            triangle = None if table is None else _triangle(table, view)
            start = None if counts is None else _counted(counts, view, event.symbol == "*")
            if triangle is not None and start is not None:
                yield from _uneven(rule, triangle, start, made, view)


def _triangle(tensor: Tensor, view: View) -> Operation | None:
    """The operation that cut a square triangle out of ones, if a tensor is that."""
    made = _maker(tensor, view)
    if made is None or not isinstance(made.event, Triangle) or made.event.diagonal is None:
        return None
    filled, shape = view.meanings.mark_of(operand_of(made, "x")), view.shape(tensor)
    if filled is None or not filled.is_constant or filled.visible != 1:
        return None
    if shape is None or not shape.closed or len(shape.axes) < 2:
        return None
    rows, columns = (axis.size for axis in shape.axes[-2:])
    return made if rows is not None and rows == columns else None


def _counted(tensor: Tensor, view: View, turned_over: bool) -> int | None:
    """What a column of counts starts with; `turned_over`: a column of one over them."""
    shape = view.shape(tensor)
    if shape is None or not shape.closed or len(shape.axes) < 2:
        return None
    if not shape.axes[-1].is_one or shape.axes[-2].is_one:
        return None
    if turned_over:
        made = _maker(tensor, view)
        if made is None or not isinstance(made.event, Elementwise) or made.event.symbol != "/":
            return None
        one = view.meanings.mark_of(operand_of(made, "x"))
        below = operand_of(made, "y")
        if one is None or not one.is_constant or one.visible != 1 or below is None:
            return None
        counts = as_tensor(below.value)
        if counts is None:
            return None
        tensor = counts
    form = view.meanings.positions.form(tensor)
    return form.offset if form is not None and form.is_position else None


def _maker(tensor: Tensor, view: View) -> Operation | None:
    """The operation that made a tensor's elements, through casts and other views."""
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensor)
        before = None if made is None else moved(made)
        if before is None:
            return made
        tensor = before
    return None


def _uneven(
    rule: Rule, triangle: Operation, start: int, made: Operation, view: View
) -> Iterator[Report]:
    event = triangle.event
    assert isinstance(event, Triangle)
    diagonal = event.diagonal or 0
    if event.kind == "tril" and diagonal + 1 == start:
        return
    ones = _sum("i", diagonal + 1) if event.kind == "tril" else _sum("n - i", -diagonal)
    output = as_tensor(triangle.output)
    assert output is not None
    node = made.node if triangle.elsewhere else triangle.node
    yield Report(
        rule,
        made if triangle.elsewhere else triangle,
        node,
        f"row i of `{view.quote(node)}` (from 0) has {ones} ones, and `{view.quote(made.node)}`"
        f" divides it by {_sum('i', start)}: the rows do not sum to one, and each position averages"
        " over others than itself and what came before",
        Culprit(node, output),
        view.sizes(output),
        f"the same shape, with {_sum('i', start)} ones in row i: tril with diagonal {start - 1}",
    )


def _sum(text: str, number: int) -> str:
    return text if number == 0 else f"{text} {'-' if number < 0 else '+'} {abs(number)}"
