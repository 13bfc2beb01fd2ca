"""Sizes: integer polynomials over symbols, kept in one canonical form.

Two sizes that are the same polynomial are the same object for every purpose (`==`, `hash`), so
``n_heads * d_k`` equals ``d_k * n_heads`` without anybody thinking about it. ``//`` and ``%`` that
do not come out even become atoms of their own. Nothing here knows about tensors or about Python
source; what is learned on the way (bindings, divisibility) lives in `attncheck.algebra.facts`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

_serials = itertools.count()


class Symbol:
    """A named size that is not known as a number.

    A *flexible* symbol is the unknown axis of an unseen parameter: the first operation that forces
    it binds it. A *rigid* one stands for a size the code names (a constructor argument, a name of
    the dimension table). ``value`` is the number it is known to have in this program, if any;
    ``table`` says that the name belongs to the dimension table, whose distinct names are distinct
    sizes. Symbols are compared by identity: two functions may both say ``T``.
    """

    __slots__ = ("flexible", "name", "positive", "serial", "table", "value")

    def __init__(
        self,
        name: str,
        *,
        flexible: bool = False,
        value: int | None = None,
        table: bool = False,
        positive: bool = True,
    ) -> None:
        self.name = name
        self.flexible = flexible
        self.value = value
        self.table = table
        self.positive = positive
        self.serial = next(_serials)

    def __repr__(self) -> str:
        return self.name


class Quotient:
    """``numerator // denominator`` that is not known to come out even."""

    __slots__ = ("denominator", "name", "numerator", "serial")
    flexible: Final = False
    table: Final = False
    positive: Final = False
    value: Final = None

    def __init__(self, numerator: Size, denominator: Size) -> None:
        self.numerator = numerator
        self.denominator = denominator
        self.name = f"{_factor(numerator)}//{_factor(denominator)}"
        self.serial = -1

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is Quotient
            and self.numerator == other.numerator
            and self.denominator == other.denominator
        )

    def __hash__(self) -> int:
        return hash(("//", self.numerator, self.denominator))

    def __repr__(self) -> str:
        return self.name


class Remainder:
    """``numerator % denominator`` that is not known to be zero."""

    __slots__ = ("denominator", "name", "numerator", "serial")
    flexible: Final = False
    table: Final = False
    positive: Final = False
    value: Final = None

    def __init__(self, numerator: Size, denominator: Size) -> None:
        self.numerator = numerator
        self.denominator = denominator
        self.name = f"{_factor(numerator)}%{_factor(denominator)}"
        self.serial = -1

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is Remainder
            and self.numerator == other.numerator
            and self.denominator == other.denominator
        )

    def __hash__(self) -> int:
        return hash(("%", self.numerator, self.denominator))

    def __repr__(self) -> str:
        return self.name


Atom: TypeAlias = Symbol | Quotient | Remainder
#: A product of atoms, each as often as its power: sorted, without repetition; `()` is 1.
Monomial: TypeAlias = tuple[tuple[Atom, int], ...]


