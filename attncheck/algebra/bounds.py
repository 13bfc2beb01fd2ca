"""Signs of sizes: what can be said about ``a <= b`` when every symbol is at least one.

Slices need it: ``x[:, :n]`` has n elements only if the axis has at least n; comparisons need it to
prove that two sizes never meet. The answer is a proof or nothing; "not proved" never means "false".
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from attncheck.algebra.size import Atom, Monomial, Quotient, Remainder, Size, Symbol, of

#: Each elimination of a quotient multiplies the size by its denominator; real sizes need one or
#: two.
_MAX_ELIMINATIONS: Final = 3
#: Larger sums are not expanded in search of a bound.
_MAX_TERMS: Final = 16
_MAX_DEGREE: Final = 6


def never_negative(size: Size) -> bool:
    """Whether `size` is proved to be at least 0 for every value of its symbols from 1 on."""
    return _never_negative(size, _MAX_ELIMINATIONS)


def never_zero(size: Size) -> bool:
    """Whether `size` is proved not to be 0, for symbols and quotients from 1 on.

    A quotient is taken for what it is in a shape, (a part of) the size of an axis that is not
    empty.
    """
    if never_negative(size - 1) or never_negative(-size - 1):
        return True
    return any(_one_sign(low, high) for low, high in _without_quotients(size))


def take_positive(size: Size) -> None:
    """Take it from here on that `size`, where it is one product, is at least 1."""
    if len(size.terms) == 1:
        for symbol in size.symbols():
            symbol.positive = True


def at_least(left: Size, right: Size) -> bool:
    """Whether ``left >= right`` is proved."""
    return never_negative(left - right)


def smaller_of(left: Size | None, right: Size | None) -> Size | None:
    """The smaller of two sizes, if it is proved which one it is."""
    if left is None or right is None:
        return None
    if at_least(right, left):
        return left
    return right if at_least(left, right) else None


def larger_of(left: Size | None, right: Size | None) -> Size | None:
    """The larger of two sizes, if it is proved which one it is."""
    smaller = smaller_of(left, right)
    if smaller is None:
        return None
    return right if smaller is left else left


def _never_negative(size: Size, eliminations: int) -> bool:
    bound = _lower_bound(size)
    if bound is not None and bound >= 0:
        return True
    return eliminations > 0 and any(
        _never_negative(smaller, eliminations - 1) for smaller in _smaller(size)
    )


def _lower_bound(size: Size) -> int | None:
    """A number that `size` never falls below, or None if none is found.

    Every symbol is written as 1 plus something that is at least 0; if no product of these is
    subtracted, the constant that is left is the bound.
    """
    terms = size.terms
    if len(terms) > _MAX_TERMS or not all(map(_natural, size.atoms())):
        return None
    degrees = {monomial: sum(power for _, power in monomial) for monomial in terms}
    highest = max(degrees.values(), default=0)
    subtracted = [monomial for monomial, coefficient in terms.items() if coefficient < 0]
    if any(degrees[monomial] == highest > 0 for monomial in subtracted):
        return None
    if any(subtracted):
        if highest > _MAX_DEGREE:
            return None
        terms = size.substitute(_from_least).terms
        falls = any(monomial and coefficient < 0 for monomial, coefficient in terms.items())
        return None if falls else terms.get((), 0)
    return sum(
        coefficient
        for monomial, coefficient in terms.items()
        if all(type(atom) is Symbol for atom, _ in monomial)
    )


def _from_least(atom: Atom) -> Size:
    return of(atom) + 1 if type(atom) is Symbol else of(atom)


def _natural(atom: Atom) -> bool:
    """Whether an atom is at least 0 (a symbol at least 1)."""
    if type(atom) is Symbol:
        return atom.positive
    assert isinstance(atom, Quotient | Remainder)
    return _natural_division(atom)


@lru_cache(maxsize=1024)
def _natural_division(atom: Quotient | Remainder) -> bool:
    if not _positive(atom.denominator):
        return False
    return type(atom) is Remainder or never_negative(atom.numerator)


def _positive(size: Size) -> bool:
    return never_negative(size - 1)


def _smaller(size: Size) -> Iterator[Size]:
    """Sizes without one of the quotients, each negative wherever `size` is: at most two.

    For b > 0 the quotient a//b is at most a/b and at least (a - b + 1)/b, so ``b*size`` is at least
    what it is with ``b*(a//b)`` replaced by a where it is subtracted, by a - b + 1 where it is
    added.
    """
    signs: set[bool] = set()
    for monomial, coefficient in size.terms.items():
        if (coefficient > 0) in signs:
            continue
        for atom, power in monomial:
            if type(atom) is not Quotient or power != 1 or not _positive(atom.denominator):
                continue
            rest: Monomial = tuple(pair for pair in monomial if pair[0] != atom)
            if not all(_natural(other) for other, _ in rest):
                continue
            signs.add(coefficient > 0)
            bound = atom.numerator
            if coefficient > 0:
                bound = bound - atom.denominator + 1
            kept = size - Size({monomial: coefficient})
            yield kept * atom.denominator + Size({rest: coefficient}) * bound
            break


def _without_quotients(size: Size) -> Iterator[tuple[Size, Size]]:
    """`size` with ``a`` and ``a//b`` written by a quotient q and a rest: at rest 0 and rest b - 1.

    Only where `size` is linear in a, so that all it can be lies between the two.
    """
    for atom in set(size.atoms()):
        if type(atom) is not Quotient or not _positive(atom.denominator):
            continue
        symbol = atom.numerator.symbol
        if symbol is None or not _linear_in(symbol, atom, size):
            continue
        quotient = of(Symbol("q"))
        whole = atom.denominator * quotient
        yield (
            size.substitute({atom: quotient, symbol: whole}.get),
            size.substitute({atom: quotient, symbol: whole + atom.denominator - 1}.get),
        )


def _linear_in(symbol: Symbol, quotient: Quotient, size: Size) -> bool:
    """Whether `symbol` occurs at most once in any product, and inside no other atom."""
    for atom in (*size.atoms(), *quotient.denominator.atoms()):
        if type(atom) is not Symbol and atom != quotient and symbol in set(of(atom).symbols()):
            return False
    if symbol in set(quotient.denominator.symbols()):
        return False
    return all(power == 1 for term in size.terms for atom, power in term if atom is symbol)


def _one_sign(low: Size, high: Size) -> bool:
    return (_positive(low) and _positive(high)) or (_positive(-low) and _positive(-high))
