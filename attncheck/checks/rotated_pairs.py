"""Rotary tables whose angles are laid out for other pairs than those that are rotated.

Each angle belongs to two features. ``cat((angles, angles), -1)`` pairs feature i with i + d/2,
which ``cat((-x[..., d//2:], x[..., :d//2]), -1)`` rotates. ``angles.repeat_interleave(2, -1)``
pairs neighbours, which ``stack((-x[..., 1::2], x[..., ::2]), -1)`` rotates (Su et al. 2021,
equations 15 and 34, have neighbours). Mixed, the two features of a pair are turned by different
angles: scores no longer depend on relative positions alone, and every shape is right.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import COPIES, Axis
from attncheck.checks.report import Culprit, Report
from attncheck.checks.tables import index_items
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise, Joining, Rearranging, Reshaping
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import Slice, as_integer, as_tensor

_HALVES, _NEIGHBOURS = "halves", "neighbours"
#: How features are paired, in words.
_WORDS = {
    _HALVES: "features i and i + d/2",
    _NEIGHBOURS: "features 2i and 2i + 1",
}
_PARTS = frozenset({"chunk", "split"})
_PAIR = 2


@record
class RotatedPairs:
    """A product of rotated features with a table of another layout.

    ``made`` is what laid the table out, if it is in the checked file.
    """

    product: Operation
    rotated: str
    laid_out: str
    table: Tensor
    made: Operation | None


def rotated_pairs(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each rotary table that is laid out for other pairs than are rotated."""
    told = set[object]()
    for found in view.once(pairs_rotated):
        made = found.made
        place = found.product if made is None else made
        if place.node in told or place.elsewhere:
            continue
        told.add(place.node)
        output = found.table if made is None else as_tensor(made.output)
        table = f"`{view.quote(place.node)}`" if made is not None else "its table"
        yield Report(
            rule,
            found.product,
            place.node,
            f"`{view.quote(found.product.node)}` rotates {_WORDS[found.rotated]} as a pair, but"
            f" {table} gives {_WORDS[found.laid_out]} one angle: the two features of a pair are"
            " turned by different angles; all shapes are right, so nothing raises",
            None if output is None else Culprit(place.node, output),
            None if output is None else view.sizes(output),
            f"one angle for {_WORDS[found.rotated]}, as the features are rotated",
            function=place.place.function,
            local=True,
        )


def pairs_rotated(view: View) -> list[RotatedPairs]:
    """The products of a trace that turn the two features of a pair by different angles."""
    found: list[RotatedPairs] = []
    for operation in view.graph.operations:
        event, tensors = operation.event, [tensor for _, tensor in operation.tensors()]
        if not isinstance(event, Elementwise) or event.symbol != "*" or len(tensors) != _PAIR:
            continue
        for rotated, table in (tensors, tensors[::-1]):
            own, other = _rotated(rotated, view), _laid_out(table, view)
            if own is not None and other is not None and own != other:
                found.append(RotatedPairs(operation, own, other, table, _layer_out(table, view)))
    return found


def rotates_halves(tensor: Tensor, view: View) -> bool:
    """Whether a tensor has the halves of its last axis in each other's place, one negated."""
    return _rotated(tensor, view) == _HALVES


# -- what is rotated -------------------------------------------------------------------------------


def _rotated(tensor: Tensor, view: View) -> str | None:
    """Which pairs a tensor has in each other's place, one of them negated; None if it has none."""
    made = view.graph.maker(tensor)
    if made is not None and isinstance(made.event, Reshaping | Rearranging):
        inner = None if made.source is None else view.graph.maker(made.source)
        both = _negated_first(inner, "stack", view)
        return _NEIGHBOURS if both == _NEIGHBOURS else None
    return _HALVES if _negated_first(made, "cat", view) == _HALVES else None


def _negated_first(made: Operation | None, kind: str, view: View) -> str | None:
    """Which parts of a tensor are joined along the last axis, the second in front and negated."""
    event = None if made is None else made.event
    if made is None or not isinstance(event, Joining) or event.kind != kind:
        return None
    tensors = [tensor for _, tensor in made.tensors()]
    output = view.shape(as_tensor(made.output))
    if len(tensors) != _PAIR or event.axis is None or output is None:
        return None
    if event.axis != -1 and not (output.closed and event.axis == len(output.axes) - 1):
        return None
    negated = view.graph.maker(tensors[0])
    if negated is None or negated.kind != "negative" or negated.source is None:
        return None
    second, first = view.graph.maker(negated.source), view.graph.maker(tensors[1])
    if first is None or second is None or first.source is not second.source:
        return None
    if first is second:
        return _HALVES if first.kind in _PARTS else None
    cuts = [_last_cut(each) for each in (first, second)]
    if cuts == [(None, True, None), (True, None, None)]:
        return _HALVES
    return _NEIGHBOURS if [cut[2] if cut else None for cut in cuts] == [_PAIR, _PAIR] else None


def _last_cut(made: Operation) -> tuple[bool | None, bool | None, int | None] | None:
    """Whether the last item of an index has a lower and an upper end, and its step."""
    items = index_items(made)
    last = items[-1][0] if items else None
    if type(last) is not Slice:
        return None
    ends = [
        None if end is None or as_integer(end) == 0 else True for end in (last.lower, last.upper)
    ]
    step = None if last.step is None else as_integer(last.step)
    return ends[0], ends[1], step


# -- how the table is laid out ---------------------------------------------------------------------


def _laid_out(table: Tensor, view: View) -> str | None:
    """Which features a table gives one angle to, by where the copies are in its last axis."""
    parts = _last_parts(table, view)
    if len(parts) != _PAIR:
        return None
    copies = [part.made == COPIES for part in parts]
    numbers = [None if part.size is None else part.size.number for part in parts]
    if copies.count(True) != 1 or numbers[copies.index(True)] != _PAIR:
        return None
    return _HALVES if copies[0] else _NEIGHBOURS


def _last_parts(table: Tensor, view: View) -> tuple[Axis, ...]:
    """What the last axis of a table was merged of."""
    shape = view.shape(table)
    axes = () if shape is None else shape.tail
    return axes[-1].parts if axes else ()


def _layer_out(table: Tensor, view: View) -> Operation | None:
    """The operation that has repeated the angles of a table, here or where the object was made."""
    parts = _last_parts(table, view)
    graphs = [view.graph] if view.making is None else [view.making.graph, view.graph]
    for graph in graphs:
        for operation in graph.operations:
            output = as_tensor(operation.output)
            made = None if output is None else output.shape
            if made is not None and any(axis.parts is parts for axis in made.lead + made.trail):
                return operation
    return None
