"""Calls an operator by a library's own name, on shapes written as text."""

from __future__ import annotations

from typing import Any

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Row, Shape, Tag, expand
from attncheck.algebra.size import Size, Symbol, const, of
from attncheck.frameworks import lookup
from attncheck.operators.call import Call
from attncheck.operators.events import Outcome
from attncheck.values.tensor import Tensor
from attncheck.values.value import Const, Int, Sequence, Value


class Names:
    """Symbols by name: of the dimension table, or (with ``~`` in front) unseen axes."""

    def __init__(self) -> None:
        self.symbols: dict[str, Symbol] = {}
        self.facts = Facts()

    def size(self, text: str) -> Size:
        if text.isdigit():
            return const(int(text))
        flexible = text.startswith("~")
        name = text.lstrip("~")
        if name not in self.symbols:
            self.symbols[name] = Symbol(name, flexible=flexible, table=not flexible)
        return of(self.symbols[name])

    def tensor(self, name: str, text: str, library: str = "torch") -> Tensor:
        """The tensor of a shape such as ``"B T_enc d_h"``; ``...`` is an unknown middle."""
        lead, dots, trail = text.partition("...")
        sides = []
        for offset, side in ((0, lead), (-len(trail.split()), trail)):
            sides.append(
                tuple(
                    Axis(self.size(word), Tag(name, offset + i))
                    for i, word in enumerate(side.split())
                )
            )
        row = Row(name) if dots else None
        return Tensor(Shape(sides[0], row, sides[1]), library, "float")

    def call(self, path: str, *arguments: Any, **keywords: Any) -> Outcome:
        """The outcome of a library call; texts that name a shape go in as tensors."""
        spelling = lookup.find(path)
        assert spelling is not None, path
        bound = spelling.bind(
            [value(argument) for argument in arguments],
            {name: value(argument) for name, argument in keywords.items()},
        )
        assert bound is not None
        return spelling.operator(Call(self.facts, bound, spelling.library, path, serial=7))

    def layer(self, path: str, made: dict[str, Any], *called: Any, **keywords: Any) -> Outcome:
        """The outcome of making a layer with keywords and calling it."""
        layer = lookup.find_layer(path)
        assert layer is not None, path
        making = layer.making.bind([], {name: value(argument) for name, argument in made.items()})
        calling = layer.calling.bind(
            [value(argument) for argument in called],
            {name: value(argument) for name, argument in keywords.items()},
        )
        assert making is not None
        assert calling is not None
        return layer.operator(Call(self.facts, making | calling, layer.library, path, serial=7))

    def told(self, given: Value) -> str:
        """A result in short, with all that was found out: ``[(B, T, d_h), None]``."""
        match given:
            case Sequence(items=items) if items is not None:
                return f"[{', '.join(map(self.told, items))}]"
            case Tensor(shape=shape) if shape is not None:
                return str(expand(shape, self.facts))
            case Const(value=constant):
                return str(constant)
        return "?"


def value(argument: Any) -> Value:
    if isinstance(argument, bool | float | str) or argument is None:
        return Const(argument)
    if isinstance(argument, int):
        return Int(const(argument))
    if isinstance(argument, Size):
        return Int(argument)
    if isinstance(argument, tuple | list):
        return Sequence(tuple(value(item) for item in argument))
    made: Value = argument
    return made


def shape(outcome: Outcome) -> Shape:
    assert isinstance(outcome.value, Tensor)
    assert outcome.value.shape is not None
    return outcome.value.shape


def tags(outcome: Outcome) -> list[str | None]:
    """The births of a result's axes: ``x.0``, with ``'`` for each side further from the left."""
    return [
        None if axis.tag is None else f"{axis.tag.root}.{axis.tag.index}" + "'" * axis.tag.side
        for axis in shape(outcome)
    ]
