"""Divisions that come out even, and what a size that is cut into parts can never be.

Code that splits ``d_model`` into heads relies on ``n_heads * (d_model // n_heads)`` being
``d_model``; nothing here proves that it is.
"""

from __future__ import annotations

from typing import Final

from attncheck.algebra.size import Quotient, Size, Symbol, of

#: Denominators that are cleared one after the other; no size in real code has as many.
_MAX_DENOMINATORS: Final = 8


def cancel_quotients(size: Size) -> Size:
    """`size` with ``b * (a // b)`` written as ``a``: true wherever the division comes out even.

    That it does is what code that splits ``d_model`` into heads relies on; where the numbers are
    known the caller has already compared them.
    """
    for monomial, coefficient in size.terms.items():
        for atom, power in monomial:
            if type(atom) is not Quotient:
                continue
            rest = tuple((a, n - (a == atom)) for a, n in monomial if a != atom or power > 1)
            without = Size({rest: coefficient}).divided_by(atom.denominator)
            if without is not None:
                return cancel_quotients(
                    size - Size({monomial: coefficient}) + without * atom.numerator
                )
    return size


def clear_quotients(size: Size) -> Size:
    """`size` times the denominators in it: zero where `size` is, if all divisions come out even."""
    size = cancel_quotients(size)
    for _ in range(_MAX_DENOMINATORS):
        denominator = next(
            (atom.denominator for atom in size.atoms() if type(atom) is Quotient), None
        )
        if denominator is None or not denominator.terms:
            break
        size = cancel_quotients(size * denominator)
    return size


def undivided(difference: Size) -> Symbol | None:
    """The divisor that is 1 where ``d - d // n`` is nothing; None of any other difference."""
    quotients = [atom for atom in difference.atoms() if type(atom) is Quotient]
    if len(quotients) != 1:
        return None
    (quotient,) = quotients
    whole = quotient.numerator - of(quotient)
    return quotient.denominator.symbol if difference in (whole, -whole) else None


def number_and_part(left: Size, right: Size) -> bool:
    """Whether one size is a number of parts, and the other what each of them has: n and d // n."""
    for number, part in ((left.symbol, right), (right.symbol, left)):
        if number is not None and not number.flexible:
            atoms = list(part.atoms())
            if len(atoms) == 1 and type(atoms[0]) is Quotient and part == of(atoms[0]):
                return atoms[0].denominator.symbol is number
    return False


def in_other_parts(difference: Size) -> bool:
    """Whether a difference is ``n * (d // n + k) - d`` or ``k * n * (d // n) - d``, for no d 0.

    Less than n is left over of d, so that k parts, or one more than the whole, are too many or too
    few. Everything may be multiplied by other sizes.
    """
    quotients = {atom for atom in difference.atoms() if type(atom) is Quotient}
    if len(quotients) != 1:
        return False
    (quotient,) = quotients
    parts = {
        tuple(pair for pair in monomial if pair[0] is not quotient): number
        for monomial, number in difference.terms.items()
        if (quotient, 1) in monomial
    }
    even = cancel_quotients(difference)
    if len(parts) != 1 or quotient.denominator.number is not None:
        return False
    if any(type(atom) is Quotient for atom in even.atoms()):
        return False
    each = Size(parts)
    times = even.divided_by(each)
    if times is not None and times.number is not None:
        return times.number != 0
    whole = (difference - each * of(quotient)).divided_by(quotient.numerator)
    count = None if whole is None else each.divided_by(quotient.denominator * whole)
    return count is not None and count.number is not None and count.number < -1


def falls_short(part: Size, whole: Size) -> bool:
    """Whether a size is always less than another: ``n * (d // (2 * n))`` than d.

    What a division leaves over only makes it less than it is where everything comes out even.
    """
    if any(type(atom) is not Symbol for atom in whole.atoms()):
        return False
    if any(type(atom) not in (Symbol, Quotient) for atom in part.atoms()):
        return False
    if any(number < 0 for number in part.terms.values()):
        return False
    quotients = [atom for atom in part.atoms() if type(atom) is Quotient]
    if not quotients or any(map(_is_mixed, quotients)):
        return False
    rest = clear_quotients(part - whole)
    return bool(rest.terms) and all(number < 0 for number in rest.terms.values())


def _is_mixed(quotient: Quotient) -> bool:
    """Whether a division is one within another, or one of or by a difference."""
    parts = (quotient.numerator, quotient.denominator)
    return any(
        any(type(atom) is not Symbol for atom in part.atoms())
        or any(number < 0 for number in part.terms.values())
        for part in parts
    )
