"""What a mask is combined from, and where the axes of each part meet those of the scores.

``pad[:, None] & causal`` is two terms; that one of them runs over the batch and the keys and the
other over queries and keys is what tells a mask of padding on the wrong axis from a right one.
Places are counted from the end, as broadcasting does: 0 is the last axis. A mask has no more axes
than what it is put on, which says how many a tensor of open shape has where it shows that many.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from attncheck.algebra.shape import Axis, Shape
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import (
    COMPARISONS,
    COPYING,
    Elementwise,
    Expansion,
    NewAxis,
    Permutation,
    Selection,
    Squeeze,
)
from attncheck.record import record
from attncheck.values.tensor import Tensor
from attncheck.values.value import ELLIPSIS, NONE, Sequence, Slice, as_tensor

_MOST_STEPS = 60

#: For each axis of a tensor, counted from the end, the place where it meets the scores.
_Places = tuple[int | None, ...]


@record
class Term:
    """A part of a mask: the tensor, and by their place in the scores the axes it runs over.

    ``ones`` are the operations that put axes of 1 in, by place. An axis that is neither in ``axes``
    nor an axis of 1 there certainly is none where ``whole`` says that all are known.
    """

    tensor: Tensor
    axes: dict[int, Axis]
    ones: dict[int, Operation]
    whole: bool

    def varies(self, place: int) -> bool | None:
        """Whether a term differs along a place of the scores; None if that is not known."""
        if place in self.axes:
            return True
        return False if self.whole or place in self.ones else None


@record
class _Part:
    """A tensor on the way from a mask to its terms: it has at most as many axes as places."""

    tensor: Tensor
    places: _Places
    ones: dict[int, Operation]


def terms(mask: Tensor, rank: int, view: View) -> Iterator[Term]:
    """The terms of a mask that is put on scores of `rank` axes."""
    waiting, left = [_Part(mask, tuple(range(rank)), {})], _MOST_STEPS
    while waiting and left:
        left -= 1
        part = waiting.pop()
        parts = _parts(part, view)
        if parts:
            waiting += parts
        else:
            yield _term(part, view)


def _term(part: _Part, view: View) -> Term:
    shape = view.shape(part.tensor)
    if shape is None:
        return Term(part.tensor, {}, part.ones, whole=False)
    listed = _listed(shape, len(part.places))
    known = shape.trail if listed is None else listed
    axes: dict[int, Axis] = {}
    whole = listed is not None
    for axis, place in zip(reversed(known), part.places, strict=False):
        if axis.is_one:
            continue
        if place is None or axis.size is None:
            whole = False
        else:
            axes[place] = axis
    return Term(part.tensor, axes, part.ones, whole)


def _listed(shape: Shape, most: int) -> tuple[Axis, ...] | None:
    """All axes of a shape, also of an open one that shows as many as it may have."""
    if shape.closed:
        return shape.lead
    return shape.lead + shape.trail if shape.at_least == most else None


def _parts(part: _Part, view: View) -> list[_Part]:
    """The tensors that one is made of element by element, each with its places; none for a term."""
    makers = view.graph.known_makers(part.tensor)
    if not makers or view.graph.comes_in(part.tensor):
        return []
    found = [_made_of(made, part, view) for made in makers]
    return [each for parts in found for each in parts] if all(found) else []


def _made_of(made: Operation, part: _Part, view: View) -> list[_Part]:
    operands = [tensor for _, tensor in made.tensors()]
    event = made.event
    if made.kind in COPYING:
        return [replace(part, tensor=tensor) for tensor in operands[:1]]
    if isinstance(event, Elementwise):
        if event.symbol in COMPARISONS and (len(operands) > 1 or _is_data(operands[0], view)):
            return []
        return [replace(part, tensor=tensor) for tensor in operands]
    mapper = _indexed if made.kind == "index" and event is None else _MAPPERS.get(type(event))
    kept = None if mapper is None or not operands else mapper(made, operands[0], part, view)
    if kept is None:
        return []
    # For each output axis, from the end, the input axis it is, or None for a new one.
    inner = {axis: part.places[at] for at, axis in enumerate(kept) if axis is not None}
    places = tuple(inner.get(axis) for axis in range(max(inner, default=-1) + 1))
    put_in = (part.places[at] for at, axis in enumerate(kept) if axis is None)
    ones = {place: made for place in put_in if place is not None}
    return [_Part(operands[0], places, ones | part.ones)]


def _is_data(tensor: Tensor, view: View) -> bool:
    """Whether what is compared with a number is no mask yet: tokens, lengths."""
    return tensor.dtype != "bool" and not view.graph.known_makers(tensor)


# -- where axes come from -------------------------------------------------------------------------


def _after(made: Operation, part: _Part, view: View) -> int | None:
    """The number of axes of a result, or None."""
    shape = view.shape(as_tensor(made.output))
    listed = None if shape is None else _listed(shape, len(part.places))
    return None if listed is None or len(listed) > len(part.places) else len(listed)


def _turned(kept: tuple[int | None, ...], before: int) -> _Places:
    """Where the axes of a result come from, with both counted from the end."""
    return tuple(None if axis is None else before - 1 - axis for axis in reversed(kept))


def _inserted(made: Operation, source: Tensor, part: _Part, view: View) -> _Places | None:
    assert isinstance(made.event, NewAxis)
    axes, after = made.event.axes, _after(made, part, view)
    if after is None:
        if any(axis >= 0 for axis in axes):
            return None
        after = len(part.places)
    new = {axis % after for axis in axes}
    before = after - len(new)
    old = iter(range(before))
    return _turned(tuple(None if at in new else next(old, None) for at in range(after)), before)


def _selected(made: Operation, source: Tensor, part: _Part, view: View) -> _Places | None:
    assert isinstance(made.event, Selection)
    kept, after = made.event.kept, _after(made, part, view)
    shape = view.shape(source)
    if after is None or len(kept) != after or shape is None:
        return None
    before = len(shape.lead) if shape.closed else sum(axis is not None for axis in kept)
    if any(axis is not None and not 0 <= axis < before for axis in kept):
        return None
    return _turned(kept, before)


def _indexed(made: Operation, source: Tensor, part: _Part, view: View) -> _Places | None:
    """An index of slices, ``None`` and ``...`` into a tensor of which not all axes are known."""
    key = next((operand.value for operand in made.operands if operand.name == "key"), None)
    items = key.items if type(key) is Sequence else (key,)
    if items is None or not all(type(item) is Slice or item in (NONE, ELLIPSIS) for item in items):
        return None
    dots = items.index(ELLIPSIS) if ELLIPSIS in items else len(items)
    if NONE in items[:dots] and _after(made, part, view) != len(items):
        return None
    old = iter(range(len(part.places)))
    listed = items if dots == len(items) else items[dots + 1 :]
    kept = [None if item == NONE else next(old) for item in reversed(listed)]
    return (*kept, *itertools.islice(old, len(part.places) - len(kept)))


def _permuted(made: Operation, source: Tensor, part: _Part, view: View) -> _Places | None:
    assert isinstance(made.event, Permutation)
    rank = len(made.event.order)
    if not rank or _after(made, part, view) != rank:
        return None
    return _turned(tuple(axis % rank for axis in made.event.order), rank)


def _squeezed(made: Operation, source: Tensor, part: _Part, view: View) -> _Places | None:
    assert isinstance(made.event, Squeeze)
    shape, after = view.shape(source), _after(made, part, view)
    if shape is None or not shape.closed or after is None:
        return None
    before = len(shape.lead)
    gone = {axis % before for axis in made.event.axes}
    kept = tuple(at for at in range(before) if at not in gone)
    return _turned(kept, before) if len(kept) == after else None


def _expanded(made: Operation, source: Tensor, part: _Part, view: View) -> _Places | None:
    """An axis that is stretched is one of 1 before: it still is the same all along."""
    assert isinstance(made.event, Expansion)
    shape, after = view.shape(source), _after(made, part, view)
    if shape is None or after is None or made.event.outside is not None:
        return None
    listed = _listed(shape, after)
    if listed is None or not made.event.kind.startswith(("expand", "broadcast")):
        return None
    return tuple(at if at < len(listed) else None for at in range(after))


_MAPPERS = {
    NewAxis: _inserted,
    Selection: _selected,
    Permutation: _permuted,
    Squeeze: _squeezed,
    Expansion: _expanded,
}


def axis_from_end(shape: Shape, place: int) -> Axis | None:
    """The axis that lies `place` axes before the last one, or None."""
    known = shape.tail
    return known[-1 - place] if place < len(known) else None
