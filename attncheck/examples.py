"""What fails in the examples of docstrings only: the code, or the example, which is out of date."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attncheck.algebra.shape import Axis, Shape
from attncheck.diagnosed import Diagnosed
from attncheck.graph import Operation
from attncheck.tracer.trace import Traced
from attncheck.values.value import expanded


def is_out_of_date(told: Diagnosed, general: Iterable[Traced]) -> bool:
    """Whether an example gives an input another size than its object was made for.

    What is called wants the input to have a size of the constructor's, and is right if it has.
    """
    operation = told.report.operation
    if operation.clash is None or not operation.place.calls:
        return False
    given = _shapes(operation, told.traced)
    for traced in general:
        for other in traced.graph.operations:
            if other.node is operation.node and other.clash is None:
                meant = _shapes(other, traced)
                if any(map(_is_of_constructor, _meetings(given), _meetings(meant))):
                    return True
    return False


def _shapes(operation: Operation, traced: Traced) -> list[Shape | None]:
    return [expanded(tensor, traced.facts) for _, tensor in operation.tensors()]


def _meetings(shapes: list[Shape | None]) -> Iterator[tuple[Axis, Axis]]:
    """The axes of two operands that meet, from the last one to the front, as far as is known."""
    if len(shapes) != 2 or shapes[0] is None or shapes[1] is None:
        return
    left, right = (shape.lead if shape.row is None else shape.trail for shape in shapes if shape)
    yield from zip(reversed(left), reversed(right), strict=False)


def _is_of_constructor(given: tuple[Axis, Axis], meant: tuple[Axis, Axis]) -> bool:
    """Whether two axes differ of which one is the constructor's, and the other an input's."""
    if given[0].is_one or given[1].is_one or given[0].size == given[1].size:
        return False
    return _is_open(meant[0]) != _is_open(meant[1])


def _is_open(axis: Axis) -> bool:
    """Whether only what is given says how long an axis is."""
    symbol = None if axis.size is None else axis.size.symbol
    return axis.size is None or (symbol is not None and (symbol.flexible or symbol.found))