class Size:
    """An integer polynomial over atoms. Immutable; build it with `const`, `of` and operators."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: dict[Monomial, int]) -> None:
        #: monomial -> coefficient, no zero coefficient; never changed after construction
        self.terms: Final = terms
        self._hash: int | None = None

    # -- identity ------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Size and self.terms == other.terms)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    # -- reading -------------------------------------------------------------------------------

    @property
    def number(self) -> int | None:
        """The integer this size is, or None if a symbol is left in it."""
        terms = self.terms
        if not terms:
            return 0
        if len(terms) == 1 and () in terms:
            return terms[()]
        return None

    @property
    def symbol(self) -> Symbol | None:
        """The one symbol this size consists of, or None."""
        if len(self.terms) != 1:
            return None
        ((monomial, coefficient),) = self.terms.items()
        if coefficient != 1 or len(monomial) != 1:
            return None
        atom, power = monomial[0]
        return atom if power == 1 and type(atom) is Symbol else None

    def atoms(self) -> Iterator[Atom]:
        """Every atom that occurs, outermost ones only."""
        for monomial in self.terms:
            for atom, _ in monomial:
                yield atom

    def symbols(self) -> Iterator[Symbol]:
        """Every symbol that occurs, also inside ``//`` and ``%``."""
        for atom in self.atoms():
            if type(atom) is Symbol:
                yield atom
            else:
                assert isinstance(atom, Quotient | Remainder)
                yield from atom.numerator.symbols()
                yield from atom.denominator.symbols()

    def factors(self) -> Monomial | None:
        """The atoms of a size that is one product with coefficient 1, else None."""
        if len(self.terms) != 1:
            return None
        ((monomial, coefficient),) = self.terms.items()
        return monomial if coefficient == 1 else None

    # -- arithmetic ----------------------------------------------------------------------------

    def __add__(self, other: Size | int) -> Size:
        terms = dict(self.terms)
        for monomial, coefficient in _size(other).terms.items():
            total = terms.get(monomial, 0) + coefficient
            if total:
                terms[monomial] = total
            else:
                terms.pop(monomial, None)
        return Size(terms)

    __radd__ = __add__

    def __neg__(self) -> Size:
        return Size({monomial: -coefficient for monomial, coefficient in self.terms.items()})

    def __sub__(self, other: Size | int) -> Size:
        return self + -_size(other)

    def __rsub__(self, other: int) -> Size:
        return _size(other) - self

    def __mul__(self, other: Size | int) -> Size:
        other = _size(other)
        if other is ONE:
            return self
        if self is ONE:
            return other
        terms: dict[Monomial, int] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                monomial = _multiply(left, right)
                total = terms.get(monomial, 0) + a * b
                if total:
                    terms[monomial] = total
                else:
                    terms.pop(monomial, None)
        return Size(terms)

    __rmul__ = __mul__

    def __floordiv__(self, other: Size | int) -> Size:
        other = _size(other)
        exact = self.divided_by(other)
        if exact is not None:
            return exact
        a, b = self.number, other.number
        if a is not None and b:
            return const(a // b)
        return of(Quotient(self, other))

    def __mod__(self, other: Size | int) -> Size:
        other = _size(other)
        if self.divided_by(other) is not None:
            return ZERO
        a, b = self.number, other.number
        if a is not None and b:
            return const(a % b)
        return of(Remainder(self, other))

    def __pow__(self, exponent: int) -> Size:
        result = ONE
        for _ in range(exponent):
            result = result * self
        return result

    def divided_by(self, other: Size) -> Size | None:
        """The exact quotient by a single term (a number, a product), or None."""
        if len(other.terms) != 1:
            return ONE if self == other and other.terms else None
        ((divisor, scale),) = other.terms.items()
        terms: dict[Monomial, int] = {}
        for monomial, coefficient in self.terms.items():
            quotient = _divide(monomial, divisor)
            if quotient is None or coefficient % scale:
                return None
            terms[quotient] = coefficient // scale
        return Size(terms)

    # -- substitution --------------------------------------------------------------------------

    def replace(self, lookup: Callable[[Symbol], Size | None]) -> Size:
        """This size with every symbol that `lookup` knows put in, also inside ``//`` and ``%``."""
        result: Size | None = None
        for monomial, coefficient in self.terms.items():
            product: Size | None = None
            for atom, power in monomial:
                put = _replace_atom(atom, lookup)
                if put is not None:
                    rest = tuple(pair for pair in monomial if pair[0] != atom)
                    product = (Size({rest: coefficient}) * put**power).replace(lookup)
                    break
            if product is None:
                product = Size({monomial: coefficient})
            result = product if result is None else result + product
        return ZERO if result is None else result

    def evaluate(self, values: Mapping[Symbol, int] | None = None) -> int | None:
        """The number this size has, from `values` and from the symbols' own values, or None.

        Raises no error: a division by zero has no value, so it gives None.
        """
        total = 0
        for monomial, coefficient in self.terms.items():
            product = coefficient
            for atom, power in monomial:
                value = _atom_value(atom, values)
                if value is None:
                    return None
                product *= value**power
            total += product
        return total

    # -- writing -------------------------------------------------------------------------------

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        # Constants last, products in the order in which their symbols were made.
        ordered = sorted(self.terms.items(), key=lambda term: (term[0] == (), -_degree(term[0])))
        text = ""
        for monomial, coefficient in ordered:
            sign = "-" if coefficient < 0 else "+"
            body = _monomial_text(monomial, abs(coefficient))
            if not text:
                text = f"-{body}" if sign == "-" else body
            else:
                text += f" {sign} {body}"
        return text

    __repr__ = __str__


def const(value: int) -> Size:
    """The size that is the integer `value`."""
    small = _SMALL.get(value)
    return small if small is not None else Size({(): value})


def of(atom: Atom) -> Size:
    """The size that is one atom."""
    return Size({((atom, 1),): 1})


def product(sizes: list[Size]) -> Size:
    """The product of `sizes`; 1 for none."""
    result = ONE
    for size in sizes:
        result = result * size
    return result


def _size(value: Size | int) -> Size:
    return value if isinstance(value, Size) else const(value)


def _key(pair: tuple[Atom, int]) -> tuple[int, str]:
    return pair[0].serial, pair[0].name


def _multiply(left: Monomial, right: Monomial) -> Monomial:
    if not left:
        return right
    if not right:
        return left
    powers: dict[Atom, int] = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items(), key=_key))


def _divide(monomial: Monomial, divisor: Monomial) -> Monomial | None:
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


def _degree(monomial: Monomial) -> int:
    return sum(power for _, power in monomial)


def _replace_atom(atom: Atom, lookup: Callable[[Symbol], Size | None]) -> Size | None:
    if type(atom) is Symbol:
        return lookup(atom)
    assert isinstance(atom, Quotient | Remainder)
    numerator = atom.numerator.replace(lookup)
    denominator = atom.denominator.replace(lookup)
    if numerator == atom.numerator and denominator == atom.denominator:
        return None
    return numerator // denominator if type(atom) is Quotient else numerator % denominator


def _atom_value(atom: Atom, values: Mapping[Symbol, int] | None) -> int | None:
    if type(atom) is Symbol:
        if values is not None and atom in values:
            return values[atom]
        return atom.value
    assert isinstance(atom, Quotient | Remainder)
    numerator = atom.numerator.evaluate(values)
    denominator = atom.denominator.evaluate(values)
    if numerator is None or not denominator:
        return None
    return numerator // denominator if type(atom) is Quotient else numerator % denominator


def _factor(size: Size) -> str:
    """`size` as it stands in a product or a quotient: in brackets unless it is one plain factor."""
    text = str(size)
    return text if size.symbol is not None or size.number is not None else f"({text})"


def _monomial_text(monomial: Monomial, coefficient: int) -> str:
    factors = [str(coefficient)] if coefficient != 1 or not monomial else []
    for atom, power in monomial:
        name = atom.name if type(atom) is Symbol else f"({atom.name})"
        if len(monomial) == 1 and power == 1 and coefficient == 1:
            name = atom.name
        factors.append(name if power == 1 else f"{name}**{power}")
    return "*".join(factors)


_SMALL: Final[dict[int, Size]] = {n: Size({(): n} if n else {}) for n in range(-8, 1025)}
ZERO: Final = _SMALL[0]
ONE: Final = _SMALL[1]
