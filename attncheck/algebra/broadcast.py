"""Broadcasting, with a record of how every axis of the result was made.

The result of ``(T, d) + (d,)`` and of ``(T,) * (T, 1)`` is a plain shape in either case; what tells
the intended from the accidental is how each axis came about, so that is kept.
Rule: NumPy user guide, "Broadcasting", "General broadcasting rules".
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import COPIES, Axis, Row, Shape, expand
from attncheck.algebra.size import Size
from attncheck.record import record, replace


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


@record
class Pairing:
    """One axis of the result: the axes it was made of (None where a side has none), and how."""

    left: Axis | None
    right: Axis | None
    how: How
    result: Axis
    verdict: Verdict = Verdict.EQUAL


@record
class Broadcast:
    """The outcome of a broadcast: the shape (None if nothing is known of it) and its pairings.

    Pairings are listed first axis first; for open shapes only those that are known.
    """

    shape: Shape | None
    pairings: tuple[Pairing, ...]

    @property
    def clashes(self) -> tuple[Pairing, ...]:
        """The pairings that cannot be broadcast."""
        return tuple(pairing for pairing in self.pairings if pairing.how is How.CLASH)


def broadcast(left: Shape, right: Shape, facts: Facts) -> Broadcast:
    """Broadcast two shapes against each other.

    Of an open shape the trailing axes are known, and whatever the row turns out to be the result's
    trailing axes are these; only its rank stays open.
    """
    left, right = expand(left, facts), expand(right, facts)
    if left.row is right.row and len(left.trail) == len(right.trail):
        return _aligned(left, right, facts)
    tails = left.tail, right.tail
    depth = min(len(tails[0]), len(tails[1]))
    common = _pair(_last(tails[0], depth), _last(tails[1], depth), facts)
    made = tuple(pairing.result for pairing in common)
    for fixed, loose in ((left, right), (right, left)):
        if fixed.closed and len(fixed.lead) <= len(loose.trail):
            rest = loose.trail[: len(loose.trail) - depth]
            return Broadcast(Shape(loose.lead, loose.row, rest + made), common)
        # What is known before the row and behind it may be the same axes.
        if _all_ones(fixed) and len(fixed.lead) <= max(len(loose.lead), len(loose.trail)):
            return Broadcast(loose, common)
    longer = max(tails, key=len)
    made = tuple(map(_against_unknown, longer[: len(longer) - depth])) + made
    return Broadcast(Shape((), Row("axis", born=False), made) if made else None, common)


def broadcast_all(shapes: Sequence[Shape], facts: Facts) -> Broadcast:
    """Broadcast one shape or more, from left to right; the pairings are those of all steps."""
    total = Broadcast(expand(shapes[0], facts), ())
    for shape in shapes[1:]:
        if total.shape is None:
            break
        step = broadcast(total.shape, shape, facts)
        total = Broadcast(step.shape, total.pairings + step.pairings)
    return total


def _aligned(left: Shape, right: Shape, facts: Facts) -> Broadcast:
    """Broadcast shapes whose axes are known to meet: two closed ones, or two with one row."""
    lead = _pair(left.lead, right.lead, facts)
    trail = _pair(left.trail, right.trail, facts)
    shape = Shape(
        tuple(pairing.result for pairing in lead),
        left.row,
        tuple(pairing.result for pairing in trail),
    )
    return Broadcast(shape, lead + trail)


def _last(axes: tuple[Axis, ...], count: int) -> tuple[Axis, ...]:
    return axes[len(axes) - count :]


def _all_ones(shape: Shape) -> bool:
    return shape.closed and all(axis.is_one for axis in shape.lead)


def _against_unknown(axis: Axis) -> Axis:
    """What an axis becomes that meets an axis nothing is known of, or none.

    The other one is 1 or the same, unless this one is 1 or may turn out to be. What was merged into
    this one is 1 then as well.
    """
    if axis.size is None or axis.is_one or undecided(axis.size):
        return Axis(None, parts=axis.parts)
    return axis


def _pair(left: tuple[Axis, ...], right: tuple[Axis, ...], facts: Facts) -> tuple[Pairing, ...]:
    rank = max(len(left), len(right))
    pairings = []
    for index in range(rank):
        i, j = index - rank + len(left), index - rank + len(right)
        pairings.append(_one(left[i] if i >= 0 else None, right[j] if j >= 0 else None, facts))
    return tuple(_told_apart(pairings))


def _told_apart(pairings: list[Pairing]) -> list[Pairing]:
    """The pairings with one axis of a table's rows and columns told from the other.

    ``x[:, None] - x`` has the axis of x twice, once from each side.
    """
    taken = set()
    for index, pairing in enumerate(pairings):
        tag = pairing.result.tag
        while tag is not None and tag in taken:
            tag = tag.beside()
        taken.add(tag)
        if tag is not pairing.result.tag:
            pairings[index] = replace(pairing, result=replace(pairing.result, tag=tag))
    return pairings


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
    whole = _cut_to(left, right, facts) or _cut_to(right, left, facts)
    if whole is not None:
        return Pairing(left, right, How.ASSUMED, whole, Verdict.UNKNOWN)
    if left.size is None or right.size is None:
        known = right if left.size is None else left
        made = _against_unknown(known)
        if made.size is None:
            made = replace(made, parts=_shared(left, right, facts))
        return Pairing(left, right, How.ASSUMED, made, Verdict.UNKNOWN)
    if _are_kin(left.size, right.size):
        facts.force(left.size, right.size, "added element by element")
    verdict = facts.meet(left.size, right.size)
    if verdict is Verdict.EQUAL:
        return Pairing(left, right, How.MATCHED, _merge(left, right), verdict)
    if verdict is Verdict.UNKNOWN and _are_merged(left.size, right.size, facts):
        verdict = Verdict.DISTINCT
    if verdict.clashes and not _could_be_one(left.size, right.size):
        return Pairing(left, right, How.CLASH, Axis(None), verdict)
    return Pairing(left, right, How.ASSUMED, _assumed(left, right, facts), Verdict.UNKNOWN)


def _cut_to(cut: Axis, whole: Axis, facts: Facts) -> Axis | None:
    """An axis that another, cut to its size, can only fit: ``scores + bias[:T]`` has T; or None.

    The other has as many elements or, where this one has more than 1, one that is stretched.
    """
    unknown = cut.size is None or (cut.size.symbol is not None and cut.size.symbol.found)
    if cut.limit is None or whole.size is None or not unknown:
        return None
    return whole if facts.resolve(cut.limit) == facts.resolve(whole.size) else None


def _are_merged(left: Size, right: Size, facts: Facts) -> bool:
    """Whether one of two sizes is the other times sizes that axes have by name: ``B*T`` and ``T``.

    They are equal where these are 1, which nobody takes for granted of a batch or of positions. An
    argument of the function may well be 1.
    """
    one, other = facts.resolve(left), facts.resolve(right)
    times = one.divided_by(other) or other.divided_by(one)
    return times is not None and all(
        symbol.positive and not symbol.flexible and not symbol.found and symbol.value is None
        for symbol in times.symbols()
    )


def _are_kin(left: Size, right: Size) -> bool:
    """Whether two sizes are supposed to be one, so that neither is a 1 that is stretched."""
    a, b = left.symbol, right.symbol
    return a is not None and b is not None and a is not b and a.kin is not None and a.kin == b.kin


def _merge(left: Axis, right: Axis) -> Axis:
    """The axis two equal ones make: the left one's birth, the marks of both, and a name if any."""
    left = _told(left, right)
    if left == right:
        return left
    named = right if left.size is not None and left.size.number is not None else left
    return replace(
        left,
        size=named.size,
        tag=left.tag or right.tag,
        normalised=left.normalised | right.normalised,
        parts=left.parts or right.parts,
    )


