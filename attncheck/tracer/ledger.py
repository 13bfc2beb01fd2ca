"""What following calls costs, and when it is no longer worth it.

A file of models calls the same few functions from many places, each of which would run them again,
with everything that they call. Once a file has cost a good deal and several roots have run a
function, others take from it what it gave for arguments of the same kinds: as many axes, of sizes
that nobody knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from attncheck.algebra.facts import Facts
from attncheck.record import replace
from attncheck.tracer.sketches import Sketch, filled, sketch_of
from attncheck.values.tensor import Tensor
from attncheck.values.value import (
    UNKNOWN,
    Choice,
    Const,
    Function,
    Instance,
    Int,
    Parameter,
    Sequence,
    Unknown,
    Value,
    expanded,
)

#: Steps that a file may take before any call is spared; small files are followed everywhere.
FREE_STEPS = 800
#: How many roots run a function for themselves.
ROOTS = 2


@dataclass(slots=True)
class _Account:
    roots: set[object] = field(default_factory=set)
    #: by what the function was called on: the kind of what it gave, or that itself where it is
    #: nothing that has a shape; None where calls gave different things
    given: dict[object, Sketch | Tensor | Unknown | None] = field(default_factory=dict)


@dataclass(slots=True)
class Ledger:
    """The accounts of all functions of one file, and the steps that all traces have taken."""

    steps: int = 0
    saving: bool = True
    #: what methods have left as it was that make an object ready: see `alike_to`
    left_alone: set[object] = field(default_factory=set)
    _accounts: dict[Function, _Account] = field(default_factory=dict)

    def spared(
        self, function: Function, root: object, arguments: Mapping[str, Value], facts: Facts
    ) -> Value | None:
        """What a call gives that is not worth running; None for one that is."""
        if not self.saving or self.steps < FREE_STEPS:
            return None
        account = self._accounts.get(function)
        if account is None or len(account.roots) < ROOTS or root in account.roots:
            return None
        given = account.given.get(_kinds(arguments, facts))
        return filled(given, function.name) if isinstance(given, Sketch) else given

    def note(
        self,
        function: Function,
        root: object,
        arguments: Mapping[str, Value],
        result: Value,
        facts: Facts,
    ) -> None:
        """Enter a call that was run; two that gave different things say nothing of a third."""
        account = self._accounts.setdefault(function, _Account())
        account.roots.add(root)
        kinds, given = _kinds(arguments, facts), _given(result, facts)
        account.given[kinds] = given if account.given.get(kinds, given) == given else None


def _given(result: Value, facts: Facts) -> Sketch | Tensor | Unknown | None:
    """What is kept of a result; None for what does not tell one call from another."""
    if type(result) is Unknown:
        return UNKNOWN
    if type(result) is Tensor and result.shape is None:
        return replace(result, decided=None, operation=None)
    return sketch_of(result, facts)


def _kinds(arguments: Mapping[str, Value], facts: Facts) -> object:
    """What a function is called on, as far as it may decide about the axes of the result."""
    return tuple((name, _kind(value, facts)) for name, value in arguments.items())


def _kind(value: Value, facts: Facts) -> object:
    if type(value) is Sequence and value.items is not None:
        return tuple(_kind(item, facts) for item in value.items)
    if type(value) is Const:
        return value.value
    if type(value) is Int:
        return None if value.size is None else value.size.number
    shape = expanded(value, facts)
    return type(value).__name__, None if shape is None else shape.rank


def alike_to(method: Function, instance: Instance) -> object:
    """What objects have in common that are the same to a method which reads no shapes.

    None for an object that is like no other.
    """
    attributes = tuple((name, _look(value)) for name, value in instance.attributes.items())
    try:
        hash(attributes)
    except TypeError:
        return None
    return method, instance.of, attributes


def _look(value: Value) -> object:
    """What a value is, but for its shape."""
    kind = type(value)
    if isinstance(value, Tensor | Parameter):
        return kind, value.optional if isinstance(value, Tensor) else value.tensor.optional
    if isinstance(value, Choice):
        return kind, tuple(map(_look, value.options))
    if isinstance(value, Sequence) and value.items is not None:
        return kind, value.mutable, tuple(map(_look, value.items))
    if isinstance(value, Const):
        return kind, type(value.value), value.value
    return value
