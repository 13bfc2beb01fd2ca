"""The terms of a size, as a table of coefficients: divided term by term, and what they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd
from typing import TypeAlias

from attncheck.algebra.atoms import Atom, Monomial, divide

#: Coefficients by product of atoms, no coefficient zero.
Terms: TypeAlias = Mapping[Monomial, int]


def common(terms: Iterable[Terms]) -> tuple[int, Monomial]:
    """The greatest number and product that divide every term of all these."""
    content = 0
    shared: dict[Atom, int] | None = None
    for each in terms:
        for monomial, coefficient in each.items():
            content = gcd(content, coefficient)
            powers = dict(monomial)
            if shared is None:
                shared = powers
            elif shared:
                both = shared.keys() & powers.keys()
                shared = {a: min(n, powers[a]) for a, n in shared.items() if a in both}
    return content, tuple((shared or {}).items())


def exactly(terms: Terms, divisor: Monomial, scale: int) -> dict[Monomial, int] | None:
    """All terms divided by ``scale * divisor``; None if one of them does not come out even."""
    quotients: dict[Monomial, int] = {}
    for monomial, coefficient in terms.items():
        quotient = divide(monomial, divisor)
        if quotient is None or coefficient % scale:
            return None
        quotients[quotient] = coefficient // scale
    return quotients


def parted(
    terms: Terms, divisor: Monomial, scale: int
) -> tuple[dict[Monomial, int], dict[Monomial, int]]:
    """What of the terms is ``scale * divisor`` times something, as that something, and the rest."""
    whole: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for dividend, coefficient in terms.items():
        quotient = divide(dividend, divisor)
        if quotient is None:
            rest[dividend] = coefficient
            continue
        times, left = divmod(coefficient, scale)
        if times:
            whole[quotient] = times
        if left:
            rest[dividend] = left
    return whole, rest
