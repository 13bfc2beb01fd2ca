"""The transpose that a scrambled reshape stands for: which pieces of its axes change places.

``(B, T, H*D)`` viewed as ``(B*H, T, D)`` takes the pieces ``B, T, H, D``, in which the elements
lie, for ``B, H, T, D``. Every axis of either side is a product of such pieces; they are found as
common divisors of the sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import gcd

from attncheck.algebra.facts import Facts
from attncheck.algebra.reshape import even_divisions, pieces
from attncheck.algebra.shape import Axis
from attncheck.algebra.size import ONE, Size
from attncheck.record import record

#: Trials before the pieces of a reshape are given up.
_MOST_TRIALS = 400


@record
class Piece:
    """A part of an axis on either side of a reshape: its size, and the axes by number."""

    size: Size
    old: int
    new: int


def dealt(old: Sequence[Axis], new: Sequence[Axis], facts: Facts) -> tuple[Piece, ...] | None:
    """The pieces of a reshape in the order in which the elements lie; None if there are no such.

    Axes of `old` that were merged before are taken apart as they were merged: pieces are numbered
    by the axes of `old` as given. Divisions are taken to come out even. Sorted by ``new`` the
    pieces are in the order that the reshape takes them to lie in.
    """
    apart = [(index, part) for index, axis in enumerate(old) for part in pieces((axis,), facts)]
    if any(axis.size is None for _, axis in apart) or any(axis.size is None for axis in new):
        return None
    sizes = [facts.resolve(axis.size) for _, axis in apart if axis.size is not None]
    wanted = [facts.resolve(axis.size) for axis in new if axis.size is not None]
    generic = even_divisions([*sizes, *wanted], set())
    search = _Search([size.substitute(generic.get) for size in sizes])
    search.place(0, ONE, [size.substitute(generic.get) for size in wanted], ())
    if search.best is None:
        return None
    back = {size.substitute(generic.get): size for size in (*wanted, *sizes)}
    return tuple(
        Piece(back.get(piece.size, piece.size), apart[piece.old][0], piece.new)
        for piece in search.best
    )


def stretches(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces of each axis of the old side that stay beside each other, axis by axis."""
    after = sorted(pieces, key=lambda piece: piece.new)
    runs: list[list[Piece]] = []
    for piece in pieces:
        last = runs[-1][-1] if runs else None
        beside = last is not None and after.index(piece) == after.index(last) + 1
        if last is not None and beside and last.old == piece.old:
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return runs


@dataclass(slots=True)
class _Search:
    """Deals the sizes out, each as a whole or in pieces, to the axes of the other side."""

    sizes: list[Size]
    best: tuple[Piece, ...] | None = None
    trials: int = field(default=_MOST_TRIALS)

    def place(self, index: int, rest: Size, open_: list[Size], done: tuple[Piece, ...]) -> None:
        """Deal out what is left (`rest`) of axis ``index - 1``, then the axes from `index` on."""
        self.trials -= 1
        if self.trials < 0 or (self.best is not None and len(done) >= len(self.best)):
            return
        while rest == ONE:
            if index == len(self.sizes):
                if all(size == ONE for size in open_):
                    self.best = done
                return
            rest, index = self.sizes[index], index + 1
        for place, size in enumerate(open_):
            common = _common(rest, size)
            if common == ONE:
                continue
            less, left = rest.divided_by(common), size.divided_by(common)
            if less is not None and left is not None:
                after = [*open_[:place], left, *open_[place + 1 :]]
                self.place(index, less, after, (*done, Piece(common, index - 1, place)))


def _common(left: Size, right: Size) -> Size:
    """The largest common divisor of two products; of sums only a sum itself."""
    if left == right:
        return left
    if len(left.terms) != 1 or len(right.terms) != 1:
        return ONE
    ((a, m),), ((b, n),) = left.terms.items(), right.terms.items()
    powers = dict(b)
    shared = tuple((atom, min(power, powers[atom])) for atom, power in a if atom in powers)
    return Size({shared: gcd(m, n)})
