"""Axes merged with copies: in which order their parts lie, and who reads them in another one.

``(B,)`` repeated n times is ``(n, B)`` flattened when it is tiled, and ``(B, n)`` when each element
is repeated in its place. The sizes are the same; that two axes with parts in another order are
paired is told only where one of the parts certainly counts copies.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.reshape import Reshaped
from attncheck.algebra.shape import COPIES, Axis
from attncheck.algebra.size import ONE, Size
from attncheck.checks.report import Sizes
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.axes import least_rank
from attncheck.operators.events import (
    Attention,
    Contraction,
    Einsum,
    Elementwise,
    Expansion,
    Joining,
    Rearranging,
    Reshaping,
)
from attncheck.record import record
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

Pair = tuple[Axis, Axis]
_PAIR = 2
_ENDS = (0, -1)
#: The sizes of the two parts of an axis, outermost first.
Parts = tuple[Size | None, Size | None]


@record
class Conflict:
    """Two merged axes that meet with their two parts in another order; sizes outermost first."""

    left: Axis
    right: Axis
    left_sizes: Parts
    right_sizes: Parts

    @property
    def sides(self) -> tuple[tuple[Axis, Parts], tuple[Axis, Parts]]:
        """Both axes with their sizes."""
        return (self.left, self.left_sizes), (self.right, self.right_sizes)


def conflict(left: Axis, right: Axis, facts: Facts) -> Conflict | None:
    """How the parts of two axes that meet contradict each other, or None.

    Where the copies on one side are as many as the rows at the other end of the other, the parts
    beside them are one size too, since the axes meet. So that one is not known is no matter where
    the other axis holds no copies: rows repeated as often as there are others may be in any order.
    """
    a, b = _sizes(left, facts, right), _sizes(right, facts, left)
    if a is None or b is None or _equal(facts, a[0], b[0]) or _equal(facts, *a):
        return None
    if None in (*a, *b) and (_equal(facts, *b) or _both_hold_copies(left, right)):
        return None
    crossed = [
        _equal(facts, own[min(place, 1)], other[1 - min(place, 1)])
        for axis, own, other in ((left, a, b), (right, b, a))
        if (place := _copies_at(axis)) is not None
    ]
    if not any(crossed) or _all_pairs(left, right, a, facts):
        return None
    return Conflict(left, right, a, b)


def _sizes(axis: Axis, facts: Facts, other: Axis | None = None) -> Parts | None:
    """The sizes of an axis's two parts, of which at most one counts copies; None otherwise.

    More parts, as of windows in rows and columns, are taken together as they meet the `other` axis.
    """
    if len(axis.parts) > _PAIR and other is not None:
        return _grouped(axis, other, facts)
    if len(axis.parts) != _PAIR or all(part.made == COPIES for part in axis.parts):
        return None
    outer, inner = (None if part.size is None else facts.resolve(part.size) for part in axis.parts)
    return None if outer is None and inner is None else (outer, inner)


def _grouped(axis: Axis, other: Axis, facts: Facts) -> Parts | None:
    """An axis of more than two parts as two: its copies and all else, or what may meet copies."""
    own, theirs = _copies_at(axis), _copies_at(other)
    if any(_equal(facts, axis.parts[end].size, other.parts[end].size) for end in _ENDS):
        return None  # both begin, or end, with the same rows
    sizes = [facts.resolve(part.size) for part in axis.parts if part.size is not None]
    if (own is None) is (theirs is None) or len(sizes) < len(axis.parts):
        return None
    if own is None:
        # Copies that lie innermost there would have to be outermost here to be the other order.
        cut = -1 if theirs == 0 else 1
    elif own in (0, len(sizes) - 1):
        cut = 1 if own == 0 else -1
    else:
        return None
    outer, inner = (math.prod(part, start=ONE) for part in (sizes[:cut], sizes[cut:]))
    return outer, inner


def _both_hold_copies(left: Axis, right: Axis) -> bool:
    return _copies_at(left) is not None and _copies_at(right) is not None


def _copies_at(axis: Axis) -> int | None:
    return next((i for i, part in enumerate(axis.parts) if part.made == COPIES), None)


def _all_pairs(left: Axis, right: Axis, sizes: Parts, facts: Facts) -> bool:
    """Whether one axis is repeated both ways, as often as it may be long: all pairs of rows."""
    outer, inner = sizes
    if not _both_hold_copies(left, right) or outer is None or inner is None:
        return False
    origins = [part.tag for axis in (left, right) for part in axis.parts if part.made != COPIES]
    same = origins[0] is not None and origins[0] == origins[1]
    return same and facts.compare(outer, inner) is Verdict.UNKNOWN


# -- which axes meet ------------------------------------------------------------------------------


def is_merged(axis: Axis) -> bool:
    """Whether an axis was merged from others."""
    return bool(axis.parts)


def meeting(operation: Operation, which: Callable[[Axis], bool]) -> Iterator[Pair]:
    """The pairs of such axes that an operation reads side by side, element by element."""
    finder = _MEETING.get(type(operation.event))
    if finder is not None and any(_has(tensor, which) for _, tensor in operation.tensors()):
        for left, right in finder(operation):
            if which(left) and which(right):
                yield left, right


def _has(tensor: Tensor, which: Callable[[Axis], bool]) -> bool:
    shape = tensor.shape
    return shape is not None and any(map(which, shape.lead + shape.trail))


def _elementwise(operation: Operation) -> Iterator[Pair]:
    event = operation.event
    if isinstance(event, Elementwise) and event.broadcast is not None:
        for pairing in event.broadcast.pairings:
            if pairing.left is not None and pairing.right is not None:
                yield pairing.left, pairing.right
        yield from _first_axes(operation)


def _first_axes(operation: Operation) -> Iterator[Pair]:
    """The first axes of two tensors of which one has a rank that nobody knows.

    Rows that were repeated in front of all are put on rows that were merged in front of all: with
    another rank they would meet columns of these.
    """
    shapes = [tensor.shape for _, tensor in operation.tensors()]
    for one, other in itertools.permutations(filter(None, shapes), 2):
        if one.closed or not other.closed or not one.lead or least_rank(one) > len(other.lead):
            continue
        if _copies_at(one.lead[0]) is not None and other.lead[:1]:
            yield one.lead[0], other.lead[0]


def _contraction(operation: Operation) -> Iterator[Pair]:
    event = operation.event
    assert isinstance(event, Contraction)
    for pair in event.pairs:
        yield pair.left, pair.right
    shapes = [tensor.shape for _, tensor in operation.tensors()]
    if len(shapes) != 2 or any(shape is None or not shape.closed for shape in shapes):
        return
    left, right = ([] if shape is None else list(shape.axes) for shape in shapes)
    stays = {to: axis for axis, to in zip(left, event.left_to, strict=False) if to is not None}
    for axis, to in zip(right, event.right_to, strict=False):
        if to in stays:
            yield stays[to], axis


def _einsum(operation: Operation) -> Iterator[Pair]:
    event = operation.event
    assert isinstance(event, Einsum)
    named: dict[str, list[Axis]] = {}
    for letters, (_, tensor) in zip(event.inputs, operation.tensors(), strict=False):
        shape = tensor.shape
        if shape is None or not shape.closed or len(shape.axes) != len(letters):
            continue
        for letter, axis in zip(letters, shape.axes, strict=True):
            named.setdefault(letter, []).append(axis)
    for axes in named.values():
        yield from itertools.combinations(axes, 2)


def _join(operation: Operation) -> Iterator[Pair]:
    """What is joined stands side by side on every axis but the one that it is joined along."""
    event = operation.event
    assert isinstance(event, Joining)
    shapes = [tensor.shape for _, tensor in operation.tensors()]
    if event.kind != "cat" or event.axis is None or len(shapes) < 2:
        return
    first = shapes[0]
    for shape in shapes[1:]:
        if first is None or shape is None or not first.closed or first.rank != shape.rank:
            return
        for index, pair in enumerate(zip(first.axes, shape.axes, strict=True)):
            if index != event.axis % len(first.axes):
                yield pair


_MEETING = {
    Elementwise: _elementwise,
    Contraction: _contraction,
    Einsum: _einsum,
    Joining: _join,
}


# -- splits ---------------------------------------------------------------------------------------


def contradicted(operation: Operation, facts: Facts) -> tuple[Axis, Parts] | None:
    """The axis that a view splits against the order of its parts, and the sizes it asks for."""
    found = (_against(split, facts) for split in _splits(operation))
    return next((each for each in found if each is not None), None)


def _splits(operation: Operation) -> tuple[Reshaped, ...]:
    """What a view, or a pattern, made of the axes that it splits."""
    event = operation.event
    if isinstance(event, Rearranging):
        return event.splits
    return (event.outcome,) if isinstance(event, Reshaping) else ()


def _against(split: Reshaped, facts: Facts) -> tuple[Axis, Parts] | None:
    if split.regrouped is None:
        return None
    old, new = split.regrouped
    if len(old) != 1 or len(new) != 2:
        return None
    parts = _sizes(old[0], facts)
    if parts is None or _copies_at(old[0]) is None or _equal(facts, *parts):
        return None
    outer, inner = new
    if not _equal(facts, outer.size, parts[1]) or not _equal(facts, inner.size, parts[0]):
        return None
    return old[0], (parts[1], parts[0])


# -- masks of heads -------------------------------------------------------------------------------


def tiled_mask(operation: Operation, view: View) -> tuple[Operation, Size, Size | None] | None:
    """The repeat of a mask that a library's attention reads head by head, if it tiles the batch.

    torch reads ``(B*heads, L, S)`` with all heads of a sequence beside each other
    (torch.nn.MultiheadAttention, "attn_mask"), so that what is repeated has a row for each
    sequence. With the numbers of heads and of sequences.
    """
    event = operation.event
    if not isinstance(event, Attention) or event.heads is None:
        return None
    for operand, tensor in operation.tensors():
        shape = view.shape(tensor)
        if operand.name not in _HEAD_MASKS or shape is None or shape.rank != 3:
            continue
        parts = shape.lead[0].parts
        if len(parts) == 2 and parts[0].made == COPIES and parts[1].made != COPIES:
            made = repeats(view, shape.lead[0])
            if made is not None and _equal(view.facts, parts[0].size, event.heads):
                return made, event.heads, _batch_size(operation, view)
    return None


_HEAD_MASKS = frozenset({"attn_mask", "src_mask", "tgt_mask", "memory_mask", "mask"})


def _batch_size(operation: Operation, view: View) -> Size | None:
    """How many sequences a library's attention is given."""
    event, query = operation.event, next(operation.tensors(), None)
    sizes = None if query is None else view.shape(query[1])
    if not isinstance(event, Attention) or sizes is None or not sizes.closed:
        return None
    rest = [axis for axis in sizes.axes[:-1] if axis.tag != event.query.tag]
    return rest[0].size if len(rest) == 1 else None


