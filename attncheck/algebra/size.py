"""Sizes: integer polynomials over symbols, kept in one canonical form.

Two sizes that are the same polynomial are the same object for every purpose (`==`, `hash`), so
``n_heads * d_k`` equals ``d_k * n_heads`` without anybody thinking about it. ``//`` and ``%`` that
do not come out even become atoms of their own. Nothing here knows about tensors or about Python
source; what is learned on the way (bindings, divisibility) lives in `attncheck.algebra.facts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from attncheck.algebra.atoms import (
    Atom,
    Division,
    Monomial,
    Quotient,
    Remainder,
    Symbol,
    divide,
    monomial_text,
    multiply,
    term_key,
    written_key,
)
from attncheck.algebra.terms import common, exactly, parted

__all__ = [
    "ONE",
    "ZERO",
    "Atom",
    "Monomial",
    "Quotient",
    "Remainder",
    "Size",
    "Symbol",
    "const",
    "of",
    "product",
]

#: Beyond these a size is no longer a size anybody writes; it becomes a symbol of its own, so that
#: no source text can make the algebra run away.
_MAX_TERMS: Final = 256
_MAX_KEY: Final = 400
_MAX_BITS: Final = 4096


class Size:
    """An integer polynomial over atoms. Immutable; build it with `const`, `of` and operators."""

    __slots__ = ("_hash", "_symbols", "image", "terms")

    def __init__(self, terms: dict[Monomial, int]) -> None:
        #: monomial -> coefficient, no zero coefficient; never changed after construction
        self.terms: Final = terms
        self._hash: int | None = None
        self._symbols: frozenset[Symbol] | None = None
        #: see `attncheck.algebra.glances`
        self.image: int | None = None

    # -- identity ------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Size and self.terms == other.terms)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def key(self) -> tuple[int, ...]:
        """Numbers that no other size has: what sorts ``//`` and ``%`` among each other."""
        key = [len(self.terms)]
        for monomial, coefficient in sorted(self.terms.items(), key=term_key):
            key += (coefficient, len(monomial))
            for atom, power in monomial:
                key += (power, *atom.key)
        return tuple(key)

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
        for monomial in self.terms:
            for atom, _ in monomial:
                if type(atom) is Symbol:
                    yield atom
                else:
                    assert isinstance(atom, Division)
                    yield from atom.numerator.symbols()
                    yield from atom.denominator.symbols()

    @property
    def all_symbols(self) -> frozenset[Symbol]:
        """What `symbols` lists, as a set that is made once."""
        if self._symbols is None:
            self._symbols = frozenset(self.symbols())
        return self._symbols

    def factors(self) -> Monomial | None:
        """The atoms of a size that is one product with coefficient 1, else None."""
        if len(self.terms) != 1:
            return None
        ((monomial, coefficient),) = self.terms.items()
        return monomial if coefficient == 1 else None

    # -- arithmetic ----------------------------------------------------------------------------

    def __add__(self, other: Size | int) -> Size:
        return _sum(self, _size(other), 1)

    __radd__ = __add__

    def __neg__(self) -> Size:
        return Size({monomial: -coefficient for monomial, coefficient in self.terms.items()})

    def __sub__(self, other: Size | int) -> Size:
        return _sum(self, _size(other), -1)

    def __rsub__(self, other: int) -> Size:
        return _sum(_size(other), self, -1)

    def __mul__(self, other: Size | int) -> Size:
        other = _size(other)
        if other is ONE:
            return self
        if self is ONE:
            return other
        if len(self.terms) * len(other.terms) > _MAX_TERMS:
            return _runaway()
        terms: dict[Monomial, int] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                monomial = multiply(left, right)
                total = terms.get(monomial, 0) + a * b
                if total:
                    terms[monomial] = total
                else:
                    terms.pop(monomial, None)
        return _bounded(terms)

    __rmul__ = __mul__

    def __floordiv__(self, other: Size | int) -> Size:
        whole, rest = _split(self, _size(other))
        _, rest, divisor = _reduced(rest, _size(other))
        if not rest.terms and divisor.terms:
            return whole
        a, b = rest.number, divisor.number
        if a is not None and b:
            return whole + a // b
        inner = _lone_quotient(rest)
        if inner is not None and _surely_positive(divisor):
            # floor(floor(a / b) / c) is floor(a / (b*c)) for every c > 0.
            return whole + inner.numerator // (inner.denominator * divisor)
        parts = divisor.symbol
        if parts is not None:
            parts.divides = True
        return whole + _atom(Quotient(rest, divisor))

    def __rfloordiv__(self, other: int) -> Size:
        return _size(other) // self

    def __mod__(self, other: Size | int) -> Size:
        _, rest = _split(self, _size(other))
        scale, rest, divisor = _reduced(rest, _size(other))
        if not rest.terms and divisor.terms:
            return ZERO
        a, b = rest.number, divisor.number
        if a is not None and b:
            return scale * (a % b)
        return scale * _atom(Remainder(rest, divisor))

    def __rmod__(self, other: int) -> Size:
        return _size(other) % self

    def __pow__(self, exponent: int) -> Size:
        """The power.

        Raises ValueError for a negative exponent, of which no size is the result.
        """
        if exponent < 0:
            raise ValueError("a size has no negative power")
        number = self.number
        if number is not None and number * number <= 1:
            return const(number**exponent)
        if exponent > _MAX_BITS:
            return _runaway()
        result, square = ONE, self
        while exponent:
            if exponent & 1:
                result = result * square
            exponent >>= 1
            if exponent:
                square = square * square
        return result

    def divided_by(self, other: Size) -> Size | None:
        """The size that times `other` is this one for every value of the symbols, or None."""
        if not other.terms:
            return None
        if len(other.terms) > 1:
            return _divided_by_sum(self, other)
        ((divisor, scale),) = other.terms.items()
        terms = exactly(self.terms, divisor, scale)
        return None if terms is None else Size(terms)

    def primitive(self) -> Size:
        """This size without the number and the positive atoms that divide it all.

        It is zero exactly where this size is.
        """
        if len(self.terms) < 2:
            return self
        content, shared = common([self.terms])
        shared = tuple(pair for pair in shared if type(pair[0]) is Symbol and pair[0].positive)
        if content == 1 and not shared:
            return self
        return _exactly(self, Size({shared: content}))

    # -- substitution --------------------------------------------------------------------------

    def replace(self, lookup: Callable[[Symbol], Size | None]) -> Size:
        """This size with every symbol that `lookup` knows put in, also inside ``//`` and ``%``.

        All are put in at once: what was put in is not looked up again.
        """
        return self.substitute(lambda atom: lookup(atom) if type(atom) is Symbol else None)

    def substitute(self, lookup: Callable[[Atom], Size | None]) -> Size:
        """Like `replace`, with an answer for whole ``//`` and ``%`` atoms too."""
        changed: Size | None = None
        kept: dict[Monomial, int] = {}
        for monomial, coefficient in self.terms.items():
            left: list[tuple[Atom, int]] = []
            factor: Size | None = None
            for atom, power in monomial:
                put = _replace_atom(atom, lookup)
                if put is None:
                    left.append((atom, power))
                else:
                    factor = put**power if factor is None else factor * put**power
            if factor is None:
                kept[monomial] = coefficient
            else:
                term = Size({tuple(left): coefficient}) * factor
                changed = term if changed is None else changed + term
        return self if changed is None else Size(kept) + changed

    def evaluate(self, values: Mapping[Symbol, int] | None = None) -> int | None:
        """The number this size has, from `values` and from the symbols' own values, or None.

        Raises no error: a division by zero has no value, so it gives None.
        """
        total = 0
        for monomial, coefficient in self.terms.items():
            term = coefficient
            for atom, power in monomial:
                value = _atom_value(atom, values)
                if value is None:
                    return None
                term *= value**power
            total += term
        return total

    # -- writing -------------------------------------------------------------------------------

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        ordered = sorted(self.terms.items(), key=written_key)
        if ordered[0][1] < 0 < ordered[-1][1]:
            ordered.insert(0, ordered.pop())
        text = ""
        for monomial, coefficient in ordered:
            if coefficient > 0:
                body = monomial_text(monomial, coefficient, bare=True)
                text = f"{text} + {body}" if text else body
            else:
                # -a//b would be (-a)//b, but c - a//b is what it says.
                body = monomial_text(monomial, -coefficient, bare=bool(text))
                text = f"{text} - {body}" if text else f"-{body}"
        return text

    __repr__ = __str__


