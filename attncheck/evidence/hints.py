"""What is known of a function's parameters from elsewhere, and whether a hypothesis fits it.

Every other evidence goes before a name: a hypothesis bends to what is declared, and falls if it
cannot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from attncheck.algebra.shape import Shape, shape_of
from attncheck.algebra.size import ZERO, Size, Symbol, of, product
from attncheck.evidence.dimensions import Scope
from attncheck.record import record


@record
class Hints:
    """What other evidence says about the parameters of a function.

    ``ranks`` and ``sizes`` are what call sites pass (None: a size that is no number); ``shapes``
    what is declared, annotated or documented, which goes before any name; ``has_weights`` that the
    function projects its inputs by weights that are not among its parameters.
    """

    ranks: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    has_weights: bool = False


class Fitting:
    """Turns the shapes of one hypothesis from text into `Shape`, minding what is known already.

    What is declared of one parameter renames the table's symbols for all of them: where the states
    are ``(N, S, H)``, the weights end in ``H``.
    """

    def __init__(self, scope: Scope, hints: Hints) -> None:
        self._scope = scope
        self._hints = hints
        self._names: dict[Symbol, Size] = {}
        self._numbers: dict[Symbol, int] = {}

    def fit(self, texts: Mapping[str, str]) -> dict[str, Shape] | None:
        """The shapes by parameter, or None if they contradict a hint."""
        sizes = {
            name: tuple(self._scope.size(token) for token in text.split())
            for name, text in texts.items()
        }
        if not all(self._agrees(name, shape) for name, shape in sizes.items()):
            return None
        # Once more, now that every number is known: a sum is told by its parts.
        if not all(self._counts(name, shape) for name, shape in sizes.items()):
            return None
        return {
            name: shape_of(*(_renamed(size, self._names) for size in shape), root=name)
            for name, shape in sizes.items()
            if name not in self._hints.shapes
        }

    def _agrees(self, name: str, sizes: tuple[Size, ...]) -> bool:
        rank = self._hints.ranks.get(name, len(sizes))
        return rank == len(sizes) and self._counts(name, sizes) and self._renames(name, sizes)

    def _counts(self, name: str, sizes: tuple[Size, ...]) -> bool:
        numbers = self._hints.sizes.get(name)
        if numbers is None:
            return True
        if len(numbers) != len(sizes):
            return False
        for size, number in zip(sizes, numbers, strict=True):
            symbol = size.symbol
            if number is None:
                continue
            if symbol is not None:
                if self._numbers.setdefault(symbol, number) != number:
                    return False
            elif size.evaluate(self._numbers) not in (None, number):
                return False
        return True

    def _renames(self, name: str, sizes: tuple[Size, ...]) -> bool:
        declared = self._hints.shapes.get(name)
        if declared is None:
            return True
        if declared.row is not None:
            return declared.at_least <= len(sizes)
        if len(declared.lead) != len(sizes):
            return False
        own = {size.symbol for size in sizes}
        for size, axis in zip(sizes, declared.lead, strict=True):
            known, symbol = axis.size, size.symbol
            if known is None:
                continue
            if symbol is None:
                if not _may_equal(size, known):
                    return False
            else:
                moved = known != size and known.symbol in own
                if moved or self._names.setdefault(symbol, known) != known:
                    return False
        return True


def _renamed(size: Size, names: Mapping[Symbol, Size]) -> Size:
    """`size` with all names put in at once: where d_s and d_h change places, neither is lost."""
    if not names:
        return size
    total = ZERO
    for monomial, coefficient in size.terms.items():
        factors = [
            (names.get(atom) if isinstance(atom, Symbol) else None) or of(atom)
            for atom, power in monomial
            for _ in range(power)
        ]
        total = total + product(factors) * coefficient
    return total


def _may_equal(left: Size, right: Size) -> bool:
    if left.number is None or right.number is None:
        return True
    return left.number == right.number
