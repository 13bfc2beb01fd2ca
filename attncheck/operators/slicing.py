"""Slices of one axis: ``lower:upper:step`` with symbolic bounds.

A size is given where it is proved: ``:n`` has n elements only if the axis has at least n, ``1:``
one less than the axis, which has at least one. Bounds that cannot be compared with the axis give an
unknown size; a number that is right only for some sizes would make every later rule wrong.
"""

from __future__ import annotations

from attncheck.algebra.bounds import at_least, larger_of, never_negative, smaller_of
from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import Axis
from attncheck.algebra.size import ONE, ZERO, Size, const
from attncheck.operators.seats import resized
from attncheck.record import replace
from attncheck.values.value import Const, Slice, Value, as_integer, as_size


def slice_axis(axis: Axis, cut: Slice, facts: Facts, *, in_loop: bool = False) -> Axis:
    """The axis that a slice of `axis` is: of the same birth, of a size known where it is proved.

    ``in_loop`` takes ``t:t+1`` for one step of a loop: it is empty only beyond the end of the axis,
    and nobody slices there.
    """
    if _absent(cut.lower) and _absent(cut.upper) and _absent(cut.step):
        return axis
    size = _slice_size(axis.size, cut, facts)
    if size is None and in_loop and _one_step(cut, facts):
        size = ONE
    made = "slice" if size == ONE else None
    if size is None:
        return replace(axis, size=None, parts=(), made=None, limit=_limit(cut, facts))
    return resized(axis, size, facts, made)


def _limit(cut: Slice, facts: Facts) -> Size | None:
    """What ``:n`` leaves at most."""
    upper = _bound(cut.upper, facts)
    at_start = _absent(cut.lower) and _absent(cut.step)
    return upper if at_start and upper is not None and never_negative(upper) else None


def _absent(value: Value | None) -> bool:
    return value is None or (type(value) is Const and value.value is None)


def _slice_size(total: Size | None, cut: Slice, facts: Facts) -> Size | None:
    step = 1 if _absent(cut.step) else as_integer(cut.step) if cut.step is not None else None
    if step is None or step == 0:
        return None
    lower, upper = _bound(cut.lower, facts), _bound(cut.upper, facts)
    if (lower is None and not _absent(cut.lower)) or (upper is None and not _absent(cut.upper)):
        return None
    if step < 0:
        return _backwards(total, lower, upper, -step, facts)
    start = ZERO if lower is None else _clamped(lower, total, facts)
    stop = total if upper is None else _clamped(upper, total, facts)
    return _stepped(start, stop, step, facts)


def _one_step(cut: Slice, facts: Facts) -> bool:
    """Whether a slice is ``t:t+1`` for a variable; it is empty for -1, where nobody slices so."""
    lower, upper = _bound(cut.lower, facts), _bound(cut.upper, facts)
    if lower is None or upper is None or lower.number is not None or not _absent(cut.step):
        return False
    return upper - lower == ONE and (never_negative(lower) or lower.symbol is not None)


def _bound(value: Value | None, facts: Facts) -> Size | None:
    size = None if value is None or _absent(value) else as_size(value)
    return None if size is None else facts.resolve(size)


def _clamped(bound: Size, total: Size | None, facts: Facts) -> Size | None:
    """Where a bound falls in an axis of `total` elements, from 0 to `total`; None if unknown."""
    if bound == ZERO:
        return ZERO
    if never_negative(bound):
        if total is None:
            return None
        if facts.compare(bound, total) is Verdict.EQUAL:
            return total
        return smaller_of(bound, total)
    if total is None or not never_negative(-bound - 1):
        return None
    return larger_of(total + bound, ZERO)


def _stepped(start: Size | None, stop: Size | None, step: int, facts: Facts) -> Size | None:
    if start is None or stop is None:
        return None
    # An axis is never shorter than nothing.
    length = stop if start == ZERO else larger_of(stop - start, ZERO)
    if length is None or step == 1:
        return length
    return ceiling(length, const(step), facts)


def ceiling(size: Size, step: Size, facts: Facts) -> Size:
    """``size / step`` rounded up; without rounding where the step is known to divide."""
    if facts.divisible(size, step) is Verdict.EQUAL:
        return size // step
    return (size + step - 1) // step


def _backwards(
    total: Size | None, lower: Size | None, upper: Size | None, step: int, facts: Facts
) -> Size | None:
    """Slices with a negative step: the whole axis, or bounds and sizes that are all numbers."""
    if lower is None and upper is None:
        return total if step == 1 or total is None else ceiling(total, const(step), facts)
    number = None if total is None else total.number
    first = None if lower is None else lower.number
    last = None if upper is None else upper.number
    if number is None or (lower is not None and first is None):
        return None
    if upper is not None and last is None:
        return None
    return const(len(range(*slice(first, last, -step).indices(number))))


def covers(total: Size, index: Size) -> bool | None:
    """Whether an index is within an axis of `total` elements: True or False where proved."""
    if at_least(index, total) or at_least(-index, total + 1):
        return False
    if never_negative(index) and at_least(total, index + 1):
        return True
    if never_negative(-index - 1) and at_least(total, -index):
        return True
    return None