def const(value: int) -> Size:
    """The size that is the integer `value`."""
    small = _SMALL.get(value)
    if small is not None:
        return small
    return Size({(): value}) if value.bit_length() <= _MAX_BITS else _runaway()


def of(atom: Atom) -> Size:
    """The size that is one atom."""
    return Size({((atom, 1),): 1})


def product(sizes: Iterable[Size]) -> Size:
    """The product of `sizes`; 1 for none."""
    result = ONE
    for size in sizes:
        result = result * size
    return result


def _size(value: Size | int) -> Size:
    return value if isinstance(value, Size) else const(value)


def _runaway() -> Size:
    """What stands for a size too large to be kept: a number that equals nothing else."""
    return of(Symbol("huge", positive=False))


def _bounded(terms: dict[Monomial, int]) -> Size:
    for coefficient in terms.values():
        if coefficient.bit_length() > _MAX_BITS:
            return _runaway()
    return Size(terms)


def _atom(division: Quotient | Remainder) -> Size:
    return of(division) if len(division.key) <= _MAX_KEY else _runaway()


# -- sums and divisions -------------------------------------------------------------------------


def _sum(left: Size, right: Size, sign: int) -> Size:
    if not right.terms:
        return left
    terms = dict(left.terms)
    for monomial, coefficient in right.terms.items():
        total = terms.get(monomial, 0) + sign * coefficient
        if total:
            terms[monomial] = total
        else:
            del terms[monomial]
    return Size(terms)