# -- where copies come from -----------------------------------------------------------------------


def repeats(view: View, axis: Axis) -> Operation | None:
    """The operation that merged an axis with copies, or None."""
    if _copies_at(axis) is None:
        return None
    for operation in view.graph.operations:
        output = as_tensor(operation.output)
        shape = None if output is None else output.shape
        if shape is not None and any(made.parts is axis.parts for made in shape.lead + shape.trail):
            return operation
    return None


def votes(view: View, count: Size | None, beside: Size | None, parties: list[Operation]) -> int:
    """How many repeats and views hold `count` copies outside, less those that hold them inside.

    The `parties` themselves have no vote.
    """
    balance = 0
    for operation in view.graph.operations:
        event = operation.event
        if operation in parties:
            continue
        if isinstance(event, Expansion) and event.outside is not None:
            if _equal(view.facts, event.count, count):
                balance += 1 if event.outside else -1
        elif operation.kind == "reshape":
            sizes = view.sizes(as_tensor(operation.output)) or ()
            balance += _split_vote(sizes, view, count, beside)
        elif isinstance(event, Rearranging):
            for split in event.splits:
                balance += _split_vote(split.shape.sizes(), view, count, beside)
    return balance


def _split_vote(sizes: Sizes, view: View, count: Size | None, beside: Size | None) -> int:
    """1 for a view to ``(count, beside)``, -1 for one to ``(beside, count)``."""
    vote = 0
    for outer, inner in itertools.pairwise(sizes):
        if _equal(view.facts, outer, count) and _equal(view.facts, inner, beside):
            vote = 1
        elif _equal(view.facts, outer, beside) and _equal(view.facts, inner, count):
            vote = -1
    return vote


def _equal(facts: Facts, left: Size | None, right: Size | None) -> bool:
    if left is None or right is None:
        return False
    return facts.compare(left, right) is Verdict.EQUAL
