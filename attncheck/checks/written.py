"""What is written into a part of a tensor and does not fit there: ``pe[:, 1::2] = cos(...)``.

Of an odd number of columns every other one from the first on are one more than every other one from
the second on, so a table of as many sines as cosines only works for an even width.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.size import Size, Symbol
from attncheck.checks import plain
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.rule import Rule
from attncheck.values.value import as_tensor

#: How many sizes are looked at of either parity.
_STEPS = 3
_PARITIES = ("even", "odd")


def misfit(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """The report of a tensor that does not broadcast to the part that it is written into."""
    clash, part = operation.clash, view.sizes(as_tensor(operation.output))
    assert clash is not None
    for report in plain.report(rule, operation, view):
        own = None if report.culprit is None else view.sizes(report.culprit.tensor)
        if own is not None and part is not None and len(own) <= len(part):
            report.expected = part[len(part) - len(own) :]
            report.derivation = f"as many as `{view.quote(operation.node)}` has places"
        odd = by_parity(clash.left, clash.right)
        if odd is not None:
            symbol, parity = odd
            report.hidden = f"hidden while {symbol.name} is {_PARITIES[1 - parity]}"
        yield report


def by_parity(left: Size | None, right: Size | None) -> tuple[Symbol, int] | None:
    """The symbol, and 1 if it is odd or 0 if even, for which alone two sizes differ; or None."""
    if left is None or right is None:
        return None
    symbols = {*left.symbols(), *right.symbols()}
    if len(symbols) != 1:
        return None
    (symbol,) = symbols
    differ = [
        left.evaluate({symbol: number}) != right.evaluate({symbol: number})
        for number in range(2, 2 + 2 * _STEPS)
    ]
    for parity in (0, 1):
        if differ == [number % 2 == parity for number in range(2, 2 + 2 * _STEPS)]:
            return symbol, parity
    return None