def _told(axis: Axis, other: Axis) -> Axis:
    """An axis as it is behind an operation with another: copies only where both sides are."""
    copied = axis.made == COPIES and other.made != COPIES
    return replace(axis, made=None) if copied else axis


def _assumed(left: Axis, right: Axis, facts: Facts) -> Axis:
    """The axis of two sizes that cannot be compared: known only if one of them is fixed.

    A size that an unseen parameter's axis leaves open is 1 or the other one, so a named or a
    numeric size decides. What a docstring calls as the code calls it is that, or one of them is 1.
    """
    assert left.size is not None
    assert right.size is not None
    if undecided(left.size) and not undecided(right.size):
        return _told(right, left)
    if undecided(right.size) and not undecided(left.size):
        return _told(left, right)
    if _share_a_name(left.size, right.size):
        return _told(left, right)
    return Axis(None, parts=_shared(left, right, facts))


def _share_a_name(left: Size, right: Size) -> bool:
    """Whether two sizes that are written alike are fixed, each, as far as names fix them."""
    a, b = left.symbol, right.symbol
    return a is not None and b is not None and a.name == b.name and not undecided(left)


def _shared(left: Axis, right: Axis, facts: Facts) -> tuple[Axis, ...]:
    """What the axis was merged from that two make, as far as both sides are known to agree.

    ``n_heads * b`` and ``n_heads * c`` are one size, or there is one head and one of each.
    """
    if not left.parts or not right.parts:
        return left.parts or right.parts
    if len(left.parts) != len(right.parts):
        return ()
    made = [
        _merge(one, other)
        if one.size and other.size and facts.equal(one.size, other.size)
        else None
        for one, other in zip(left.parts, right.parts, strict=True)
    ]
    if not any(made):
        return ()
    return tuple(Axis(None) if each is None else each for each in made)


def undecided(size: Size) -> bool:
    """Whether a size may be 1 here: it is an unseen axis's, or a name's whose number is 1."""
    return any(symbol.flexible or symbol.found for symbol in size.symbols()) or size.evaluate() == 1


def _could_be_one(left: Size, right: Size) -> bool:
    """Whether one of two sizes that differ may be 1 after all, which an expression hardly is."""
    return any(size.symbol is not None and undecided(size) for size in (left, right))
