"""Marks: what the elements of a tensor say about positions, as one value for each answer.

A mask is traced like a shape. Something decides for each position whether attention may see it
(`Claim`); a `Mark` says which value an element has where it may, and which where it may not:
``tokens != pad`` has 1 for visible positions and 0 for hidden ones, ``(1 - mask) * -1e9`` of it 0
and -1e9. Whatever the program does to the elements is done to these two values, so that neither
spelling nor order matters. A constant is a mark without a claim.
"""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from attncheck.graph import Operation
from attncheck.record import record

#: What is added to scores, or filled in, hides a position if it is at least so far below 0.
HUGE = 1e3
#: Values are combined case by case for so many claims that decide independently.
_MOST_GROUPS = 3


class Kind(enum.StrEnum):
    """What hides positions."""

    PADDING = "padding"
    CAUSAL = "causal"
    #: nothing was measured there: NaN stands in its place
    MISSING = "missing"


#: What a claim lets attention see, and what it hides.
PARTS = {
    Kind.PADDING: ("real positions", "padding"),
    Kind.CAUSAL: ("the past", "the future"),
    Kind.MISSING: ("what is there", "what is missing"),
}


@record
class Claim:
    """What decides which positions are visible, and the operation that says so.

    ``reach`` is of a causal claim: query i sees the keys up to i + reach, where the last query is
    at the last key (0: itself and what is before it; None: not known). ``sees_itself`` is whether
    the code draws the border behind the query's own position, whatever part of the mask is used.
    ``named`` says that the claim rests on what something is called.
    """

    kind: Kind
    origin: Operation
    reach: int | None = None
    sees_itself: bool = True
    named: bool = False


@record
class Mark:
    """The value of an element where its position is visible, and where it is hidden.

    Several claims hide a position together: one of them is enough, unless ``jointly`` says that
    all have to.
    """

    visible: float
    hidden: float
    claims: tuple[Claim, ...] = ()
    jointly: bool = False

    @property
    def is_constant(self) -> bool:
        """Whether all elements have one value."""
        return not self.claims

    @property
    def is_named(self) -> bool:
        """Whether its meaning rests on a name."""
        return any(claim.named for claim in self.claims)

    def agrees(self, other: Mark) -> bool:
        """Whether another mark says the same of the same kinds of positions."""
        kinds = [{(claim.kind, claim.reach) for claim in each.claims} for each in (self, other)]
        values = _same(self.visible, other.visible) and _same(self.hidden, other.hidden)
        return kinds[0] == kinds[1] and values and self.jointly == other.jointly

    def causal(self) -> Claim | None:
        """The causal claim, if it is one of the claims."""
        return next((claim for claim in self.claims if claim.kind is Kind.CAUSAL), None)

    def without_reach(self) -> Mark:
        """The same mark where it is not known any more how far queries see."""
        return replace(self, claims=tuple(replace(claim, reach=None) for claim in self.claims))


def constant(value: float) -> Mark:
    """The mark of a tensor that is `value` throughout."""
    return Mark(value, value)


def hides(value: float) -> bool:
    """Whether a value that is added to scores takes a position out of the softmax."""
    return value <= -HUGE


def combine(function: Callable[..., float], marks: Sequence[Mark]) -> Mark | None:
    """The mark of `function` over corresponding elements; None if it is not one.

    Marks of the same claims change together. Those of different claims decide independently: the
    result is a mark where one of them is enough to hide a position, or where only all of them do.
    """
    groups = list(dict.fromkeys(mark.claims for mark in marks if mark.claims))
    if len(groups) > _MOST_GROUPS:
        return None
    cases = list(itertools.product((True, False), repeat=len(groups)))
    values = []
    for case in cases:
        seen = dict(zip(groups, case, strict=True))
        given = [mark.visible if seen.get(mark.claims, True) else mark.hidden for mark in marks]
        value = _computed(function, given)
        if value is None:
            return None
        values.append(value)
    jointly = any(mark.jointly for mark in marks)
    return _of_cases(values, tuple(dict.fromkeys(itertools.chain(*groups))), jointly)


def _computed(function: Callable[..., float], given: list[float]) -> float | None:
    try:
        value = float(function(*given))
    except (ArithmeticError, ValueError, TypeError):
        return None
    return None if math.isnan(value) else value


def _of_cases(values: list[float], claims: tuple[Claim, ...], jointly: bool) -> Mark | None:
    """A mark from the value where all claims let see, of each mixture, and where none does."""
    visible, *mixed, hidden = values if len(values) > 1 else (*values, *values)
    if _same(visible, hidden) and all(_same(visible, value) for value in mixed):
        return Mark(visible, visible)
    if all(_same(hidden, value, visible) for value in mixed):
        return Mark(visible, hidden, claims, jointly)
    if all(_same(visible, value) for value in mixed):
        return Mark(visible, hidden, claims, jointly=True)
    return None


def _same(value: float, other: float, visible: float | None = None) -> bool:
    """Whether two values say the same: both hide, or (beside a visible 0) both are positive."""
    if value == other or (hides(value) and hides(other)):
        return True
    return visible == 0 and value > 0 and other > 0
