"""What is known about sizes on the path being traced: bindings, equalities, divisibility.

Every fact carries the reason it was learned for, so that a message can name it, and every fact can
be undone: a branch starts with `mark` and ends with `undo`. `Facts.compare` is the one place where
two sizes are judged; it has three honest answers and a fourth for sizes that the dimension table
calls different although nothing in the program proves that their numbers are.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from attncheck.algebra.bounds import never_zero
from attncheck.algebra.glances import differ, is_open
from attncheck.algebra.quotients import (
    clear_quotients,
    falls_short,
    in_other_parts,
    number_and_part,
    undivided,
)
from attncheck.algebra.size import ONE, Atom, Remainder, Size, Symbol, const, of
from attncheck.algebra.solving import solve
from attncheck.record import record

if TYPE_CHECKING:
    from attncheck.algebra.shape import Reading, Row, Shape


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


@record
class Binding:
    """The size a symbol was found to be, and why."""

    size: Size
    reason: str


_NONE: frozenset[Symbol] = frozenset()
#: A point to come back to.
Mark: TypeAlias = int


class Facts:
    """Bindings of symbols and rows, and known divisibilities, with undo."""

    __slots__ = (
        "_bindings",
        "_divisible",
        "_related",
        "_trail",
        "_verdicts",
        "continued",
        "expanded",
        "open_pair",
        "readings",
        "rows",
    )

    def __init__(self) -> None:
        self._bindings: dict[Symbol, Binding] = {}
        self._divisible: dict[tuple[Size, Size], str] = {}
        self._related: dict[tuple[Symbol, Size], str] = {}
        #: two names of the table that this program may use for one size (see `leave_open`)
        self.open_pair: frozenset[str] = frozenset()
        #: what the unknown middle of a shape was found to be
        self.rows: dict[Row, Shape] = {}
        #: axes read from the front of such a middle before it was known, by their position in it
        self.readings: dict[tuple[Row, int], Reading] = {}
        #: shapes seen from one end, by the row that stands for the rest: in whole, and so seen
        self.continued: dict[tuple[Row, None], tuple[Shape, Shape]] = {}
        # The verdicts on resolved sizes, until what they rest on changes.
        self._verdicts: dict[tuple[Size, Size], Verdict] = {}
        #: shapes with all that is known of them put in, by the `id` of the shape, until more is or
        #: less: each shape is kept beside what it became, so that no other has its `id`
        self.expanded: dict[int, tuple[Shape, Shape]] = {}
        # Facts are added, never changed, so the way back is to delete the latest ones.
        self._trail: list[tuple[dict[Any, Any], object]] = []

    # -- undo ----------------------------------------------------------------------------------

    def mark(self) -> Mark:
        """A point that `undo` can come back to."""
        return len(self._trail)

    def undo(self, mark: Mark) -> None:
        """Forget everything learned since `mark`."""
        trail = self._trail
        if len(trail) > mark:
            self.expanded.clear()
        while len(trail) > mark:
            store, key = trail.pop()
            del store[key]
            if store is self._related:
                self._verdicts.clear()

    def learned(self, mark: Mark) -> list[tuple[object, object]]:
        """What was learned since `mark`, as (key, fact): for joining two branches."""
        return [(key, store[key]) for store, key in self._trail[mark:]]

    def bound_since(self, mark: Mark) -> frozenset[Symbol]:
        """The symbols that have been bound since `mark`."""
        if len(self._trail) == mark:
            return _NONE
        return frozenset(
            key
            for store, key in self._trail[mark:]
            if store is self._bindings and isinstance(key, Symbol)
        )

    def resolve_but(self, size: Size, bound: frozenset[Symbol]) -> Size:
        """`size` with all bound symbols put in but these: what it was before they were bound."""
        while any(symbol in self._bindings and symbol not in bound for symbol in size.symbols()):
            size = size.replace(lambda each: None if each in bound else self._lookup(each))
        return size

    def rests_on(self, size: Size, bound: frozenset[Symbol]) -> bool:
        """Whether a size is what it is by the bindings of some symbols."""
        symbols = list(size.symbols())
        for symbol in symbols:
            if symbol in bound:
                return True
            binding = self._bindings.get(symbol)
            if binding is not None:
                symbols += binding.size.symbols()
        return False

    def keep(self, learned: list[tuple[object, object]]) -> None:
        """Learn again what both branches of a join have learned."""
        for key, fact in learned:
            if isinstance(key, Symbol):
                self._store(self._bindings, key, fact)
            elif not isinstance(key, tuple):
                self._store(self.rows, key, fact)
            elif isinstance(key[0], Symbol):
                self._store(self._related, key, fact)
            elif isinstance(key[0], Size):
                self._store(self._divisible, key, fact)
            else:
                self._store(self.continued if key[1] is None else self.readings, key, fact)

    def _store(self, store: dict[Any, Any], key: object, fact: object) -> None:
        if key not in store:
            store[key] = fact
            self._trail.append((store, key))
            self.expanded.clear()
            if store is self._related:
                self._verdicts.clear()

    # -- learning ------------------------------------------------------------------------------

    def bind_row(self, row: Row, shape: Shape) -> None:
        """Record what a shape's unknown middle is."""
        self._store(self.rows, row, shape)

    def read_row(self, row: Row, index: int, reading: Reading) -> None:
        """Record that an axis was read at a position in a shape's unknown middle."""
        self._store(self.readings, (row, index), reading)

    def continue_row(self, row: Row, whole: Shape, part: Shape) -> None:
        """Record that `part`, whose row is `row`, is the shape `whole`, seen from one end."""
        self._store(self.continued, (row, None), (whole, part))

    def relate(self, symbol: Symbol, size: Size) -> None:
        """State that a table symbol belongs to an expression (``d_model`` is ``n_heads*d_k``)."""
        self._store(self._related, (symbol, size), "")

    def leave_open(self, left: str, right: str) -> None:
        """State that two names of the table may be one size in this program.

        Luong's dot score is defined only for ``d_s == d_h`` (Luong et al. 2015, section 3.1).
        """
        self.open_pair = frozenset((left, right))
        self._verdicts.clear()

    def divides(self, divisor: Size, size: Size, reason: str) -> None:
        """Record that `divisor` divides `size`."""
        self._store(self._divisible, (self.resolve(divisor), self.resolve(size)), reason)

    def equate(self, left: Size, right: Size, reason: str) -> Verdict:
        """Make two sizes equal if that is possible; the verdict before doing so.

        A flexible symbol is bound by preference, then one whose number is not known. Where no
        symbol stands alone in the difference nothing is learned. Sizes that only the table calls
        distinct are equal from here on.
        """
        verdict = self.compare(left, right)
        if verdict is Verdict.UNKNOWN or verdict is Verdict.DISTINCT:
            left, right = self.resolve(left), self.resolve(right)
            divisor = undivided((left - right).primitive())
            solution = (divisor, ONE) if divisor is not None else solve(left, right)
            if solution is not None:
                self._store(self._bindings, solution[0], Binding(solution[1], reason))
        return verdict

    def force(self, left: Size, right: Size, reason: str) -> Verdict:
        """Like `equate`, but binds flexible symbols only: what an operation can force.

        EQUAL if that made the two equal.
        """
        verdict = self.meet(left, right)
        if verdict is not Verdict.UNKNOWN:
            return verdict
        solution = solve(self.resolve(left), self.resolve(right))
        if solution is None or not solution[0].flexible:
            return verdict
        self._store(self._bindings, solution[0], Binding(solution[1], reason))
        return Verdict.EQUAL

    def require(self, left: Size, right: Size, reason: str) -> Verdict:
        """Like `force`, for an operation that only works on equal sizes.

        Two sizes that nobody knows to be equal are so where it works: from here on they are taken
        to be, but for two names of the table that are left open, a name and a bare number, and
        unless it takes a difference to say what one of them then is. The verdict stays UNKNOWN.
        """
        verdict = self.force(left, right, reason)
        if verdict is Verdict.UNKNOWN:
            one, other = self.resolve(left), self.resolve(right)
            solution = solve(one, other)
            plain = (
                solution is not None
                and one.number is None
                and other.number is None
                and min(solution[1].terms.values(), default=0) > 0
            )
            if plain and {str(one), str(other)} != self.open_pair:
                assert solution is not None
                self._store(self._bindings, solution[0], Binding(solution[1], reason))
        return verdict

    def reason(self, symbol: Symbol) -> str | None:
        """Why `symbol` was bound, or None if it was not."""
        binding = self._bindings.get(symbol)
        return None if binding is None else binding.reason

    # -- asking --------------------------------------------------------------------------------

    @property
    def has_bindings(self) -> bool:
        """Whether any symbol is bound: if not, every size is already resolved."""
        return bool(self._bindings)

    def resolve(self, size: Size) -> Size:
        """`size` with every bound symbol put in."""
        bindings = self._bindings
        if not bindings:
            return size
        # A symbol is bound only to a size without it and without bound symbols: this ends.
        while not bindings.keys().isdisjoint(size.all_symbols):
            size = size.replace(self._lookup)
        return size

    def _lookup(self, symbol: Symbol) -> Size | None:
        binding = self._bindings.get(symbol)
        return None if binding is None else binding.size

    def compare(self, left: Size, right: Size) -> Verdict:
        """Judge two sizes: equal, different, distinct by the table, or unknown."""
        if left == right:
            return Verdict.EQUAL
        left, right = self.resolve(left), self.resolve(right)
        verdict = self._verdicts.get((left, right))
        if verdict is None:
            verdict = self._compare(left, right)
            self._verdicts[left, right] = self._verdicts[right, left] = verdict
        return verdict

    def equal(self, left: Size, right: Size) -> bool:
        """Whether two sizes are equal: what `compare` says, for who asks for nothing else."""
        left, right = self.resolve(left), self.resolve(right)
        if not self._related and left != right and differ(left, right):
            return False
        return self.compare(left, right) is Verdict.EQUAL

    def meet(self, left: Size, right: Size) -> Verdict:
        """Like `compare`, of the sizes of two axes, which hold something.

        A size and a multiple of it are equal only where both are 0. Parts that are too large,
        ``n * (d // n + 1)``, too many, ``2 * n * (d // n)``, or too few, ``n * (d // (2 * n))``,
        never make up the whole.
        """
        verdict = self.compare(left, right)
        if verdict is Verdict.UNKNOWN:
            one, other = self.resolve(left), self.resolve(right)
            multiples = len(one.terms) == 1 and one.terms.keys() == other.terms.keys()
            short = falls_short(one, other) or falls_short(other, one)
            if multiples or short or in_other_parts(one - other):
                return Verdict.DIFFERENT
        return verdict

    def _compare(self, left: Size, right: Size) -> Verdict:
        a, b = left.symbol, right.symbol
        if a is not None and b is not None and not self._relates(a, b):
            return self._compare_symbols(a, b)
        m, n = left.number, right.number
        if a is not None and n is not None and not self._relates(a, a):
            return _compare_with_number(a, n)
        if b is not None and m is not None and not self._relates(b, b):
            return _compare_with_number(b, m)
        difference = left - right
        number = difference.number
        if number is not None:
            return Verdict.DIFFERENT if number else Verdict.EQUAL
        if not self._related and is_open(difference):
            return Verdict.UNKNOWN
        difference = difference.substitute(_without_remainder).primitive()
        valued = difference.replace(_value)
        if valued is not difference and never_zero(valued):
            return Verdict.DIFFERENT
        verdict = self._compare_names(difference)
        # Without numbers no two sizes are both equal by name and proved to differ.
        if verdict is not Verdict.EQUAL and valued is difference and never_zero(difference):
            return Verdict.DIFFERENT
        named = verdict is not Verdict.UNKNOWN or not number_and_part(left, right)
        return verdict if named else Verdict.DISTINCT

    def _compare_symbols(self, left: Symbol, right: Symbol) -> Verdict:
        """Judge two symbols; those of one name can be different objects (a demo's ``T_enc``)."""
        if left is right:
            return Verdict.EQUAL
        if left.value is not None and right.value is not None and left.value != right.value:
            return Verdict.DIFFERENT
        if left.counts is not None and right.counts not in (None, left.counts):
            return Verdict.DISTINCT
        if not (left.table and right.table) or {left.name, right.name} == self.open_pair:
            return Verdict.UNKNOWN
        return Verdict.EQUAL if left.name == right.name else Verdict.DISTINCT

    def _relates(self, left: Symbol, right: Symbol) -> bool:
        return any(symbol is left or symbol is right for symbol, _ in self._related)

    def _compare_names(self, difference: Size) -> Verdict:
        """Judge a difference whose number is not known, by the names in it.

        Divisions are taken to come out even here: that is what code that splits ``d_model`` into
        heads relies on.
        """
        against_number = False
        for form in self._forms(clear_quotients(difference)):
            plain = _one_symbol_a_name(form).primitive()
            if not plain.terms:
                return Verdict.EQUAL
            if _parts_of_one(plain) is not None:
                return Verdict.DISTINCT
            # A bare number here differs only if a division that need not come out even does.
            if plain.number is not None or _names_against_number(plain):
                against_number = True
                if len(plain.terms) == 2 and plain.replace(_value).number == 0:
                    return Verdict.EQUAL
        if against_number or not all(symbol.table for symbol in difference.symbols()):
            return Verdict.UNKNOWN
        # A product may well be what another name stands for: d_s elements split into heads.
        if not _sums_of_names(difference):
            return Verdict.UNKNOWN
        names = {symbol.name for symbol in difference.symbols()}
        return Verdict.UNKNOWN if names == self.open_pair else Verdict.DISTINCT

    def _forms(self, size: Size) -> Iterator[Size]:
        """`size`, and what it is by the relations: each alone, then all of them."""
        yield size
        symbols = set(size.symbols())
        related = [(symbol, other) for symbol, other in self._related if symbol in symbols]
        for symbol, other in related:
            yield clear_quotients(size.replace({symbol: other}.get))
        if len(related) > 1:
            yield clear_quotients(size.replace(dict(related).get))

    def parts_of_one(self, left: Size, right: Size) -> Symbol | None:
        """The number of parts (heads) that has to be 1 for two sizes to be equal, or None."""
        return _parts_of_one(clear_quotients(self.resolve(left) - self.resolve(right)))

    def is_one(self, size: Size) -> bool:
        """Whether `size` is known to be 1."""
        return self.resolve(size).number == 1

    def divisible(self, size: Size, divisor: Size) -> Verdict:
        """EQUAL if `divisor` divides `size`, DIFFERENT if it does not, else UNKNOWN."""
        size, divisor = self.resolve(size), self.resolve(divisor)
        rest = (size % divisor).replace(_value).number
        if rest is not None:
            return Verdict.DIFFERENT if rest else Verdict.EQUAL
        return Verdict.EQUAL if self.always_divides(divisor, size) else Verdict.UNKNOWN

    def always_divides(self, divisor: Size, size: Size) -> bool:
        """Whether `divisor` divides `size` by what they are, not by the numbers of this program."""
        size, divisor = self.resolve(size), self.resolve(divisor)
        if any(form.divided_by(divisor) is not None for form in self._forms(size)):
            return True
        for known_divisor, known_size in self._divisible:
            times = size.divided_by(self.resolve(known_size))
            if times is None:
                continue
            if (times * self.resolve(known_divisor)).divided_by(divisor) is not None:
                return True
        return False


