"""Causal triangles over keys that stand behind others: drawn from the wrong corner.

``torch.ones(T, S).tril()`` is drawn from the top left corner on: query i sees the keys 0 to i. The
last of T queries is at the last of S keys where its own keys are joined behind those of a cache, so
that the border has to start at ``diagonal=S - T``.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.algebra.size import Size
from attncheck.checks.behind_keys import Behind, put_behind, told
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.meaning.marks import Kind
from attncheck.meaning.uses import Use
from attncheck.operators.events import Attention, Contraction, Einsum, Selection, Triangle
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import NONE, Sequence, Slice, as_size, as_tensor

#: How far behind a mask the triangle is looked for that it was cut from.
_MOST_STEPS = 8


@record
class _Scored:
    """The keys of scores, and the axes of their positions: the queries', and their own."""

    keys: Tensor
    positions: tuple[Axis, Axis]


def over_joined_triangles(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each triangle from the first key on over keys that stand behind others."""
    for use in view.mask_uses:
        triangle = _drawn(use, view)
        if triangle is None or triangle.elsewhere:
            continue
        found = behind_triangle(triangle, view)
        drawn = as_tensor(triangle.output)
        if found is not None and drawn is not None:
            yield Report(
                rule,
                triangle,
                triangle.node,
                f"`{view.quote(triangle.node)}` {told(found, view)}",
                Culprit(triangle.node, drawn),
                view.sizes(drawn),
                "the same shape, with the border moved to where the queries' own keys stand: the"
                " last query sees all S keys, and query i of T the keys up to S - T + i",
            )


def behind_triangle(triangle: Operation, view: View) -> Behind | None:
    """The join that has put the own keys behind others, of what a triangle is laid over."""
    for use in view.mask_uses:
        if _drawn(use, view) is not triangle:
            continue
        scored, sizes = _scored(use, view), _matrix(triangle, view)
        if scored is None or sizes is None:
            continue
        pairs = zip(sizes, scored.positions, strict=True)
        if all(view.equal(size, axis.size) for size, axis in pairs):
            return put_behind(scored.keys, scored.positions, use.operation, view)
    return None


def _drawn(use: Use, view: View) -> Operation | None:
    """The triangle from the top left corner on that a mask is, each position seeing itself."""
    mark = None if use.late else view.meanings.mark(use.tensor)
    if mark is None or mark.jointly or use.hides(mark.visible) or not use.hides(mark.hidden):
        return None
    claims = [claim for claim in mark.claims if claim.kind is Kind.CAUSAL]
    event = claims[0].origin.event if len(claims) == 1 else None
    if not isinstance(event, Triangle) or event.diagonal != (event.kind == "triu"):
        return None
    return _corner(use.tensor, view) or claims[0].origin


def _corner(tensor: Tensor, view: View) -> Operation | None:
    """What cuts the first rows out of a larger triangle, ``table[:T, :S]``, or None."""
    made = view.graph.maker(tensor)
    for _ in range(_MOST_STEPS):
        if made is None or isinstance(made.event, Triangle):
            return None
        if isinstance(made.event, Selection):
            cut = slices_of(made)
            whole = cut is not None and all(each.lower in (None, NONE) for each in cut)
            return made if whole else None
        made = None if made.source is None else view.graph.maker(made.source)
    return None


def slices_of(made: Operation) -> tuple[Slice, Slice] | None:
    """The slices of the last two axes in an index, or None."""
    key = next((operand.value for operand in made.operands if operand.name == "key"), None)
    items = key.items if type(key) is Sequence and key.items is not None else ()
    if len(items) < 2:
        return None
    rows, columns = items[-2:]
    return (rows, columns) if type(rows) is Slice and type(columns) is Slice else None


def _matrix(triangle: Operation, view: View) -> tuple[Size | None, Size | None] | None:
    """The numbers of queries and of keys that a triangle, or what was cut out of one, is for."""
    if isinstance(triangle.event, Selection):
        cut = slices_of(triangle)
        rows, columns = (None, None) if cut is None else (each.upper for each in cut)
        return None if rows is None or columns is None else (as_size(rows), as_size(columns))
    shape = view.shape(as_tensor(triangle.output))
    if shape is None or not shape.closed or len(shape.axes) < 2:
        return None
    return shape.axes[-2].size, shape.axes[-1].size


def _scored(use: Use, view: View) -> _Scored | None:
    """What the scores are made of that a mask is put on, or None."""
    if use.library:
        event = use.operation.event
        given = {operand.name: tensor for operand, tensor in use.operation.tensors()}
        if not isinstance(event, Attention) or event.heads is not None or "key" not in given:
            return None
        return _Scored(given["key"], (event.query, event.key))
    product = None if use.site is None else use.site.scores
    tensors = [] if product is None else [tensor for _, tensor in product.tensors()]
    if product is None or product.clash is not None or len(tensors) != 2:
        return None
    axes = _ends(product, tensors, view)
    return None if axes is None else _Scored(tensors[1], axes)


def _ends(product: Operation, tensors: list[Tensor], view: View) -> tuple[Axis, Axis] | None:
    """The last two axes of a product of queries with keys, as these two have them, or None."""
    event, (left, right) = product.event, (view.shape(tensor) for tensor in tensors)
    if left is None or right is None or not left.closed or not right.closed:
        return None
    if isinstance(event, Contraction):
        ranks = len(left.axes), len(right.axes)
        if min(ranks) < 2 or event.left_axes[-1:] not in ((-1,), (ranks[0] - 1,)):
            return None
        turned = event.right_axes[-1:] in ((-2,), (ranks[1] - 2,))
        return (left.axes[-2], right.axes[-1]) if turned else None
    if not isinstance(event, Einsum) or len(event.inputs) != 2 or len(event.output) < 2:
        return None
    query, key = event.output[-2:]
    if query not in event.inputs[0] or key not in event.inputs[1]:
        return None
    places = event.inputs[0].index(query), event.inputs[1].index(key)
    if len(event.inputs[0]) != len(left.axes) or len(event.inputs[1]) != len(right.axes):
        return None
    return left.axes[places[0]], right.axes[places[1]]
