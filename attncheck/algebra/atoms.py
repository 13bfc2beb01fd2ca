"""Atoms, which sizes are made of, and monomials, the products of them.

An atom is a symbol, or a ``//`` or ``%`` that does not come out even. Every atom has a key that no
other one has; monomials are sorted by it, which makes equal products equal tuples.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from attncheck.algebra.size import Size

_serials = itertools.count()


class Symbol:
    """A named size that is not known as a number.

    A *flexible* symbol is the unknown axis of an unseen parameter: the first operation that forces
    it binds it. A *rigid* one stands for a size the code names (a constructor argument, a name of
    the dimension table). ``value`` is the number it is known to have in this program, if any;
    ``table`` says that the name belongs to the dimension table, whose distinct names are distinct
    sizes; ``positive`` that it is at least one. Flexible symbols of one ``kin`` are supposed to be
    one size, which the first operation that pairs them makes sure of. One that ``divides`` is a
    number of parts: code that divides by it does not take it to be 1. ``found`` says that nobody
    knows the size, which has got the name of the variable that holds it. What a number of the code
    ``counts``, positions or features, it is no number of the other. Symbols are compared by
    identity: two functions may both say ``T``.
    """

    __slots__ = (
        "counts",
        "divides",
        "flexible",
        "found",
        "key",
        "kin",
        "name",
        "positive",
        "serial",
        "table",
        "value",
    )

    def __init__(
        self,
        name: str,
        *,
        flexible: bool = False,
        value: int | None = None,
        table: bool = False,
        positive: bool = True,
        kin: str | None = None,
        divides: bool = False,
        found: bool = False,
    ) -> None:
        self.name = name
        self.counts: str | None = None
        self.divides = divides
        self.found = found
        self.kin = kin
        self.flexible = flexible
        self.value = value
        self.table = table
        self.positive = positive
        self.serial = next(_serials)
        #: sorts atoms; no two different atoms have the same
        self.key: tuple[int, ...] = (self.serial,)

    def __repr__(self) -> str:
        return self.name


class Division:
    """An atom made of a numerator and a denominator; built by `Size`, which simplifies first."""

    __slots__ = ("denominator", "key", "numerator")
    sign: str
    #: starts the key; beyond every symbol's, so that divisions come last in a product
    mark: int
    flexible: Final = False
    table: Final = False
    positive: Final = False
    value: Final = None

    def __init__(self, numerator: Size, denominator: Size) -> None:
        self.numerator = numerator
        self.denominator = denominator
        # Both parts say how long they are, so a key has one reading.
        self.key: tuple[int, ...] = (self.mark, *numerator.key(), *denominator.key())

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Division) and self.key == other.key)

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def name(self) -> str:
        """The expression as Python writes it."""
        return f"{_factor(self.numerator)}{self.sign}{_factor(self.denominator)}"

    def __repr__(self) -> str:
        return self.name


class Quotient(Division):
    """``numerator // denominator`` that is not known to come out even."""

    __slots__ = ()
    sign = "//"
    mark = 1 << 62


class Remainder(Division):
    """``numerator % denominator`` that is not known to be zero."""

    __slots__ = ()
    sign = "%"
    mark = (1 << 62) + 1


Atom: TypeAlias = Symbol | Quotient | Remainder
#: A product of atoms, each as often as its power: sorted, without repetition; `()` is 1.
Monomial: TypeAlias = tuple[tuple[Atom, int], ...]


def _atom_key(pair: tuple[Atom, int]) -> tuple[int, ...]:
    return pair[0].key


def term_key(term: tuple[Monomial, int]) -> list[int]:
    """Numbers that no other monomial has."""
    key: list[int] = []
    for atom, power in term[0]:
        key += (power, *atom.key)
    return key


def written_key(term: tuple[Monomial, int]) -> tuple[bool, bool, int, list[int]]:
    """Constants last, what is subtracted behind what is added, long products first."""
    monomial, coefficient = term
    degree = sum(power for _, power in monomial)
    return not monomial, coefficient < 0, -degree, term_key(term)


def multiply(left: Monomial, right: Monomial) -> Monomial:
    """The product of two monomials."""
    if not left:
        return right
    if not right:
        return left
    if len(left) == len(right) == 1:
        (first, power), (second, other) = left[0], right[0]
        if first is second:
            return ((first, power + other),)
        if first.key < second.key:
            return (left[0], right[0])
        if second.key < first.key:
            return (right[0], left[0])
    powers: dict[Atom, int] = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items(), key=_atom_key))


def divide(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """The monomial that times `divisor` is this one, or None."""
    if not divisor:
        return monomial
    powers: dict[Atom, int] = dict(monomial)
    for atom, power in divisor:
        left = powers.get(atom, 0) - power
        if left < 0:
            return None
        if left:
            powers[atom] = left
        else:
            del powers[atom]
    return tuple(powers.items())


def _factor(size: Size) -> str:
    """`size` as it stands in a product or a quotient: in brackets unless it is one plain factor."""
    text = str(size)
    return text if size.symbol is not None or size.number is not None else f"({text})"


def monomial_text(monomial: Monomial, coefficient: int, *, bare: bool) -> str:
    """A product; a division that is all of it stands without brackets if `bare`."""
    factors = [str(coefficient)] if coefficient != 1 or not monomial else []
    alone = bare and coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1
    for atom, power in monomial:
        name = atom.name if alone or type(atom) is Symbol else f"({atom.name})"
        factors.append(name if power == 1 else f"{name}**{power}")
    return "*".join(factors)
