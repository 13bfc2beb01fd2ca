"""Random arguments: what samplers draw from, and what they may return (see `harness`)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from attncheck.algebra.size import Size, Symbol, const, of
from attncheck.frameworks.spelling import Spelling
from attncheck.values.value import Value


@dataclass(frozen=True)
class Dim:
    """A size: its number, and the expression that the symbolic variant uses."""

    number: int
    size: Size

    def __repr__(self) -> str:
        return str(self.number) if self.size.number is not None else f"{self.size}={self.number}"

    def __mul__(self, other: Dim | int) -> Dim:
        other = as_dim(other)
        return Dim(self.number * other.number, self.size * other.size)

    __rmul__ = __mul__

    def __add__(self, other: Dim | int) -> Dim:
        other = as_dim(other)
        return Dim(self.number + other.number, self.size + other.size)

    def __floordiv__(self, other: Dim | int) -> Dim:
        other = as_dim(other)
        return Dim(self.number // other.number, self.size // other.size)


def as_dim(value: Dim | int) -> Dim:
    return value if isinstance(value, Dim) else Dim(value, const(value))


@dataclass(frozen=True)
class Array:
    """A tensor argument; integers are drawn from 0 to `below`."""

    sizes: tuple[Dim | int, ...]
    dtype: str = "float"
    below: int = 2

    def __init__(self, *sizes: Dim | int, dtype: str = "float", below: int = 2) -> None:
        object.__setattr__(self, "sizes", sizes)
        object.__setattr__(self, "dtype", dtype)
        object.__setattr__(self, "below", below)

    def __repr__(self) -> str:
        return f"{self.dtype}({', '.join(map(repr, self.sizes))})"


@dataclass(frozen=True)
class Raw:
    """An argument as the model sees it and as the library takes it."""

    value: Value
    real: Any


class Loose(list[Any]):
    """Arguments for a ``*parameter`` that takes them one by one only, not as a tuple."""


Arguments = dict[str, Any]
Sampler = Callable[["Draw", Spelling], Arguments]


@dataclass
class Draw:
    """A source of random sizes and shapes."""

    random: random.Random
    #: how the model will see the arguments; see `harness.KINDS`
    kind: str = "numbers"
    symbols: dict[Symbol, int] = field(default_factory=dict)

    def dim(self, low: int = 2, high: int = 6) -> Dim:
        """A new size with a symbol of its own; now and then the plain number 1."""
        if low <= 1 or self.random.random() < 0.1:
            return as_dim(1)
        symbol = Symbol(f"s{len(self.symbols)}")
        self.symbols[symbol] = self.random.randint(low, high)
        return Dim(self.symbols[symbol], of(symbol))

    def shape(self, low: int = 0, high: int = 4) -> list[Dim]:
        """A shape of a random rank."""
        return [self.dim() for _ in range(self.random.randint(low, high))]

    def other(self, dim: Dim) -> Dim:
        """Usually `dim`, sometimes another size, sometimes 1."""
        chance = self.random.random()
        if chance < 0.75:
            return dim
        return self.dim() if chance < 0.9 else as_dim(1)

    def spoil(self, sizes: list[Dim]) -> list[Dim]:
        """Usually `sizes`, sometimes with one size changed, or with an axis more or less."""
        chance = self.random.random()
        sizes = list(sizes)
        if chance < 0.7 or not sizes:
            return sizes
        index = self.random.randrange(len(sizes))
        if chance < 0.9:
            sizes[index] = self.other(self.dim())
        elif chance < 0.95:
            del sizes[index]
        else:
            sizes.insert(index, self.dim())
        return sizes

    def broadcast(self, sizes: list[Dim]) -> list[Dim]:
        """A shape that usually broadcasts against `sizes`."""
        kept = [as_dim(1) if self.chance(0.2) else size for size in sizes]
        if self.chance(0.3):
            kept = kept[self.random.randint(0, len(kept)) :]
        elif self.chance(0.1):
            kept = [self.dim(), *kept]
        return self.spoil(kept)

    def axis(self, rank: int) -> int:
        """An axis number of either sign, out of range now and then."""
        if rank == 0 or self.chance(0.05):
            return self.random.choice([rank, -rank - 1, -rank - 2, rank + 1])
        return self.random.randint(-rank, rank - 1)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def choice(self, options: Any) -> Any:
        return self.random.choice(options)
