"""Reshape: legal in count, and legal in order.

A reshape that only splits and merges neighbours keeps the meaning of every axis; one that does not
(``(B, T, H*D)`` to ``(B, H, T, D)``) deals the elements of one axis out over another although the
counts agree. Both sides are read as boundaries in the flat order of elements (products of the sizes
from the left): the reshape splits and merges exactly when the boundaries of both sides together form
a chain in which each divides the next.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from attncheck.algebra.facts import Facts, Verdict, cancel_quotients
from attncheck.algebra.shape import Axis, Shape
from attncheck.algebra.size import ONE, Size, product


class Order(enum.Enum):
    """What a reshape does to the order of elements."""

    KEPT = "kept"
    #: Elements of one axis end up spread over another.
    SCRAMBLED = "scrambled"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Reshaped:
    """The outcome of a reshape.

    ``count`` compares the numbers of elements; ``before`` and ``after`` are these numbers where they
    are known. ``regrouped`` is, where the order is scrambled, the run of input axes and the run of
    output axes between which elements move.
    """

    shape: Shape
    count: Verdict
    order: Order
    before: Size | None = None
    after: Size | None = None
    regrouped: tuple[tuple[Axis, ...], tuple[Axis, ...]] | None = None


#: A wanted size: a size, None for one that is not known, or INFER for ``-1``.
class Infer:
    """The ``-1`` of a reshape: the size that makes the counts agree."""


INFER = Infer()
Wanted = Size | Infer | None


def reshape(shape: Shape, wanted: Sequence[Wanted], facts: Facts) -> Reshaped:
    """Reshape a closed shape to the `wanted` sizes, at most one of them INFER."""
    source = shape.axes
    before = _count(source)
    if before is None or any(size is None for size in wanted):
        return _guess(source, wanted, facts)
    fixed = [size for size in wanted if isinstance(size, Size)]
    known = product(fixed)
    inferring = len(fixed) < len(wanted)
    missing = _quotient(before, known) if inferring else None
    if inferring and missing is None:
        verdict = Verdict.UNKNOWN
        if facts.divisible(before, known) is Verdict.DIFFERENT:
            verdict = Verdict.DIFFERENT
        return _guess(source, wanted, facts, verdict)
    sizes = [size if isinstance(size, Size) else missing for size in wanted]
    after = before if inferring else known
    count = Verdict.EQUAL if inferring else facts.compare(before, after)
    target = tuple(Axis(size) for size in sizes)
    if count is not Verdict.EQUAL:
        return Reshaped(_kept_prefix(source, target, facts), count, Order.UNKNOWN, before, after)
    return _regroup(source, target, before, facts)


def _count(axes: Sequence[Axis]) -> Size | None:
    sizes = [axis.size for axis in axes]
    if any(size is None for size in sizes):
        return None
    return product([size for size in sizes if size is not None])


def _quotient(before: Size, known: Size) -> Size | None:
    """The size that ``-1`` stands for, if it comes out without a remainder for every size."""
    exact = before.divided_by(known)
    if exact is not None:
        return exact
    plain = cancel_quotients(known)
    if plain.number == 0:
        return None
    exact = before.divided_by(plain)
    if exact is not None:
        return exact
    # One undivided part over another: (B, T, d_model) to (B, T, n_heads, -1) is d_model//n_heads.
    rest, divisor = _without_common(before, plain)
    return rest // divisor if len(divisor.terms) == 1 and divisor.terms != {(): 0} else None


def _without_common(a: Size, b: Size) -> tuple[Size, Size]:
    """`a` and `b` with the factors that both have taken out."""
    for atom in list(b.atoms()):
        from attncheck.algebra.size import of

        one = of(atom)
        smaller_a, smaller_b = a.divided_by(one), b.divided_by(one)
        while smaller_a is not None and smaller_b is not None:
            a, b = smaller_a, smaller_b
            smaller_a, smaller_b = a.divided_by(one), b.divided_by(one)
    return a, b


def _guess(
    source: tuple[Axis, ...], wanted: Sequence[Wanted], facts: Facts, count: Verdict = Verdict.UNKNOWN
) -> Reshaped:
    """The result where the count is not known: the sizes asked for, axes kept where they match."""
    target = tuple(Axis(size if isinstance(size, Size) else None) for size in wanted)
    target = tuple(_kept_prefix(source, target, facts).axes)
    unknown = [index for index, size in enumerate(wanted) if not isinstance(size, Size)]
    if len(unknown) == 1 and len(source) == len(target) and count is Verdict.UNKNOWN:
        others = [i for i in range(len(target)) if i != unknown[0]]
        if all(_equal(source[i], target[i], facts) for i in others):
            kept = list(target)
            kept[unknown[0]] = source[unknown[0]]
            return Reshaped(Shape(tuple(kept)), Verdict.EQUAL, Order.KEPT)
    return Reshaped(Shape(target), count, Order.UNKNOWN)


def _equal(left: Axis, right: Axis, facts: Facts) -> bool:
    if left.size is None or right.size is None:
        return False
    return facts.compare(left.size, right.size) is Verdict.EQUAL


def _kept_prefix(source: tuple[Axis, ...], target: tuple[Axis, ...], facts: Facts) -> Shape:
    """`target` with the leading axes that equal the source's taken over from there."""
    kept = list(target)
    for index, (old, new) in enumerate(zip(source, target, strict=False)):
        if not _equal(old, new, facts):
            break
        kept[index] = old
    return Shape(tuple(kept))


