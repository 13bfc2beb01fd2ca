"""Products of sizes to broken powers: ``d ** -0.5``, and what is left of two of them multiplied."""

from __future__ import annotations

from typing import Final

from attncheck.algebra.size import ONE, Size
from attncheck.record import record

#: Products of more sizes than these are not kept.
_MOST_FACTORS: Final = 4
#: Exponents are kept in steps of this: the root of a root is the smallest that scores need.
_STEP: Final = 0.25


@record
class Powers:
    """The product of sizes to exponents, none of which is 0: ``((d, -0.5),)`` is 1/sqrt(d).

    Without any factor it is the number 1.
    """

    factors: tuple[tuple[Size, float], ...] = ()

    def __mul__(self, other: Powers) -> Powers | None:
        """The product, or None if it has too many factors."""
        exponents = dict(self.factors)
        for size, exponent in other.factors:
            exponents[size] = exponents.get(size, 0.0) + exponent
        factors = tuple((size, exponent) for size, exponent in exponents.items() if exponent)
        return Powers(factors) if len(factors) <= _MOST_FACTORS else None

    def to(self, exponent: float) -> Powers | None:
        """The power, or None if an exponent is no multiple of a quarter."""
        factors = tuple((size, own * exponent) for size, own in self.factors if own * exponent)
        return Powers(factors) if all(own % _STEP == 0 for _, own in factors) else None

    def over(self, other: Powers) -> Powers | None:
        """The quotient, or None if it has too many factors."""
        inverse = other.to(-1.0)
        return None if inverse is None else self * inverse

    @property
    def whole(self) -> Size | None:
        """What is left of it when it is rounded down to a size: ``a // b`` of a/b; else None."""
        if any(exponent % 1 or exponent < -1 for _, exponent in self.factors):
            return None
        above, below = ONE, ONE
        for size, exponent in self.factors:
            if exponent > 0:
                above *= size ** int(exponent)
            else:
                below *= size
        return above if below == ONE else above // below

    def __str__(self) -> str:
        above = [_text(size, exponent) for size, exponent in self.factors if exponent > 0]
        below = [_text(size, -exponent) for size, exponent in self.factors if exponent < 0]
        over = "*".join(above) or "1"
        if not below:
            return over
        return f"{over}/{below[0]}" if len(below) == 1 else f"{over}/({'*'.join(below)})"


def power_of(size: Size) -> Powers:
    """A size as a product of powers."""
    return Powers() if size == ONE else Powers(((size, 1.0),))


def _text(size: Size, exponent: float) -> str:
    if exponent == 0.5:
        return f"sqrt({size})"
    name = str(size) if size.symbol is not None or size.number is not None else f"({size})"
    return name if exponent == 1 else f"{name}**{exponent:g}"
