"""Contraction: the sum over an axis that two tensors share, and the axes that are left.

`contract` is what every product is made of: ``@``, ``bmm``, ``tensordot``, ``einsum``. Free axes of
the right operand that were born where a free axis of the left one was are told apart, so that the
two time axes of ``x @ x.T`` stay the query's and the key's.
"""

from __future__ import annotations

from collections.abc import Sequence

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import Axis
from attncheck.record import record, replace


@record
class Contracted:
    """One pair of axes that a product sums over, and whether their sizes agree."""

    left: Axis
    right: Axis
    verdict: Verdict


def contract(left: Axis, right: Axis, facts: Facts, reason: str) -> Contracted:
    """Sum over a pair of axes: binds a flexible size, reports sizes that differ.

    An axis of size 1 is not stretched: a contraction of 1 with n is an error everywhere. Two sizes
    that nobody knows to be equal are so where the product works: from here on they are taken to be.
    """
    if left.size is None or right.size is None:
        return Contracted(left, right, Verdict.UNKNOWN)
    return Contracted(left, right, facts.require(left.size, right.size, reason))


def tell_apart(left: Sequence[Axis], right: Sequence[Axis]) -> tuple[Axis, ...]:
    """The right operand's free axes, on another side where the left one has the same birth."""
    taken = {axis.tag for axis in left if axis.tag is not None}
    apart = []
    for axis in right:
        tag = axis.tag
        if tag is None:
            apart.append(axis)
            continue
        while tag in taken:
            tag = tag.beside()
        taken.add(tag)
        apart.append(axis if tag is axis.tag else replace(axis, tag=tag))
    return tuple(apart)
