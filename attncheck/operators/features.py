"""Sizes that a layer was made for, held against the axes that it is given."""

from __future__ import annotations

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import Axis
from attncheck.algebra.size import Size
from attncheck.operators.events import Clash, Fault


def size_clash(
    axis: Axis, wanted: Size | None, facts: Facts, noun: str, operand: int = 0
) -> Clash | None:
    """Why an axis does not have the size that a layer wants of it, or None.

    ``noun`` is what is counted: "features", "channels". Binds the size of an unseen axis.
    """
    if axis.size is None or wanted is None:
        return None
    verdict = facts.force(axis.size, wanted, noun)
    if not verdict.clashes:
        return None
    text = f"takes {wanted} {noun}, not {axis}"
    return Clash(Fault.FEATURES, text, operand, axis.size, wanted, verdict)


def groups_clash(
    count: Size | None, groups: Size | None, facts: Facts, noun: str = "channels"
) -> Clash | None:
    """Why so many channels are not divided into so many groups, or None."""
    if count is None or groups is None or facts.divisible(count, groups) is not Verdict.DIFFERENT:
        return None
    return Clash(Fault.SPLIT, f"splits {count} {noun} into {groups} groups", 0, count, groups)
