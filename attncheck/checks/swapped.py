"""Products whose operands stand in each other's place: ``values @ weights`` of one query's weights.

``(B, T, d) @ (B, 1, T)`` sums over d and an axis of 1, which works where d is 1. So does
``(r, n) @ (m, r)`` of two weights over n and m, where these are equal. The other way round the two
axes that are one and the same meet, whatever their size is.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis, Shape, closed, listed
from attncheck.algebra.size import ONE, Size
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Contraction
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Evidence

_LEAST_RANK = 2


def swapped(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """The report of a product that sums over unlike axes and fits the other way round."""
    found = fits_swapped(operation, view)
    if found is None:
        return
    (left, a), (right, _) = operation.tensors()
    if left.node is None or right.node is None:
        return
    x, y = found.left, found.right
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` contracts {found.size} with {found.met}: its operands"
        " stand the wrong way round",
        Culprit(left.node, a.with_shape(x)),
        y.sizes(),
        f"with the operands swapped, so that {y} @ {x} sums over the {x.axes[-2].size} of both",
        hidden=f"hidden while {found.size} == {found.other}",
    )


@record
class Swapped:
    """The shapes of a product's operands, and the sizes that are summed: one, and the other.

    ``met`` is the other in words.
    """

    left: Shape
    right: Shape
    size: Size
    other: Size
    met: str


def fits_swapped(operation: Operation, view: View) -> Swapped | None:
    """How a product sums over unlike axes though it fits the other way round, or None."""
    event, tensors = operation.event, [tensor for _, tensor in operation.tensors()]
    if operation.clash is not None or not isinstance(event, Contraction) or len(event.pairs) != 1:
        return None
    (pair,) = event.pairs
    shapes = [None if each.shape is None else listed(each.shape, view.facts) for each in tensors]
    if len(shapes) != 2:
        return None
    x, y = shapes
    if x is None or y is None or not _fits(y, x, view):
        return None
    left, right = _named(x, view), _named(y, view)
    if _sums_over_one(pair.left, pair.right):
        size = pair.left.size if pair.right.is_one else pair.right.size
        side = "right" if pair.right.is_one else "left"
        assert size is not None
        return Swapped(left, right, size, ONE, f"the axis of 1 on the {side}")
    worded = any(tensor.evidence > Evidence.FORCED for tensor in tensors)
    if worded or len(x.axes) != _LEAST_RANK or len(y.axes) != _LEAST_RANK:
        return None
    size, other = _argument(x.axes[-1]), _argument(y.axes[-2])
    if size is None or other is None or pair.verdict is not Verdict.UNKNOWN:
        return None
    return Swapped(x, y, size, other, str(other))


def _argument(axis: Axis) -> Size | None:
    """The size of an axis if it is what the code was given as one number, and calls by a name."""
    symbol = None if axis.size is None else axis.size.symbol
    given = symbol is not None and not symbol.flexible and not symbol.found
    return axis.size if given else None


def _named(shape: Shape, view: View) -> Shape:
    """A shape in the names that the code has for its sizes; those taken to be 1 as they were."""
    return closed(
        axis if axis.size is None or view.facts.is_one(axis.size) else _resolved(axis, view)
        for axis in shape.axes
    )


def _resolved(axis: Axis, view: View) -> Axis:
    """An axis with what is known of its size put in."""
    return axis if axis.size is None else Axis(view.facts.resolve(axis.size), axis.tag)


def _sums_over_one(left: Axis, right: Axis) -> bool:
    """Whether a pair is an axis of 1 and one that nobody has said to be 1."""
    if left.is_one is right.is_one:
        return False
    size = right.size if left.is_one else left.size
    return size is not None and size.number is None


def _fits(left: Shape, right: Shape, view: View) -> bool:
    """Whether a product sums over two axes of one size, which is no number."""
    if not left.closed or not right.closed or min(left.at_least, right.at_least) < _LEAST_RANK:
        return False
    one, other = left.axes[-1].size, right.axes[-2].size
    if one is None or other is None or one.number is not None:
        return False
    return view.facts.compare(one, other) is Verdict.EQUAL
