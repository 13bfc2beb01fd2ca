"""Sizes of a layer's constructor in the names that stand there, where a call only shows a number.

What the object of that call was made with may tell: 768 is ``context_dim`` if no other name has it.
Of two that have it nobody knows which was meant.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

from attncheck.algebra.size import Size
from attncheck.checks.constructed import Declared
from attncheck.checks.constructions import Kind, Named, constructions
from attncheck.checks.view import View


def by_numbers(view: View, made: Declared, parts: list[Size]) -> Iterator[str]:
    """How the constructor's function may write a size that is a number in the traced call.

    What was joined of several parts is the sum of them: a name that has its size by chance is not.
    """
    numbers = [part.evaluate() for part in parts]
    counts = Counter(number for number in numbers if number is not None and number > 1)
    if sum(counts.values()) == len(numbers):
        texts = (_written(named, counts) for named in constructions(view, made))
        yield from dict.fromkeys(filter(None, texts))


def _written(named: list[Named], counts: Counter[int]) -> str | None:
    """The sum of numbers, each as often as it is counted, in names."""
    terms: list[str] = []
    for number, count in counts.items():
        text = _singled_out(named, number)
        if text is None:
            return None
        terms.append(text if count == 1 else f"{count} * {_factor(text)}")
    return " + ".join(terms)


def _factor(text: str) -> str:
    return text if text.replace(".", "").isidentifier() else f"({text})"


def _singled_out(named: list[Named], number: int) -> str | None:
    """The one expression of the most likely names that has a number: a name, else one of two."""
    for ways in (_alone(named), _of_two(named)):
        texts = [(kinds, text) for text, value, kinds in ways if value == number]
        if texts:
            best = min(kinds for kinds, _ in texts)
            likely = [text for kinds, text in texts if kinds == best]
            return likely[0] if len(likely) == 1 else None
    return None


def _alone(named: list[Named]) -> Iterator[tuple[str, int, tuple[Kind, ...]]]:
    return ((each.text, each.number, (each.kind,)) for each in named)


def _of_two(named: list[Named]) -> Iterator[tuple[str, int, tuple[Kind, ...]]]:
    """Products, sums and quotients of two names that count something, and doubled ones.

    Each comes with the kinds of its names, the less likely one first.
    """
    several = [each for each in named if each.number > 1]
    for each in several:
        yield f"2 * {each.text}", 2 * each.number, (each.kind, each.kind)
    for one, other in itertools.combinations(several, 2):
        kinds = (max(one.kind, other.kind), min(one.kind, other.kind))
        yield f"{one.text} * {other.text}", one.number * other.number, kinds
        yield f"{one.text} + {other.text}", one.number + other.number, kinds
        larger, smaller = (one, other) if one.number >= other.number else (other, one)
        if larger.number % smaller.number == 0:
            text = f"{larger.text} // {smaller.text}"
            yield text, larger.number // smaller.number, kinds