def _without_remainder(atom: Atom) -> Size | None:
    if type(atom) is not Remainder:
        return None
    return atom.numerator - atom.denominator * (atom.numerator // atom.denominator)


def _value(symbol: Symbol) -> Size | None:
    return None if symbol.value is None else const(symbol.value)


def _compare_with_number(symbol: Symbol, number: int) -> Verdict:
    """Judge a symbol and a bare number, which may be what it stands for."""
    if symbol.value is not None:
        return Verdict.EQUAL if symbol.value == number else Verdict.DIFFERENT
    return Verdict.DIFFERENT if symbol.positive and number < 1 else Verdict.UNKNOWN


def _one_symbol_a_name(size: Size) -> Size:
    """`size` with one symbol for all table symbols of one name."""
    first: dict[str, Size] = {}

    def same(symbol: Symbol) -> Size | None:
        return first.setdefault(symbol.name, of(symbol)) if symbol.table else None

    return size.replace(same)


def _sums_of_names(difference: Size) -> bool:
    """Whether two sizes, what they share divided out, are plain names or sums of names.

    Twice a name is one as well (a bidirectional encoder); a larger number may be what another name
    stands for in this program.
    """
    return all(
        len(monomial) == 1
        and monomial[0][1] == 1
        and type(monomial[0][0]) is Symbol
        and abs(coefficient) <= 2
        for monomial, coefficient in difference.primitive().terms.items()
    )


def _parts_of_one(difference: Size) -> Symbol | None:
    """The number of parts that would have to be 1 for a difference to be zero, or None.

    Code that divides ``d_model`` by ``n_heads`` does not take the two sides of ``d_model`` and
    ``n_heads*d_model`` to be one size.
    """
    for symbol in dict.fromkeys(difference.symbols()):
        if not symbol.divides or symbol.value == 1 or symbol.flexible:
            continue
        times = difference.divided_by(of(symbol) - 1)
        if times is not None and len(times.terms) == 1:
            return symbol
    return None


def _names_against_number(size: Size) -> bool:
    """Whether `size` compares names with a bare number, which may be what they stand for."""
    if () not in size.terms:
        return False
    signs = {coefficient > 0 for monomial, coefficient in size.terms.items() if monomial}
    return len(signs) == 1
