"""Tables of positions: what they are made of, what counts them, and where they meet a sequence.

A table holds the same numbers whatever is in the batch: it is learned, or computed from `arange`.
What counts it is the size up to which it is cut, or up to which `arange` runs. Where it meets a
tensor with data, that size should be the one of the axis that the table is laid along.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from attncheck.algebra.broadcast import Pairing
from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Shape
from attncheck.algebra.size import Size
from attncheck.attention import LEARNED
from attncheck.checks.masks import is_mask
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Creation, Elementwise, NewAxis
from attncheck.record import record
from attncheck.values.tensor import Tensor
from attncheck.values.value import Const, Int, Sequence, Slice, Value, as_size, as_tensor

if TYPE_CHECKING:
    import libcst as cst

_MOST_STEPS = 120
#: Creations whose first tensor only gives the shape.
_COUNTING = frozenset({"arange"})
#: Operators whose other tensors only say of which kind the result is.
_CASTS = frozenset({"identity", "new_array", "contiguous"})


@record
class Count:
    """Where a table's axis got its length: the operation, the size, and how that is written."""

    operation: Operation
    size: Size
    node: cst.CSTNode | None


@record
class Meeting:
    """A table put on a tensor: the operation, both, and how their axes line up.

    ``pairs`` are (axis of the table, axis of the tensor), None where a side has none. ``given``
    says that the table is an argument that was cut: only how long it is is known of it.
    """

    operation: Operation
    table: Tensor
    tensor: Tensor
    pairs: tuple[tuple[Axis | None, Axis | None], ...]
    given: bool = False


def meetings(view: View) -> Iterator[Meeting]:
    """Where tables are added to or multiplied with tensors that hold data."""
    for operation in view.graph.operations:
        event = operation.event
        if not isinstance(event, Elementwise) or event.symbol not in "+-*":
            continue
        tensors = [tensor for _, tensor in operation.tensors()]
        if len(tensors) != 2 or event.broadcast is None:
            continue
        tables = [is_table(view, tensor) for tensor in tensors]
        given = not any(tables)
        if given:
            tables = [_is_cut_argument(view, *pair) for pair in (tensors, tensors[::-1])]
        if tables.count(True) != 1:
            continue
        index = tables.index(True)
        if is_mask(view.graph, tensors[index]):
            continue
        pairs = tuple(_turned(pairing, index) for pairing in event.broadcast.pairings)
        yield Meeting(operation, tensors[index], tensors[1 - index], pairs, given)


def _is_cut_argument(view: View, tensor: Tensor, met: Tensor) -> bool:
    """Whether a tensor is an argument with fewer axes than what it meets, cut to a length."""
    made = view.graph.maker(tensor)
    while made is not None and isinstance(made.event, NewAxis) and made.source is not None:
        made = view.graph.maker(made.source)
    if made is None or made.source is None or view.graph.makers(made.source) != [None]:
        return False
    own, other = view.shape(made.source), view.shape(met)
    if own is None or other is None or not own.closed or not other.closed:
        return False
    cut = any(type(item) is Slice and item.upper is not None for item, _ in index_items(made))
    return cut and len(own.axes) < len(other.axes)


def _turned(pairing: Pairing, index: int) -> tuple[Axis | None, Axis | None]:
    sides = pairing.left, pairing.right
    return sides[index], sides[1 - index]


def is_table(view: View, tensor: Tensor) -> bool:
    """Whether a tensor holds the same whatever is in the batch."""
    return _rests_on(view.once(_tables), tensor, view)


def _tables(view: View) -> set[int]:
    """The operations that give the same whatever is in the batch.

    What an operation reads was made before it, so that one look at each of them is enough.
    """
    graphs = [view.graph] if view.making is None else [view.making.graph, view.graph]
    tables = set[int]()
    for operation in itertools.chain.from_iterable(graph.operations for graph in graphs):
        if _stands_for_data(operation):
            continue
        if all(_rests_on(tables, source, view) for source in _sources(operation)):
            tables.add(operation.number)
    return tables


#: Where numbers are drawn for a try: ``model(torch.randint(0, 100, (2, 7)))``.
_DRAWN = re.compile(r"\b(?:rand\w*|normal|uniform|integers)$")


