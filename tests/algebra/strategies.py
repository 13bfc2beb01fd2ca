"""Random sizes, each with the plain integer arithmetic that it stands for."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from attncheck.algebra.size import Division, Size, Symbol, const, of

#: An expression: a name, a number, or (operator, left, right).
Tree = Any

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}
NAMES = ("a", "b", "c")


def trees(names: Sequence[str] = NAMES, operators: str = "+ - * // %") -> st.SearchStrategy[Tree]:
    """Expressions over `names` and small numbers."""
    leaves = st.sampled_from(names) | st.integers(-3, 6)
    signs = st.sampled_from(operators.split())
    return st.recursive(leaves, lambda inner: st.tuples(signs, inner, inner), max_leaves=6)


def fold(tree: Tree, leaf: Callable[[str | int], Any]) -> Any:
    """The expression computed with whatever `leaf` makes of names and numbers."""
    if isinstance(tree, tuple):
        sign, left, right = tree
        return OPERATORS[sign](fold(left, leaf), fold(right, leaf))
    return leaf(tree)


def size_of(tree: Tree, symbols: Mapping[str, Symbol]) -> Size:
    """The expression as a size."""
    return fold(tree, lambda leaf: of(symbols[leaf]) if isinstance(leaf, str) else const(leaf))


def value_of(tree: Tree, values: Mapping[str, int]) -> int | None:
    """The expression computed by Python; None where it divides by zero."""
    try:
        return fold(tree, lambda leaf: values[leaf] if isinstance(leaf, str) else leaf)
    except ZeroDivisionError:
        return None


def substitutions(symbols: Sequence[Symbol], numbers: Sequence[int]) -> Iterator[dict[Symbol, int]]:
    """Every way to give the symbols these numbers; a symbol of a known value has only that."""
    choices = [numbers if symbol.value is None else (symbol.value,) for symbol in symbols]
    for chosen in itertools.product(*choices):
        yield dict(zip(symbols, chosen, strict=True))


def divisions(size: Size) -> Iterator[Division]:
    """Every ``//`` and ``%`` that is left in a size, also inside others."""
    for atom in size.atoms():
        if isinstance(atom, Division):
            yield atom
            yield from divisions(atom.numerator)
            yield from divisions(atom.denominator)


def evenly(size: Size, values: Mapping[Symbol, int]) -> bool:
    """Whether every division in `size` comes out even and is not of nothing."""
    for atom in divisions(size):
        above, below = atom.numerator.evaluate(values), atom.denominator.evaluate(values)
        if above is None or not below or above % below or not above:
            return False
    return True
