"""Two sizes made equal: which symbol of their difference is bound, and to what."""

from __future__ import annotations

from attncheck.algebra.size import Size, Symbol


def solve(left: Size, right: Size) -> tuple[Symbol, Size] | None:
    """The symbol to bind, and to what, so that two sizes become equal; None if none stands alone.

    Flexible symbols first, then those that have no number; among these one that becomes a size
    without a minus, which is how the program wrote it.
    """
    difference = (left - right).primitive()
    best: tuple[tuple[bool, bool, bool], Symbol, Size] | None = None
    for monomial, coefficient in difference.terms.items():
        if len(monomial) != 1 or coefficient not in (1, -1):
            continue
        symbol, power = monomial[0]
        if type(symbol) is not Symbol or power != 1:
            continue
        rest = difference - Size({monomial: coefficient})
        value = -rest if coefficient == 1 else rest
        symbols = set(value.symbols())
        subtracts = any(coefficient < 0 for coefficient in value.terms.values())
        if symbol in symbols or (subtracts and any(other.flexible for other in symbols)):
            # Of two unknown axes in a sum, which is the rest of the other is anybody's guess.
            continue
        rank = (not symbol.flexible, symbol.value is not None, subtracts)
        if best is None or rank < best[0]:
            best = (rank, symbol, value)
    return None if best is None else best[1:]
