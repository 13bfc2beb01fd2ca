"""Tensors whose axes stand in another order than those of the tensor that they meet.

A bias (T_q, T_k, heads) on scores (B, heads, T_q, T_k) has every axis that it needs, and each of
them in another place.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from attncheck.checks.report import Sizes

#: An order of two axes is a transpose, and of more than five there are too many.
_RANKS = range(3, 6)


def other_orders(x: Sizes, y: Sizes) -> Iterator[tuple[int, Sizes, str]]:
    """Which of two operands may have its axes in another order, and the sizes that it has then.

    Orders in which fewer axes pass others come first, and the operand that has less to it.
    """
    for index, sizes, other in sorted(((0, x, y), (1, y, x)), key=lambda each: _extent(each[1])):
        if len(sizes) not in _RANKS or len(sizes) > len(other):
            continue
        if any(size is None or (size.number != 1 and size not in other) for size in sizes):
            continue
        if any(size is not None and size.number == 1 for size in sizes[1:]):
            continue  # an axis of 1 was put there for what it meets: another order stretches it
        for order in sorted(itertools.permutations(range(len(sizes))), key=_passes)[1:]:
            wanted = tuple(sizes[place] for place in order)
            yield index, wanted, "with its axes in another order"


def _extent(sizes: Sizes) -> tuple[int, int]:
    return len(sizes), sum(size is None or size.number != 1 for size in sizes)


def _passes(order: tuple[int, ...]) -> int:
    """How many pairs of axes an order exchanges."""
    return sum(left > right for left, right in itertools.combinations(order, 2))


def order_of(sizes: Sizes, wanted: Sizes) -> tuple[int, ...] | None:
    """The order in which the axes of a tensor give the sizes that are wanted, or None."""
    left, order = list(range(len(sizes))), []
    for size in wanted:
        place = next((each for each in left if sizes[each] == size), None)
        if place is None or size is None:
            return None
        left.remove(place)
        order.append(place)
    return None if left or order == sorted(order) else tuple(order)