def _split(size: Size, divisor: Size) -> tuple[Size, Size]:
    """`size` as (whole, rest) with ``size == whole*divisor + rest``, `whole` as much as can be."""
    if len(divisor.terms) != 1:
        exact = size.divided_by(divisor)
        return (ZERO, size) if exact is None else (exact, ZERO)
    ((monomial, scale),) = divisor.terms.items()
    whole, rest = parted(size.terms, monomial, scale)
    return Size(whole), Size(rest)


def _reduced(rest: Size, divisor: Size) -> tuple[Size, Size, Size]:
    """What `rest` and `divisor` have in common, and both without it."""
    content, shared = common([rest.terms, divisor.terms])
    scale = ONE
    if divisor.terms and (content != 1 or shared):
        scale = Size({shared: content})
        rest, divisor = _exactly(rest, scale), _exactly(divisor, scale)
    if len(divisor.terms) > 1:
        number, own = common([divisor.terms])
        total = _exactly(divisor, Size({own: number}))
        shorter = rest.divided_by(total)
        if shorter is not None:
            return scale * total, shorter, Size({own: number})
    return scale, rest, divisor


def _exactly(size: Size, part: Size) -> Size:
    """A size divided by what is known to divide it."""
    quotient = size.divided_by(part)
    assert quotient is not None
    return quotient


def _divided_by_sum(size: Size, divisor: Size) -> Size | None:
    """Exact division by several terms: the schoolbook's, largest terms first."""
    atoms = sorted({*size.atoms(), *divisor.atoms()}, key=lambda atom: atom.key)

    def powers(monomial: Monomial) -> list[int]:
        given: dict[Atom, int] = dict(monomial)
        return [given.get(atom, 0) for atom in atoms]

    largest = max(divisor.terms, key=powers)
    scale = divisor.terms[largest]
    quotient: dict[Monomial, int] = {}
    rest = size
    for _ in range(_MAX_TERMS):
        if not rest.terms:
            return Size(quotient)
        top = max(rest.terms, key=powers)
        monomial = divide(top, largest)
        if monomial is None or rest.terms[top] % scale:
            return None
        quotient[monomial] = rest.terms[top] // scale
        rest = rest - Size({monomial: quotient[monomial]}) * divisor
    return None


def _lone_quotient(size: Size) -> Quotient | None:
    monomial = size.factors()
    if monomial is None or len(monomial) != 1 or monomial[0][1] != 1:
        return None
    atom = monomial[0][0]
    return atom if type(atom) is Quotient else None


def _surely_positive(size: Size) -> bool:
    return all(
        coefficient > 0 and all(atom.positive for atom, _ in monomial)
        for monomial, coefficient in size.terms.items()
    )


# -- substitution and text ----------------------------------------------------------------------


def _replace_atom(atom: Atom, lookup: Callable[[Atom], Size | None]) -> Size | None:
    put = lookup(atom)
    if put is not None or type(atom) is Symbol:
        return put
    assert isinstance(atom, Division)
    numerator = atom.numerator.substitute(lookup)
    denominator = atom.denominator.substitute(lookup)
    if numerator is atom.numerator and denominator is atom.denominator:
        return None
    return numerator // denominator if type(atom) is Quotient else numerator % denominator


def _atom_value(atom: Atom, values: Mapping[Symbol, int] | None) -> int | None:
    if type(atom) is Symbol:
        if values is not None and atom in values:
            return values[atom]
        return atom.value
    assert isinstance(atom, Division)
    numerator = atom.numerator.evaluate(values)
    denominator = atom.denominator.evaluate(values)
    if numerator is None or not denominator:
        return None
    return numerator // denominator if type(atom) is Quotient else numerator % denominator


_SMALL: Final[dict[int, Size]] = {n: Size({(): n} if n else {}) for n in range(-8, 1025)}
ZERO: Final = _SMALL[0]
ONE: Final = _SMALL[1]
