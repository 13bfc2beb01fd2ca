"""What products say of sizes that do not fit: those that are summed over, those of the batch."""

from __future__ import annotations

from collections.abc import Sequence as Items

from attncheck.algebra.broadcast import Broadcast, Pairing, undecided
from attncheck.algebra.contract import Contracted
from attncheck.algebra.facts import Verdict
from attncheck.algebra.quotients import number_and_part
from attncheck.algebra.shape import Axis, Shape
from attncheck.operators.events import Clash, Fault


def contraction_clash(pairs: Items[Contracted], operand: int = 1) -> Clash | None:
    """The clash of the first pair of axes whose sizes differ, or None."""
    for pair in pairs:
        if pair.verdict.clashes:
            text = f"contracts {pair.left} with {pair.right}"
            return Clash(
                Fault.CONTRACTION, text, operand, pair.left.size, pair.right.size, pair.verdict
            )
    return None


def _are_of_one_split(pairing: Pairing) -> bool:
    """Whether heads meet what each of them has: what is contracted tells more of that mistake."""
    left, right = pairing.left, pairing.right
    sizes = (None if left is None else left.size, None if right is None else right.size)
    if sizes[0] is None or sizes[1] is None:
        return False
    return pairing.verdict is Verdict.DISTINCT and number_and_part(sizes[0], sizes[1])


def batch_clash(pairings: Items[Pairing], operand: int = 1) -> Clash | None:
    """The clash of the first batch axes that cannot be broadcast, or None."""
    for pairing in pairings:
        if pairing.verdict.clashes and not _are_of_one_split(pairing):
            assert pairing.left is not None and pairing.right is not None
            text = f"pairs the batch axes {pairing.left} and {pairing.right}"
            left, right = pairing.left.size, pairing.right.size
            return Clash(Fault.BROADCAST, text, operand, left, right, pairing.verdict)
    return None


def unequal_batch(pairs: Items[Contracted]) -> Clash | None:
    """The clash of the first batch axes that differ, where none is stretched; or None."""
    for pair in pairs:
        if pair.verdict.clashes:
            text = f"pairs the batch axes {pair.left} and {pair.right}, which it does not stretch"
            sizes = pair.left.size, pair.right.size
            return Clash(Fault.BROADCAST, text, 1, *sizes, pair.verdict)
    return None


def stretch_clash(spread: Broadcast, target: Shape, given: Shape, operand: int = 0) -> Clash | None:
    """Why a shape cannot be stretched to `target` (the left side of `spread`), or None."""
    for pairing in spread.pairings:
        grows = pairing.left is None or (
            pairing.left.is_one and pairing.right is not None and not pairing.right.is_one
        )
        # An axis more is too much even if it is 1.
        grown = _is_there if pairing.left is None else _is_several
        if pairing.verdict.clashes or (grows and grown(pairing.right)):
            left = pairing.left.size if pairing.left is not None else None
            right = pairing.right.size if pairing.right is not None else None
            text = f"stretches {given} to {target}"
            verdict = pairing.verdict if pairing.verdict.clashes else Verdict.DIFFERENT
            return Clash(Fault.BROADCAST, text, operand, left, right, verdict)
    return None


def _is_there(axis: Axis | None) -> bool:
    """Whether an axis surely exists, with a size that is not an unseen parameter's."""
    if axis is None or axis.size is None:
        return False
    return not any(symbol.flexible for symbol in axis.size.symbols())


def _is_several(axis: Axis | None) -> bool:
    """Whether an axis surely exists, with a size that cannot be 1."""
    return axis is not None and axis.size is not None and not undecided(axis.size)
