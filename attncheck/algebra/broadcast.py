"""Broadcasting, with a record of how every axis of the result was made.

The result of ``(T, d) + (d,)`` and of ``(T,) * (T, 1)`` is a plain shape in either case; what tells
the intended from the accidental is how each axis came about, so that is kept.
Rule: NumPy user guide, "Broadcasting", "General broadcasting rules".
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import Axis, Shape, expand
from attncheck.algebra.size import Size


class How(enum.Enum):
    """How one axis of a broadcast came about."""

    MATCHED = "matched"
    #: One side has size 1 there and is repeated.
    LEFT_STRETCHED = "left stretched"
    RIGHT_STRETCHED = "right stretched"
    #: One side has no such axis.
    LEFT_ADDED = "left added"
    RIGHT_ADDED = "right added"
    #: The sizes cannot be compared; the operation needs them equal, or one of them 1.
    ASSUMED = "assumed"
    CLASH = "clash"


@dataclass(frozen=True, slots=True)
class Pairing:
    """One axis of the result: the axes it was made of (None where a side has none), and how."""

    left: Axis | None
    right: Axis | None
    how: How
    result: Axis
    verdict: Verdict = Verdict.EQUAL


@dataclass(frozen=True, slots=True)
class Broadcast:
    """The outcome of a broadcast: the shape (None if it cannot be known) and its pairings.

    Pairings are listed first axis first; for open shapes only those that are known.
    """

    shape: Shape | None
    pairings: tuple[Pairing, ...]

    @property
    def clashes(self) -> tuple[Pairing, ...]:
        """The pairings that cannot be broadcast."""
        return tuple(pairing for pairing in self.pairings if pairing.how is How.CLASH)


def broadcast(left: Shape, right: Shape, facts: Facts) -> Broadcast:
    """Broadcast two shapes against each other."""
    left, right = expand(left, facts), expand(right, facts)
    if left.closed and right.closed:
        pairings = _pair(left.lead, right.lead, facts)
        shape = Shape(tuple(pairing.result for pairing in pairings))
        return Broadcast(shape, pairings)
    if left.closed or right.closed:
        return _one_open(left, right, facts)
    if left.row is right.row and len(left.trail) == len(right.trail):
        return _same_row(left, right, facts)
    pairings = _pair_common_trail(left, right, facts)
    return Broadcast(None, pairings)


def broadcast_all(shapes: Sequence[Shape], facts: Facts) -> Broadcast:
    """Broadcast any number of shapes, from left to right; the pairings are those of all steps."""
    total = Broadcast(shapes[0], ())
    for shape in shapes[1:]:
        if total.shape is None:
            break
        step = broadcast(total.shape, shape, facts)
        total = Broadcast(step.shape, total.pairings + step.pairings)
    return total


def _pair(left: tuple[Axis, ...], right: tuple[Axis, ...], facts: Facts) -> tuple[Pairing, ...]:
    rank = max(len(left), len(right))
    pairings = []
    for index in range(rank):
        i, j = index - rank + len(left), index - rank + len(right)
        pairings.append(_one(left[i] if i >= 0 else None, right[j] if j >= 0 else None, facts))
    return tuple(pairings)


def _one(left: Axis | None, right: Axis | None, facts: Facts) -> Pairing:
    if left is None:
        assert right is not None
        return Pairing(None, right, How.LEFT_ADDED, right)
    if right is None:
        return Pairing(left, None, How.RIGHT_ADDED, left)
    if left.is_one and right.is_one:
        return Pairing(left, right, How.MATCHED, left)
    if left.is_one:
        return Pairing(left, right, How.LEFT_STRETCHED, right)
    if right.is_one:
        return Pairing(left, right, How.RIGHT_STRETCHED, left)
    if left.size is None or right.size is None:
        return Pairing(left, right, How.ASSUMED, Axis(None), Verdict.UNKNOWN)
    verdict = facts.compare(left.size, right.size)
    if verdict is Verdict.EQUAL:
        return Pairing(left, right, How.MATCHED, _merge(left, right), verdict)
    if verdict.clashes and not _could_be_one(left.size, right.size):
        return Pairing(left, right, How.CLASH, Axis(None), verdict)
    return Pairing(left, right, How.ASSUMED, _assumed(left, right), Verdict.UNKNOWN)


def _merge(left: Axis, right: Axis) -> Axis:
    """The axis two equal ones make: the left one's birth, the marks that both have."""
    if left == right:
        return left
    return replace(
        left,
        tag=left.tag or right.tag,
        normalised=left.normalised | right.normalised,
        parts=left.parts or right.parts,
    )


def _assumed(left: Axis, right: Axis) -> Axis:
    """The axis of two sizes that cannot be compared: known only if one of them is fixed.

    A size that an unseen parameter's axis leaves open is 1 or the other one, so a named or a
    numeric size decides.
    """
    assert left.size is not None and right.size is not None
    if _open_size(left.size) and not _open_size(right.size):
        return right
    if _open_size(right.size) and not _open_size(left.size):
        return left
    return Axis(None)


def _open_size(size: Size) -> bool:
    return any(symbol.flexible for symbol in size.symbols())


def _could_be_one(left: Size, right: Size) -> bool:
    """Whether a flexible symbol alone is one of the two, so that it may stand for 1."""
    for size in (left, right):
        symbol = size.symbol
        if symbol is not None and symbol.flexible:
            return True
    return False


def _one_open(left: Shape, right: Shape, facts: Facts) -> Broadcast:
    """Broadcast a closed shape against an open one: known only where the open one is not shorter."""
    fixed, loose = (left, right) if left.closed else (right, left)
    depth = min(len(fixed.lead), len(loose.trail))
    tail = fixed.lead[len(fixed.lead) - depth :]
    loose_tail = loose.trail[len(loose.trail) - depth :]
    swap = fixed is right
    pairings = _pair(loose_tail, tail, facts) if swap else _pair(tail, loose_tail, facts)
    if len(fixed.lead) <= len(loose.trail):
        rest = loose.trail[: len(loose.trail) - depth]
        made = rest + tuple(pairing.result for pairing in pairings)
        return Broadcast(Shape(loose.lead, loose.row, made), pairings)
    if all(axis.is_one for axis in fixed.lead) and len(fixed.lead) <= loose.at_least:
        return Broadcast(loose, pairings)
    return Broadcast(None, pairings)


def _same_row(left: Shape, right: Shape, facts: Facts) -> Broadcast:
    lead = _pair(left.lead, right.lead, facts) if len(left.lead) == len(right.lead) else None
    trail = _pair(left.trail, right.trail, facts)
    if lead is None:
        return Broadcast(None, trail)
    shape = Shape(
        tuple(pairing.result for pairing in lead),
        left.row,
        tuple(pairing.result for pairing in trail),
    )
    return Broadcast(shape, lead + trail)


def _pair_common_trail(left: Shape, right: Shape, facts: Facts) -> tuple[Pairing, ...]:
    depth = min(len(left.trail), len(right.trail))
    if not depth:
        return ()
    return _pair(left.trail[len(left.trail) - depth :], right.trail[len(right.trail) - depth :], facts)
