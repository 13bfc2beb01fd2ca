"""How the elements of a tensor lie in memory, and which views of it there are.

A transpose moves no element: it only reads the axes in another order than the elements lie in. A
view does not move any either, so it can only split axes, and merge those that stand beside each
other both in the shape and in memory. An axis of 1 has no place in memory and is in nobody's way.
Sizes that are no numbers are taken to be more than 1.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence

from attncheck.algebra.bounds import at_least
from attncheck.algebra.facts import Facts
from attncheck.algebra.reshape import even_divisions
from attncheck.algebra.size import ONE, Remainder, Size, product
from attncheck.record import record, replace


@record
class Memory:
    """The sizes of a tensor's axes, and the axes in the order in which the elements lie.

    ``order`` has the outermost axis first; it leaves out axes of 1, and ``copies``, along which
    every element is the same one. Before an axis in ``gaps`` lies what a slice has left out.
    """

    sizes: tuple[Size, ...]
    order: tuple[int, ...]
    gaps: frozenset[int] = frozenset()
    copies: frozenset[int] = frozenset()

    @property
    def as_it_lies(self) -> tuple[Size, ...]:
        """The sizes in the order in which the elements lie."""
        return tuple(self.sizes[axis] for axis in self.order)

    @property
    def is_in_order(self) -> bool:
        """Whether the elements lie in the order of the axes, so that every view can be had."""
        return self.is_dense and self.order == tuple(sorted(self.order))

    @property
    def is_dense(self) -> bool:
        """Whether each element lies in a place of its own, and none between them."""
        return not self.gaps and not self.copies


class Why(enum.Enum):
    """Why two axes do not lie beside each other."""

    MOVED = "moved"
    CUT = "cut"
    COPIED = "copied"


@record
class Apart:
    """Why there is no such view: it merges two axes that do not lie beside each other.

    ``outer`` and ``inner`` are neighbours in the shape but for axes of 1.
    """

    outer: int
    inner: int
    why: Why = Why.MOVED


def in_order(sizes: Sequence[Size]) -> Memory:
    """A tensor whose elements lie in the order of its axes."""
    return Memory(tuple(sizes), tuple(_solid(sizes)))


def _solid(sizes: Sequence[Size]) -> list[int]:
    """The axes that are not of size 1."""
    return [axis for axis, size in enumerate(sizes) if size.evaluate() != 1]


def permuted(memory: Memory, order: Sequence[int]) -> Memory:
    """The memory of a permutation: axis i of it was axis ``order[i]``."""
    place = {axis: index for index, axis in enumerate(order)}
    return Memory(
        tuple(memory.sizes[axis] for axis in order),
        tuple(place[axis] for axis in memory.order),
        frozenset(place[axis] for axis in memory.gaps),
        frozenset(place[axis] for axis in memory.copies),
    )


def without_ones(memory: Memory, axes: Sequence[int]) -> Memory | None:
    """The memory without some axes of size 1; None if one of them is not."""
    rank = len(memory.sizes)
    gone = {axis % rank for axis in axes}
    if not gone.isdisjoint(memory.order) or not gone.isdisjoint(memory.copies):
        return None
    return permuted(memory, [axis for axis in range(rank) if axis not in gone])


def with_ones(memory: Memory, axes: Sequence[int]) -> Memory:
    """The memory with axes of size 1 put in, at these places of the result."""
    rank = len(memory.sizes) + len(axes)
    new = {axis % rank for axis in axes}
    old = iter(range(len(memory.sizes)))
    whole = replace(memory, sizes=(*memory.sizes, ONE))
    return permuted(
        whole, [len(memory.sizes) if axis in new else next(old) for axis in range(rank)]
    )


def resized(memory: Memory, sizes: Sequence[Size]) -> Memory:
    """The memory of as many axes of other sizes that lie in the same order."""
    for axis in set(memory.order) - set(_solid(sizes)):
        memory = _left_out(memory, axis, cut=False)
    solid = frozenset(_solid(sizes))
    return replace(memory, sizes=tuple(sizes), copies=memory.copies & solid)


def sliced(memory: Memory, axis: int, size: Size) -> Memory:
    """The memory of a tensor of which some of the elements along an axis are left out."""
    sizes = (*memory.sizes[:axis], size, *memory.sizes[axis + 1 :])
    if axis not in memory.order:
        return resized(memory, sizes)  # one of some copies is as good as another
    if size.evaluate() == 1:
        return replace(_left_out(memory, axis, cut=True), sizes=sizes)
    first = memory.order[0] == axis
    return replace(memory, sizes=sizes, gaps=memory.gaps if first else memory.gaps | {axis})


def _left_out(memory: Memory, axis: int, *, cut: bool) -> Memory:
    """The memory without an axis of which one element is left, and no room for others if `cut`."""
    place = memory.order.index(axis)
    order = (*memory.order[:place], *memory.order[place + 1 :])
    gaps = memory.gaps - {axis}
    if (cut or axis in memory.gaps) and 0 < place < len(order):
        gaps |= {order[place]}
    return replace(memory, order=order, gaps=gaps)


def expanded(memory: Memory, sizes: Sequence[Size], copies: Iterable[int]) -> Memory:
    """The memory with axes of 1, and new ones in front, stretched to `copies` of what they hold."""
    front = len(sizes) - len(memory.sizes)
    moved = with_ones(memory, range(front)) if front else memory
    return replace(moved, sizes=tuple(sizes), copies=moved.copies | frozenset(copies))


def has_sizes(memory: Memory, sizes: Sequence[Size | None] | None, facts: Facts) -> bool:
    """Whether a tensor has as many axes, each of its size as far as that is known."""
    if sizes is None or len(memory.sizes) != len(sizes):
        return False
    pairs = zip(memory.sizes, sizes, strict=True)
    return all(other is None or one == other or facts.equal(one, other) for one, other in pairs)


def alike(left: Memory, right: Memory, facts: Facts) -> bool:
    """Whether two tensors certainly have the same sizes, and lie in the same order."""
    same = (left.order, left.gaps, left.copies) == (right.order, right.gaps, right.copies)
    return same and has_sizes(left, right.sizes, facts)


# -- views -----------------------------------------------------------------------------------------


def viewed(memory: Memory, wanted: Sequence[Size | None], facts: Facts) -> Memory | Apart | None:
    """The memory of a view of other sizes, or why there is none; None if nobody can tell.

    That there are as many elements is for others to judge. It follows the rule of torch
    (``computeStride``): from the last axis on, axes that can be merged have to be used up together.
    """
    sizes = _inferred(memory, wanted, facts)
    if any(size.evaluate() == 0 for size in memory.sizes):
        return None
    chunks = _chunks(memory)
    left = [place for place, size in enumerate(sizes) if size is None or size.evaluate() != 1]
    ways: dict[int, tuple[int, ...]] = {}
    scale = _Scale(memory.sizes, sizes, facts)
    for index in reversed(range(len(chunks))):
        chunk = chunks[index]
        found = scale.used_up([memory.sizes[axis] for axis in chunk], sizes, left)
        if found is None:
            return None
        places, used = found
        if not used:
            return _apart(memory, chunks[index - 1][-1], chunk[0]) if index else None
        ways[chunk[0]] = places
    if left or None in sizes:
        return None
    return Memory(
        tuple(size for size in sizes if size is not None),
        tuple(place for axis in memory.order for place in ways.get(axis, ())),
        frozenset(ways[axis][0] for axis in memory.gaps),
        frozenset(place for axis in memory.copies for place in ways.get(axis, ())),
    )


def _apart(memory: Memory, outer: int, inner: int) -> Apart:
    if outer in memory.copies or inner in memory.copies:
        return Apart(outer, inner, Why.COPIED)
    cut = inner in memory.gaps and _is_next(memory, outer, inner)
    return Apart(outer, inner, Why.CUT if cut else Why.MOVED)


def _is_next(memory: Memory, outer: int, inner: int) -> bool:
    """Whether one axis is the next to another in memory."""
    place = memory.order.index(inner)
    return place > 0 and memory.order[place - 1] == outer


def _inferred(
    memory: Memory, wanted: Sequence[Size | None], facts: Facts
) -> tuple[Size | None, ...]:
    """The wanted sizes, the only one that is not known as what is left over by the others."""
    sizes = [None if size is None else facts.resolve(size) for size in wanted]
    if sizes.count(None) == 1:
        known = product(size for size in sizes if size is not None)
        sizes[sizes.index(None)] = product(memory.sizes).divided_by(known)
    return tuple(sizes)


def _chunks(memory: Memory) -> list[list[int]]:
    """The axes in the order of the shape, those together that can be merged."""
    chunks: list[list[int]] = []
    for axis in _solid(memory.sizes):
        last = chunks[-1][-1] if chunks else None
        if last is not None and _can_be_merged(memory, last, axis):
            chunks[-1].append(axis)
        else:
            chunks.append([axis])
    return chunks


def _can_be_merged(memory: Memory, outer: int, inner: int) -> bool:
    both = {outer, inner} & memory.copies
    if both:
        return both == {outer, inner}
    return inner not in memory.gaps and _is_next(memory, outer, inner)


class _Scale:
    """Weighs products of sizes, with divisions taken to come out even."""

    def __init__(self, before: Sequence[Size], after: Sequence[Size | None], facts: Facts) -> None:
        sizes = [size for size in (*before, *after) if size is not None]
        self.facts = facts
        self.generic = even_divisions(sizes, set())
        generic = [size.substitute(self.generic.get) for size in before]
        #: sums that are more than 1, as an axis has that size
        self.sums = [size for size in generic if len(size.terms) > 1]

    def used_up(
        self, chunk: Sequence[Size], sizes: Sequence[Size | None], left: list[int]
    ) -> tuple[tuple[int, ...], bool] | None:
        """The last of the places that are `left` which together are as large as a chunk.

        They are taken away; False with them if the last one is too large. None: nobody can tell.
        """
        total, whole = product(chunk), ONE
        places: tuple[int, ...] = ()
        while left:
            size = sizes[left[-1]]
            if size is None:
                return None
            places = (left.pop(), *places)
            whole = whole * size
            sign = self._compare(whole, total)
            if sign is None or sign >= 0:
                return None if sign is None else (places, sign == 0)
        return None

    def _compare(self, left: Size, right: Size) -> int | None:
        """The sign of the difference of two products; None if it is not known."""
        if self.facts.equal(left, right):
            return 0
        left, right = left.substitute(self.generic.get), right.substitute(self.generic.get)
        if left == right:
            return 0
        for sign, one, other in ((1, left, right), (-1, right, left)):
            times = one.divided_by(other)
            if (times is not None and self._is_several(times)) or at_least(one, other + 1):
                return sign
        return None

    def _is_several(self, size: Size) -> bool:
        """Whether a product of sizes is 2 or more, if none of these is 1."""
        found = False
        for part in self.sums:
            while size.terms and (rest := size.divided_by(part)) is not None:
                size, found = rest, True
        return _is_several(size) or (found and size == ONE)


def _is_several(size: Size) -> bool:
    """Whether a size is 2 or more, if what it is a product of is more than 1."""
    number = size.evaluate()
    if number is not None:
        return number > 1
    ((monomial, coefficient), *more) = size.terms.items()
    if more:
        return at_least(size, ONE + 1)
    return coefficient > 0 and all(type(atom) is not Remainder for atom, _ in monomial)