def _stands_for_data(made: Operation) -> bool:
    """Whether a script draws numbers outside of all functions, as an input to try a model with."""
    return made.place.node is None and _DRAWN.search(made.spelling) is not None


def _rests_on(tables: set[int], tensor: Tensor, view: View) -> bool:
    """Whether a tensor is learned or comes from nothing but these operations."""
    if tensor.role in LEARNED:
        return True
    return all(made is not None and made.number in tables for made in _makers(view, tensor))


def _makers(view: View, tensor: Tensor) -> list[Operation | None]:
    """The operations that may have made a tensor, here or where its object was made."""
    found = view.graph.makers(tensor)
    if found == [None] and view.making is not None:
        return view.making.graph.makers(tensor)
    return found


def _sources(made: Operation) -> list[Tensor]:
    """The tensors whose elements a result is made of."""
    if isinstance(made.event, Creation):
        likes = made.kind in ("like", "array", "legacy_tensor")
        return [tensor for _, tensor in made.tensors()] if likes else []
    tensors = [tensor for _, tensor in made.tensors()]
    return tensors[:1] if made.kind in _CASTS else tensors


def count_of(view: View, table: Tensor, axis: Axis) -> Count | None:
    """What counts an axis of a table: the nearest cut, or the `arange` that it comes from."""
    if axis.tag is None:
        return None
    waiting, seen = [table], set[int]()
    while waiting and len(seen) < _MOST_STEPS:
        for made in _makers(view, waiting.pop(0)):
            if made is None or made.number in seen:
                continue
            seen.add(made.number)
            found = _count(made, axis, view)
            if found is not None:
                return found
            waiting += _sources(made)
    return None


def _count(made: Operation, axis: Axis, view: View) -> Count | None:
    if made.kind in _COUNTING:
        output = as_tensor(made.output)
        first = made.operands[0]
        if output is None or output.shape is None or len(made.operands) < 1:
            return None
        size = as_size(first.value)
        own = output.shape.lead[0]
        is_all = first.name == "start" and size is not None and own.size == size
        return Count(made, size, first.node) if is_all and size and _same(own, axis) else None
    for place, (item, node) in enumerate(index_items(made)):
        if type(item) is not Slice or not _from_start(item):
            continue
        upper = None if item.upper is None else as_size(item.upper)
        cut = _cut_axis(made, place, view)
        if upper is not None and cut is not None and _same(cut, axis):
            return Count(made, upper, _upper(node))
    return None


def _same(left: Axis, right: Axis) -> bool:
    return left.tag is not None and left.tag == right.tag


def _from_start(item: Slice) -> bool:
    lower = item.lower
    return lower is None or lower == Const(None) or (type(lower) is Int and lower.size == 0)


def index_items(made: Operation) -> list[tuple[Value, cst.CSTNode | None]]:
    """The items of an index expression with what each is written as; none of other operations."""
    key = next((operand.value for operand in made.operands if operand.name == "key"), None)
    if made.kind != "index" or type(key) is not Sequence or key.items is None:
        return []
    elements = getattr(made.node, "slice", ())
    if len(elements) != len(key.items):
        return [(item, None) for item in key.items]
    return [(item, each.slice) for item, each in zip(key.items, elements, strict=True)]


def _upper(node: cst.CSTNode | None) -> cst.CSTNode | None:
    return getattr(node, "upper", None)


def _cut_axis(made: Operation, place: int, view: View) -> Axis | None:
    """The axis that an item of an index expression cuts; None behind an ellipsis or a new axis."""
    before = [item for item, _ in index_items(made)[:place]]
    if any(type(item) is not Slice and type(item) is not Int for item in before):
        return None
    source = next((tensor for _, tensor in made.tensors()), None)
    shape = None if source is None else view.shape(source)
    if shape is None or place >= len(shape.lead):
        return None
    return shape.lead[place]


def places_of(shape: Shape | None, facts: Facts) -> Iterator[tuple[int, Axis]]:
    """The axes of a shape whose number from the front is known, also those only read so far."""
    if shape is None:
        return
    yield from enumerate(shape.lead)
    for (row, index), reading in facts.readings.items():
        if row is shape.row:
            yield index + len(shape.lead), reading.axis


def axes_of(shape: Shape | None) -> tuple[Axis, ...]:
    """The axes of a shape that are known."""
    return () if shape is None else (*shape.lead, *shape.trail)