def _regroup(
    source: tuple[Axis, ...], target: tuple[Axis, ...], total: Size, facts: Facts
) -> Reshaped:
    """Pair up runs of axes with equal products, from the left; judge each run."""
    result: list[Axis] = []
    order, moved = Order.KEPT, None
    i = j = 0
    while i < len(source) or j < len(target):
        i_end, j_end = _next_run(source, target, i, j, facts)
        old, new = source[i:i_end], target[j:j_end]
        axes, run_order = _run(old, new, facts)
        result += axes
        if run_order is not Order.KEPT and order is not Order.SCRAMBLED:
            order = run_order
            moved = (old, new) if run_order is Order.SCRAMBLED else None
        i, j = i_end, j_end
    return Reshaped(Shape(tuple(result)), Verdict.EQUAL, order, total, total, moved)


def _next_run(
    source: tuple[Axis, ...], target: tuple[Axis, ...], i: int, j: int, facts: Facts
) -> tuple[int, int]:
    """The ends of the shortest runs from `i` and `j` on that hold equally many elements."""
    lefts = _products(source[i:])
    rights = _products(target[j:])
    shortest: tuple[int, int] | None = None
    for a, left in enumerate(lefts):
        for b, right in enumerate(rights):
            if a + b and facts.compare(left, right) is Verdict.EQUAL and not _ones_only(left, a, b):
                if shortest is None or a + b < sum(shortest):
                    shortest = (a, b)
                break
    if shortest is None:
        return len(source), len(target)
    a, b = shortest
    # Trailing axes of size 1 belong to the last run.
    if i + a == len(source):
        b = len(target) - j if all(axis.is_one for axis in target[j + b :]) else b
    if j + b == len(target):
        a = len(source) - i if all(axis.is_one for axis in source[i + a :]) else a
    return i + a, j + b


def _ones_only(left: Size, a: int, b: int) -> bool:
    """Whether a run would be ones on one side and nothing on the other, with more to come."""
    return left == ONE and (a == 0 or b == 0)


def _products(axes: tuple[Axis, ...]) -> list[Size]:
    products = [ONE]
    for axis in axes:
        assert axis.size is not None
        products.append(products[-1] * axis.size)
    return products


def _run(
    old: tuple[Axis, ...], new: tuple[Axis, ...], facts: Facts
) -> tuple[tuple[Axis, ...], Order]:
    """The axes that one run of equal products gives, and whether their order is kept."""
    solid_old = [axis for axis in old if not axis.is_one]
    solid_new = [axis for axis in new if not axis.is_one]
    if len(solid_old) == 1 and len(solid_new) == 1:
        kept = solid_old[0]
        return tuple(axis if axis.is_one else kept for axis in new), Order.KEPT
    if len(solid_new) == 1:
        merged = Axis(solid_new[0].size, parts=_parts(solid_old))
        return tuple(axis if axis.is_one else merged for axis in new), Order.KEPT
    if len(solid_old) <= 1:
        return _split(solid_old, new, facts), Order.KEPT
    return new, _chain(solid_old, solid_new)


def _parts(axes: list[Axis]) -> tuple[Axis, ...]:
    parts: list[Axis] = []
    for axis in axes:
        parts += axis.parts or (axis,)
    return tuple(parts)


def _split(old: list[Axis], new: tuple[Axis, ...], facts: Facts) -> tuple[Axis, ...]:
    """Split one axis; if it was merged from axes of just these sizes, they come back."""
    parts = old[0].parts if old else ()
    solid = [axis for axis in new if not axis.is_one]
    if len(parts) == len(solid) and all(
        _equal(part, axis, facts) for part, axis in zip(parts, solid, strict=True)
    ):
        back = iter(parts)
        return tuple(axis if axis.is_one else next(back) for axis in new)
    return new


def _chain(old: list[Axis], new: list[Axis]) -> Order:
    """Whether the boundaries inside one run form a chain of divisors."""
    boundaries = [*_products(tuple(old))[1:-1], *_products(tuple(new))[1:-1]]
    for index, a in enumerate(boundaries):
        for b in boundaries[index + 1 :]:
            divides = _divides(a, b)
            if divides is not True:
                return Order.SCRAMBLED if divides is False else Order.UNKNOWN
    return Order.KEPT


def _divides(a: Size, b: Size) -> bool | None:
    """Whether one of two boundaries divides the other, for every size; None if it may for some.

    Numbers decide themselves. Two products of symbols of which neither contains the other divide
    each other only by accident.
    """
    x, y = a.number, b.number
    if x is not None and y is not None:
        return bool(x and y) and (x % y == 0 or y % x == 0)
    if a.divided_by(b) is not None or b.divided_by(a) is not None:
        return True
    if a.factors() is not None and b.factors() is not None and not _has_quotient(a, b):
        return False
    return None


def _has_quotient(*sizes: Size) -> bool:
    from attncheck.algebra.size import Symbol

    return any(type(atom) is not Symbol for size in sizes for atom in size.atoms())
