"""What is known about sizes on the path being traced: bindings, equalities, divisibility.

Every fact carries the reason it was learned for, so that a message can name it, and every fact can
be undone: a branch starts with `mark` and ends with `undo`. `Facts.compare` is the one place where
two sizes are judged; it has three honest answers and a fourth for sizes that the dimension table
calls different although nothing in the program proves that their numbers are.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

from attncheck.algebra.size import Quotient, Size, Symbol, of


class Verdict(enum.Enum):
    """How two sizes compare."""

    EQUAL = "equal"
    #: Proved: the numbers differ, or differ for every size of at least one.
    DIFFERENT = "different"
    #: Two names of the dimension table; the numbers may coincide in a given program.
    DISTINCT = "distinct"
    UNKNOWN = "unknown"

    @property
    def clashes(self) -> bool:
        """Whether an operation that needs the two to be equal is wrong."""
        return self is Verdict.DIFFERENT or self is Verdict.DISTINCT


@dataclass(frozen=True, slots=True)
class Binding:
    """The size a symbol was found to be, and why."""

    size: Size
    reason: str


#: A point to come back to.
Mark: TypeAlias = int


class Facts:
    """Bindings of symbols and rows, and known divisibilities, with undo."""

    __slots__ = ("_bindings", "_divisible", "_related", "_trail", "rows")

    def __init__(self) -> None:
        self._bindings: dict[Symbol, Binding] = {}
        self._divisible: dict[tuple[Size, Size], str] = {}
        self._related: list[tuple[Symbol, Size]] = []
        #: what the unknown middle of a shape was found to be (see `attncheck.algebra.shape.Row`)
        self.rows: dict[object, object] = {}
        self._trail: list[tuple[dict[object, object], object]] = []

    # -- undo ----------------------------------------------------------------------------------

    def mark(self) -> Mark:
        """A point that `undo` can come back to."""
        return len(self._trail)

    def undo(self, mark: Mark) -> None:
        """Forget everything learned since `mark`."""
        trail = self._trail
        while len(trail) > mark:
            store, key = trail.pop()
            del store[key]

    def learned(self, mark: Mark) -> list[tuple[object, object]]:
        """What was learned since `mark`, as (key, fact): for joining two branches."""
        return [(key, store[key]) for store, key in self._trail[mark:]]

    def keep(self, learned: list[tuple[object, object]]) -> None:
        """Learn again what both branches of a join have learned."""
        for key, fact in learned:
            if isinstance(fact, Binding):
                self._store(self._bindings, key, fact)
            elif isinstance(key, tuple):
                self._store(self._divisible, key, fact)
            else:
                self._store(self.rows, key, fact)

    def bind_row(self, row: object, shape: object) -> None:
        """Record what a shape's unknown middle is."""
        self._store(self.rows, row, shape)

    def _store(self, store: object, key: object, fact: object) -> None:
        assert isinstance(store, dict)
        if key not in store:
            store[key] = fact
            self._trail.append((store, key))

    # -- learning ------------------------------------------------------------------------------

    def relate(self, symbol: Symbol, size: Size) -> None:
        """State that a table symbol belongs to an expression (``d_model`` is ``n_heads*d_k``)."""
        self._related.append((symbol, size))

    def divides(self, divisor: Size, size: Size, reason: str) -> None:
        """Record that `divisor` divides `size`."""
        self._store(self._divisible, (self.resolve(divisor), self.resolve(size)), reason)

    def equate(self, left: Size, right: Size, reason: str) -> Verdict:
        """Make two sizes equal if that is possible; the verdict before doing so.

        A flexible symbol is bound by preference, then a rigid one. Where neither side is a lone
        symbol nothing is learned.
        """
        left, right = self.resolve(left), self.resolve(right)
        verdict = self.compare(left, right)
        if verdict is not Verdict.UNKNOWN:
            return verdict
        for one, other in _by_flexibility(left, right):
            symbol = one.symbol
            if symbol is not None and symbol not in set(other.symbols()):
                self._store(self._bindings, symbol, Binding(other, reason))
                break
        return verdict

    def force(self, left: Size, right: Size, reason: str) -> Verdict:
        """Like `equate`, but binds flexible symbols only: what an operation can force."""
        left, right = self.resolve(left), self.resolve(right)
        verdict = self.compare(left, right)
        if verdict is not Verdict.UNKNOWN:
            return verdict
        for one, other in ((left, right), (right, left)):
            symbol = one.symbol
            if symbol is not None and symbol.flexible and symbol not in set(other.symbols()):
                self._store(self._bindings, symbol, Binding(other, reason))
                return Verdict.EQUAL
        return verdict

    def reason(self, symbol: Symbol) -> str | None:
        """Why `symbol` was bound, or None if it was not."""
        binding = self._bindings.get(symbol)
        return None if binding is None else binding.reason

    @property
    def has_bindings(self) -> bool:
        """Whether any symbol is bound: if not, every size is already resolved."""
        return bool(self._bindings)

    # -- asking --------------------------------------------------------------------------------

    def resolve(self, size: Size) -> Size:
        """`size` with every bound symbol put in."""
        bindings = self._bindings
        if not bindings:
            return size
        for symbol in size.symbols():
            if symbol in bindings:
                return size.replace(self._lookup)
        return size

    def _lookup(self, symbol: Symbol) -> Size | None:
        binding = self._bindings.get(symbol)
        return None if binding is None else binding.size

    def compare(self, left: Size, right: Size) -> Verdict:
        """Judge two sizes: equal, different, distinct by the table, or unknown."""
        if left == right:
            return Verdict.EQUAL
        left, right = self.resolve(left), self.resolve(right)
        difference = left - right
        number = difference.number
        if number is not None:
            return Verdict.DIFFERENT if number else Verdict.EQUAL
        difference = cancel_quotients(difference)
        if difference.number == 0:
            return Verdict.EQUAL
        if self._related and self._equal_by_relation(difference):
            return Verdict.EQUAL
        if _never_zero(difference):
            return Verdict.DIFFERENT
        value = difference.evaluate()
        if value is not None:
            if value:
                return Verdict.DIFFERENT
            if _one_name_and_a_number(difference):
                return Verdict.EQUAL
        if all(symbol.table for symbol in difference.symbols()):
            return _by_name(difference)
        return Verdict.UNKNOWN

    def _equal_by_relation(self, difference: Size) -> bool:
        related = dict(self._related)
        expanded = cancel_quotients(difference.replace(related.get))
        return expanded.number == 0

    def is_one(self, size: Size) -> bool:
        """Whether `size` is known to be 1."""
        return self.resolve(size).number == 1

    def divisible(self, size: Size, divisor: Size) -> Verdict:
        """EQUAL if `divisor` divides `size`, DIFFERENT if it does not, else UNKNOWN."""
        size, divisor = self.resolve(size), self.resolve(divisor)
        if size.divided_by(divisor) is not None or (divisor, size) in self._divisible:
            return Verdict.EQUAL
        a, b = size.evaluate(), divisor.evaluate()
        if a is not None and b:
            return Verdict.DIFFERENT if a % b else Verdict.EQUAL
        return Verdict.UNKNOWN


