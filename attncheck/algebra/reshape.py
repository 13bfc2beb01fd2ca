"""Reshape: legal in count, and legal in order.

A reshape that only splits and merges neighbours keeps the meaning of every axis; one that does not
(``(B, T, H*D)`` to ``(B, H, T, D)``) deals the elements of one axis out over another although the
counts agree. Both sides are read as boundaries in the flat order of elements (products of the sizes
from the left): the reshape splits and merges exactly when the boundaries of both sides together
form a chain in which each divides the next.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.quotients import cancel_quotients, in_other_parts
from attncheck.algebra.shape import Axis, Cut, Shape, expand
from attncheck.algebra.size import ONE, Atom, Quotient, Size, Symbol, of, product
from attncheck.record import record, replace


class Order(enum.Enum):
    """What a reshape does to the order of elements."""

    KEPT = "kept"
    #: Elements of one axis end up spread over another.
    SCRAMBLED = "scrambled"
    UNKNOWN = "unknown"


@record
class Reshaped:
    """The outcome of a reshape.

    ``shape`` has the sizes that were asked for, also where they cannot be. ``count`` compares the
    numbers of elements; ``before`` and ``after`` are these numbers where they are known.
    ``regrouped`` is, where the order is scrambled, the run of input axes and the run of output axes
    between which elements move.
    """

    shape: Shape
    count: Verdict
    order: Order
    before: Size | None = None
    after: Size | None = None
    regrouped: tuple[tuple[Axis, ...], tuple[Axis, ...]] | None = None


class Infer:
    """The ``-1`` of a reshape: the size that makes the counts agree."""


INFER = Infer()
#: A wanted size: a size, None for one that is not known, or INFER for ``-1``.
Wanted: TypeAlias = Size | Infer | None

_Axes: TypeAlias = tuple[Axis, ...]


def reshape(shape: Shape, wanted: Sequence[Wanted], facts: Facts) -> Reshaped:
    """Reshape to the `wanted` sizes, at most one of them INFER.

    Binds an unseen axis's size where the counts force it. Of an open shape, or with several sizes
    not known, the result has the sizes asked for, and count and order are unknown. Two INFER are
    a count that no shape has.
    """
    shape = expand(shape, facts)
    sizes = [facts.resolve(size) if isinstance(size, Size) else None for size in wanted]
    if shape.row is not None or sizes.count(None) > 1:
        twice = sum(isinstance(size, Infer) for size in wanted) > 1
        count = Verdict.DIFFERENT if twice else Verdict.UNKNOWN
        parts = None if twice else _in_other_parts(shape, sizes, facts)
        if parts is not None:
            count = Verdict.DIFFERENT
        return Reshaped(_asked_for(shape, sizes, facts), count, Order.UNKNOWN, *(parts or ()))
    stand_ins: dict[Symbol, Axis] = {}
    source = _with_stand_ins(_counted(shape.axes, sizes), stand_ins)
    outcome = _reshape(source, sizes, facts, set(stand_ins))
    return _without_stand_ins(outcome, stand_ins) if stand_ins else outcome


def _counted(source: _Axes, sizes: list[Size | None]) -> _Axes:
    """The axes, the only one of unknown size with what the sizes asked for make it, if they do."""
    missing = [place for place, axis in enumerate(source) if axis.size is None]
    if len(missing) != 1 or None in sizes:
        return source
    known = product(axis.size for axis in source if axis.size is not None)
    size = product(size for size in sizes if size is not None).divided_by(known)
    if size is None:
        return source
    (at,) = missing
    return (*source[:at], replace(source[at], size=size), *source[at + 1 :])


def _reshape(
    source: _Axes, sizes: list[Size | None], facts: Facts, unknown: set[Symbol]
) -> Reshaped:
    """Reshape axes of known sizes; the one size that is not known is what the counts make it."""
    before = product(axis.size for axis in source if axis.size is not None)
    after = product(size for size in sizes if size is not None)
    if None in sizes:
        if after.number == 0 or facts.divisible(before, after) is Verdict.DIFFERENT:
            asked = _asked_for(Shape(source), sizes, facts)
            return Reshaped(asked, Verdict.DIFFERENT, Order.UNKNOWN, before, after)
        parts = _in_other_parts(Shape(source), sizes, facts)
        if parts is not None:
            asked = _asked_for(Shape(source), sizes, facts)
            return Reshaped(asked, Verdict.DIFFERENT, Order.UNKNOWN, *parts)
        # It comes out even, or the program stops here. Axes that stay are left out of it, whatever
        # names the two sides have for their sizes.
        kept = _asked_for(Shape(source), sizes, facts)
        missing = _left_over(before, product(size for size in kept.sizes() if size is not None))
        sizes = [missing if size is None else size for size in sizes]
        after, count = before, Verdict.EQUAL
    elif unknown:
        # What is not known must not become what a symbol is bound to.
        count = facts.compare(before, after)
    else:
        count = facts.force(before, after, "a reshape keeps the number of elements")
        source = expand(Shape(source), facts).axes
    if count is not Verdict.EQUAL:
        asked = _asked_for(Shape(source), sizes, facts)
        return Reshaped(asked, count, Order.UNKNOWN, before, after)
    target = tuple(
        Axis(size, made="reshape" if size == ONE else None)
        for size in (None if size is None else facts.resolve(size) for size in sizes)
    )
    if before.number == 0:
        return Reshaped(Shape(target), count, Order.KEPT, before, after)
    axes, order, moved = _regroup(source, target, facts, unknown)
    return Reshaped(Shape(axes), count, order, before, after, moved)


def _in_other_parts(
    shape: Shape, sizes: list[Size | None], facts: Facts
) -> tuple[Size, Size] | None:
    """The size of the last axes and what is to be made of them, if that is never as much.

    ``(B, T, d)`` to ``(B, -1, n, d // n + 1)``: what is left over would have to fit into T. But of
    ``(-1, 3, n, d // n)`` the 3 may be an axis of its own before the d.
    """
    front = 0 if None in sizes else _same(shape.lead, [Axis(size) for size in sizes], facts)
    if None in sizes:
        front = len(sizes) - sizes[::-1].index(None)
    behind = [size for size in sizes[front:] if size is not None]
    after, whole = product(behind), ONE
    for axis in reversed(shape.tail) if len(behind) > 1 else ():
        if axis.size is None:
            break
        whole *= axis.size
        if any(_is_all(whole, behind[at:]) for at in range(1, len(behind))):
            break
        if in_other_parts(whole - after):
            return whole, after
    return None


def _is_all(whole: Size, parts: list[Size]) -> bool:
    """Whether sizes make up a whole, where the divisions in them come out even."""
    return not cancel_quotients(whole - product(parts)).terms


def _left_over(before: Size, after: Size) -> Size:
    """The one size that makes the counts agree.

    Of ``n_heads * (d_model // n_heads)`` features all of ``d_model`` are, or the count of positions
    would have to make up for what the division drops. So ``d_model`` has ``n_heads`` parts of
    ``d_model // n_heads``.
    """
    if (exact := before.divided_by(after)) is not None:
        return exact
    even = cancel_quotients(before).divided_by(cancel_quotients(after))
    divisors = [atom.denominator for atom in after.atoms() if type(atom) is Quotient]
    if even is None and divisors:
        times = product(divisors)
        even = cancel_quotients(before * times).divided_by(cancel_quotients(after * times))
    return before // after if even is None else even


def _asked_for(shape: Shape, sizes: list[Size | None], facts: Facts) -> Shape:
    """The sizes asked for, with the first and the last axes kept as long as they are the same."""
    kept = [Axis(size) for size in sizes]
    front = _same(shape.lead, kept, facts)
    kept[:front] = shape.lead[:front]
    tail = shape.trail if shape.row is not None else shape.lead[front:]
    back = _same(tail[::-1], kept[front:][::-1], facts)
    if back:
        kept[-back:] = tail[-back:]
    return Shape(tuple(kept))


def _same(old: Sequence[Axis], new: Sequence[Axis], facts: Facts) -> int:
    """The number of axes from the front on that have equal sizes."""
    count = 0
    for left, right in zip(old, new, strict=False):
        if not same_size(left, right, facts):
            break
        count += 1
    return count


def same_size(left: Axis, right: Axis, facts: Facts) -> bool:
    """Whether two axes certainly have one size."""
    if left.size is None or right.size is None:
        return False
    return facts.equal(left.size, right.size)


# -- axes of unknown size -----------------------------------------------------------------------


def _with_stand_ins(axes: _Axes, stand_ins: dict[Symbol, Axis]) -> _Axes:
    """The axes with a symbol for each size that is not known, so that they can be counted with."""
    named = []
    for axis in axes:
        if axis.size is not None:
            named.append(axis)
            continue
        symbol = Symbol("?")
        stand_ins[symbol] = axis
        named.append(replace(axis, size=of(symbol), parts=()))
    return tuple(named)


def _without_stand_ins(outcome: Reshaped, stand_ins: dict[Symbol, Axis]) -> Reshaped:
    def known(size: Size | None) -> Size | None:
        return None if size is None or stand_ins.keys() & set(size.symbols()) else size

    def restored(axis: Axis) -> Axis:
        symbol = None if axis.size is None else axis.size.symbol
        if symbol in stand_ins:
            return stand_ins[symbol]
        return replace(axis, size=known(axis.size), parts=tuple(map(restored, axis.parts)))

    moved = outcome.regrouped
    return Reshaped(
        Shape(tuple(map(restored, outcome.shape.axes))),
        outcome.count,
        outcome.order,
        known(outcome.before),
        known(outcome.after),
        moved and (tuple(map(restored, moved[0])), tuple(map(restored, moved[1]))),
    )


# -- order --------------------------------------------------------------------------------------

_Regrouped: TypeAlias = tuple[_Axes, Order, tuple[_Axes, _Axes] | None]


def _regroup(source: _Axes, target: _Axes, facts: Facts, unknown: set[Symbol]) -> _Regrouped:
    """Pair up runs of axes with equal products, from the left; judge each run."""
    result: list[Axis] = []
    order, moved = Order.KEPT, None
    i = j = 0
    while i < len(source) or j < len(target):
        a, b = _next_run(source[i:], target[j:], facts)
        axes, run_order, run_moved = _run(source[i : i + a], target[j : j + b], facts, unknown)
        result += axes
        if run_order is not Order.KEPT and order is not Order.SCRAMBLED:
            order, moved = run_order, run_moved
        i, j = i + a, j + b
    return tuple(result), order, moved


def _next_run(source: _Axes, target: _Axes, facts: Facts) -> tuple[int, int]:
    """The lengths of the shortest runs from the front that hold equally many elements."""
    a, b = _shortest(_products(source), _products(target), facts)
    # Axes of size 1 at the end belong to the last run.
    if a == len(source) and all(axis.is_one for axis in target[b:]):
        b = len(target)
    if b == len(target) and all(axis.is_one for axis in source[a:]):
        a = len(source)
    return a, b


def _shortest(lefts: list[Size], rights: list[Size], facts: Facts) -> tuple[int, int]:
    if lefts and rights and lefts[0] == rights[0]:
        return 1, 1
    best: tuple[int, int] | None = None
    for a, left in enumerate(lefts, 1):
        for b, right in enumerate(rights, 1):
            if best is not None and a + b >= sum(best):
                break
            if facts.equal(left, right):
                best = (a, b)
                break
    return best or (len(lefts), len(rights))


def _products(axes: Iterable[Axis]) -> list[Size]:
    """The number of elements in the first axis, the first two, and so on."""
    products: list[Size] = []
    total = ONE
    for axis in axes:
        assert axis.size is not None
        total = total * axis.size
        products.append(total)
    return products


def _run(old: _Axes, new: _Axes, facts: Facts, unknown: set[Symbol]) -> _Regrouped:
    """The axes that one run of equal products gives, and whether their order is kept."""
    solid_old = tuple(axis for axis in old if not axis.is_one)
    solid_new = tuple(axis for axis in new if not axis.is_one)
    if len(solid_new) == 1 and solid_old:
        whole = _put_back(solid_old, facts)
        if len(whole) > 1:
            whole = (Axis(solid_new[0].size, parts=pieces(whole, facts)),)
        return _filled(old, new, whole), Order.KEPT, None
    apart = pieces(solid_old, facts)
    if len(apart) > len(solid_old):
        # What was merged before comes apart the same way, or it is dealt out anew.
        axes, order, moved = _regroup(apart, solid_new, facts, unknown)
        return _filled(old, new, axes), order, moved and (old, new)
    if len(solid_old) <= 1 or not solid_new:
        # Without an axis on one side, those on the other are of one element together.
        return _filled(old, new, _cut(solid_old, solid_new)), Order.KEPT, None
    order, axes = _chain(solid_old, solid_new, facts, unknown)
    moved = (old, new) if order is Order.SCRAMBLED else None
    return _filled(old, new, axes), order, moved


def _cut(old: _Axes, new: _Axes) -> _Axes:
    """The axes that the only one of `old` is cut into, which remember that they are its pieces."""
    if len(old) != 1:
        return new
    cut = Cut(old[0], tuple(axis.size for axis in new))
    return tuple(replace(axis, piece=(cut, place)) for place, axis in enumerate(new))


def _put_back(axes: _Axes, facts: Facts) -> _Axes:
    """The axes with the whole axis for all of its pieces, where they stand in the order of the cut.

    It has no inner order any more: what was cut into rows of windows can be cut into windows of
    rows next.
    """
    made: list[Axis] = []
    for axis in axes:
        made.append(axis)
        cut, place = axis.piece or (None, 0)
        if cut is None or place + 1 != len(cut.sizes) or len(made) <= place:
            continue
        run = made[-len(cut.sizes) :]
        if all(map(_is_piece, run, [(cut, at) for at in range(place + 1)], [facts] * len(run))):
            made[-len(run) :] = [cut.whole]
    return tuple(made)


def _is_piece(axis: Axis, piece: tuple[Cut, int], facts: Facts) -> bool:
    """Whether an axis is a piece of a cut as it was then."""
    cut, place = piece
    size = cut.sizes[place]
    if axis.piece != piece or axis.size is None or size is None or axis.normalised:
        return False
    return facts.equal(axis.size, size)


def _filled(old: _Axes, new: _Axes, solid: _Axes) -> _Axes:
    """`new` with these axes for those that are not 1; the ones of `old` stay if as many stay."""
    ones = [axis for axis in old if axis.is_one]
    if len(ones) != len(new) - len(solid):
        ones = [axis for axis in new if axis.is_one]
    next_one, next_solid = iter(ones), iter(solid)
    return tuple(next(next_one if axis.is_one else next_solid) for axis in new)


def pieces(axes: _Axes, facts: Facts) -> _Axes:
    """The axes with those that were merged before taken apart again."""
    found: list[Axis] = []
    for axis in axes:
        sizes = [part.size for part in axis.parts if part.size is not None]
        whole = axis.size is not None and 0 < len(sizes) == len(axis.parts)
        if whole and axis.size is not None and _holds(axis.size, sizes, facts):
            found += axis.parts
        else:
            found.append(axis)
    return tuple(found)


def _holds(size: Size, parts: list[Size], facts: Facts) -> bool:
    """Whether an axis still is as large as the parts it was merged from."""
    return facts.equal(size, product(parts))


def _chain(old: _Axes, new: _Axes, facts: Facts, unknown: set[Symbol]) -> tuple[Order, _Axes]:
    """Whether the boundaries inside one run form a chain of divisors, and the axes it gives."""
    lefts, rights = _products(old), _products(new)
    sizes = [axis.size for axis in old + new if axis.size is not None]
    generic = even_divisions(sizes, unknown)
    otherwise = _by_accident([size.substitute(generic.get) for size in sizes], unknown)
    ordered: list[tuple[Size, Size]] = []
    order = Order.KEPT
    for written in lefts[:-1] + rights[:-1]:
        boundary = written.substitute(generic.get)
        place = 0
        for other, _ in ordered:
            if facts.always_divides(other, boundary):
                place += 1
            elif not facts.always_divides(boundary, other):
                order = otherwise
        ordered.insert(place, (boundary, written))
    if order is not Order.KEPT:
        return order, new
    return order, _refined(old, new, [written for _, written in ordered], lefts[-1], rights[-1])


def even_divisions(sizes: list[Size], unknown: set[Symbol]) -> dict[Atom, Size]:
    """Symbols that are divided, written as denominator times quotient, and these quotients.

    ``d_model // n_heads`` comes out even, so ``d_model`` is ``n_heads * q`` and nothing else is
    known of it: whether ``T`` divides it is settled then.
    """
    generic: dict[Atom, Size] = {}
    for size in sizes:
        for atom in size.atoms():
            if type(atom) is not Quotient or atom in generic:
                continue
            symbol = atom.numerator.symbol
            if symbol is None or symbol in generic or symbol in unknown:
                continue
            if symbol not in atom.denominator.symbols():
                generic[atom] = of(Symbol("q"))
                generic[symbol] = atom.denominator * generic[atom]
    return generic


def _by_accident(sizes: list[Size], unknown: set[Symbol]) -> Order:
    """What it means that of two boundaries neither divides the other for every size.

    Sizes that have nothing to do with each other divide each other only by accident. Of an unknown
    size, or where a product is divided and nothing says which factor, nobody can tell.
    """
    atoms = (atom for size in sizes for atom in size.atoms())
    if any(type(atom) is not Symbol or atom in unknown for atom in atoms):
        return Order.UNKNOWN
    return Order.SCRAMBLED


def _refined(old: _Axes, new: _Axes, boundaries: list[Size], before: Size, after: Size) -> _Axes:
    """`new` with the parts that each axis is merged from; as it is where they have no expression.

    ``(B, H*D)`` to ``(B*H, D)``: the first axis is B, and the part H of the other.
    """
    starts = [ONE, *boundaries]
    lefts, rights = _products(old), _products(new)
    axes: list[Axis] = []
    parts: list[Axis] = []
    for index, start in enumerate(starts):
        last = index + 1 == len(starts)
        end = after if last else starts[index + 1]
        size = end.divided_by(start) or (before.divided_by(start) if last else None)
        if size is None:
            return new
        whole = [i for i, left in enumerate(lefts) if left == end and _starts(lefts, i) == start]
        parts.append(old[whole[0]] if whole else Axis(size))
        if last or end in rights:
            wanted = new[len(axes)].size
            axes.append(Axis(wanted, parts=tuple(parts)) if len(parts) > 1 else Axis(wanted))
            parts = []
    return tuple(axes) if len(axes) == len(new) else new


def _starts(products: list[Size], index: int) -> Size:
    return products[index - 1] if index else ONE
