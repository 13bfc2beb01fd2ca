"""Short looks at two sizes, before the long ones: most pairs have nothing to do with each other.

A size has an image: the number that it is modulo a large prime where each symbol is a certain
number and every division comes out even. Sizes that are equal, or equal as long as divisions come
out even, have one image; those that have two need no further look. The reverse proves nothing.
"""

from __future__ import annotations

from typing import Final

from attncheck.algebra.size import Atom, Remainder, Size, Symbol

_PRIME: Final = (1 << 61) - 1
#: The image of a size of which more is known than what its symbols are.
_NONE: Final = -1


def differ(left: Size, right: Size) -> bool:
    """Whether two sizes certainly are not equal by what they are made of.

    Two symbols of one name of the dimension table are equal though they are two.
    """
    one, other = _image(left), _image(right)
    if one == other or _NONE in (one, other):
        return False
    table = [symbol.name for symbol in left.all_symbols | right.all_symbols if symbol.table]
    return len(table) == len(set(table))


def _image(size: Size) -> int:
    if size.image is None:
        size.image = _sum(size)
    return size.image


def _sum(size: Size) -> int:
    total = 0
    for monomial, coefficient in size.terms.items():
        term = coefficient
        for atom, power in monomial:
            factor = _factor(atom)
            if factor == _NONE:
                return _NONE
            term = term * pow(factor, power, _PRIME) % _PRIME
        total += term
    return total % _PRIME


def _factor(atom: Atom) -> int:
    if isinstance(atom, Symbol):
        # Numbers in a row would have sums and products that are equal by chance.
        return _NONE if atom.value is not None else hash((atom.serial, _PRIME)) % _PRIME
    if isinstance(atom, Remainder):
        return _NONE
    above, below = _image(atom.numerator), _image(atom.denominator)
    if above == _NONE or below in (_NONE, 0):
        return _NONE
    return above * pow(below, -1, _PRIME) % _PRIME


def is_open(difference: Size) -> bool:
    """Whether nothing can be said of a difference.

    It has products of most factors on both sides, of symbols of which nothing is known but that
    they are sizes.
    """
    highest, signs = 0, set[bool]()
    for monomial, coefficient in difference.terms.items():
        degree = 0
        for atom, power in monomial:
            if type(atom) is not Symbol or atom.table or atom.divides or atom.value is not None:
                return False
            degree += power
        if degree > highest:
            highest, signs = degree, {coefficient > 0}
        elif degree == highest:
            signs.add(coefficient > 0)
    return len(signs) == 2