def cancel_quotients(size: Size) -> Size:
    """`size` with ``b * (a // b)`` written as ``a``: true wherever the division comes out even.

    That it does is what code that splits ``d_model`` into heads relies on; where the numbers are
    known the caller has already compared them.
    """
    result = size
    for monomial, coefficient in size.terms.items():
        for atom, power in monomial:
            if type(atom) is not Quotient or power != 1:
                continue
            rest = Size({tuple(pair for pair in monomial if pair[0] != atom): coefficient})
            without = rest.divided_by(atom.denominator)
            if without is not None:
                result = result - Size({monomial: coefficient}) + without * atom.numerator
                return cancel_quotients(result)
    return result


def _by_flexibility(left: Size, right: Size) -> tuple[tuple[Size, Size], ...]:
    symbol = left.symbol
    if symbol is not None and symbol.flexible:
        return (left, right), (right, left)
    return (right, left), (left, right)


def _never_zero(size: Size) -> bool:
    """Whether `size` cannot be zero while every symbol in it is at least one."""
    signs = {coefficient > 0 for coefficient in size.terms.values()}
    if len(signs) != 1:
        return False
    return any(all(atom.positive for atom, _ in monomial) for monomial in size.terms)


def _one_name_and_a_number(size: Size) -> bool:
    """Whether `size` compares one symbol with a bare number."""
    return () in size.terms and len(size.terms) == 2


def _by_name(difference: Size) -> Verdict:
    """Judge two sizes made of table symbols: the same names are equal, other names distinct.

    Symbols of one name can be different objects (a demo's ``T_enc = 5`` and the table's own).
    """
    if _one_name_and_a_number(difference):
        return Verdict.UNKNOWN
    first: dict[str, Size] = {}
    merged = difference.replace(
        lambda symbol: None
        if first.setdefault(symbol.name, of(symbol)).symbol is symbol
        else first[symbol.name]
    )
    return Verdict.DISTINCT if merged.terms else Verdict.EQUAL
