"""Calls that a trace has run before on the very same arguments: they give what they gave then.

A stack of equal layers, or a helper called for queries and for keys, runs the same code on the same
shapes over and over. Once a trace has cost a good deal, such a call is taken from the first of its
kind. Its shapes are the same; but where its result came from is not, nor where the axes were born.
"""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass, field

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Shape
from attncheck.record import record, replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import (
    Choice,
    Class,
    Const,
    Function,
    Instance,
    Int,
    Layer,
    Library,
    Mapping,
    Method,
    Parameter,
    Scalar,
    Sequence,
    Unknown,
    Value,
    expanded,
)

#: Calls that a trace runs before any are compared; most never run as many.
FREE_CALLS = 60
#: Values that stand for themselves; an object counts as it is as long as no attribute is set.
_THEMSELVES = frozenset([Class, Function, Instance, Int, Layer, Library, Scalar, Unknown])


class _Other(Exception):
    """A value of which it is not said when it is the same."""


@record
class Begun:
    """A call that is being run: what it is known by, and how many attributes were set before."""

    key: object
    changes: int


@dataclass(slots=True)
class Repeats:
    """What the calls of one trace have given, by function, arguments and attributes."""

    calls: int = 0
    _given: dict[object, Value] = field(default_factory=dict)

    def begin(
        self,
        function: Function,
        arguments: AbstractMapping[str, Value],
        facts: Facts,
        changes: int,
    ) -> Begun | None:
        """A call as it begins, after so many `changes`; None if it is not compared."""
        self.calls += 1
        if self.calls <= FREE_CALLS:
            return None
        try:
            same = tuple(_same(value, facts) for value in arguments.values())
        except _Other:
            return None
        return Begun((function, changes, same), changes)

    def given(self, begun: Begun) -> Value | None:
        """What the same call gave before, or None."""
        return self._given.get(begun.key)

    def note(self, begun: Begun, result: Value, changes: int) -> None:
        """Keep what a call gave that has set no attribute."""
        if changes == begun.changes:
            try:
                self._given[begun.key] = _given_again(result)
            except _Other:
                return


def _same(value: Value, facts: Facts) -> object:
    """What two values have in common that are the same to a function."""
    kind = type(value)
    if kind in _THEMSELVES:
        return value
    if isinstance(value, Tensor | Parameter):
        shape = expanded(value, facts)
        known = None if shape is None else _without_births(shape)
        if isinstance(value, Parameter):
            return value, known
        return known, value.library, value.dtype, value.role, value.evidence, value.optional
    if isinstance(value, Const):
        return type(value.value), value.value
    if isinstance(value, Sequence) and value.items is not None:
        return value.mutable, tuple(_same(item, facts) for item in value.items)
    if isinstance(value, Choice):
        return kind, tuple(_same(option, facts) for option in value.options)
    if isinstance(value, Mapping):
        return value.open, tuple((key, _same(item, facts)) for key, item in value.items)
    if isinstance(value, Method):
        return _same(value.receiver, facts), value.function
    raise _Other


def _given_again(value: Value) -> Value:
    """A result as another call gives it."""
    if isinstance(value, Tensor):
        shape = None if value.shape is None else _without_births(value.shape)
        return replace(value, shape=shape, operation=None, either=(), decided=None)
    if isinstance(value, Sequence) and value.items is not None:
        return replace(value, items=tuple(map(_given_again, value.items)))
    if isinstance(value, Mapping):
        return replace(value, items=tuple((key, _given_again(item)) for key, item in value.items))
    if isinstance(value, Unknown | Const | Int | Scalar):
        return value
    raise _Other


def _without_births(shape: Shape) -> Shape:
    lead, trail = (tuple(map(_without_birth, axes)) for axes in (shape.lead, shape.trail))
    return Shape(lead, shape.row, trail)


def _without_birth(axis: Axis) -> Axis:
    if axis.tag is None and not axis.parts:
        return axis
    return replace(axis, tag=None, parts=tuple(map(_without_birth, axis.parts)))
