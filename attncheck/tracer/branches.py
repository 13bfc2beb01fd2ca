"""Branches and joins: several ways on, each run under its own facts, then put together again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Shape, expand, listed
from attncheck.record import replace
from attncheck.tracer.machine import Exit, Machine, Way
from attncheck.tracer.naming import Learned, Together, settle
from attncheck.values.join import join, join_all
from attncheck.values.tensor import Tensor
from attncheck.values.value import Instance, Parameter, Unknown, Value, as_tensor

#: What gives a shape with more of what facts say of its axes.
FindAxes: TypeAlias = Callable[[Shape, Facts], Shape]


def run_ways(machine: Machine, ways: Sequence[Callable[[], Exit]]) -> Exit:
    """Run alternatives from the same state and join those that go on.

    How the whole leaves: None if any way goes on, else as the first one did that stays in the
    function. Ways that leave for the loop around are kept for it.
    """
    before = dict(machine.environment.names)
    machine.supposing += 1
    done = [_run(machine, way, before) for way in ways]
    machine.supposing -= 1
    going = [way for way in done if way.left is None]
    strays = [way for way in done if way.left in ("break", "continue")]
    machine.frame.strays += strays
    machine.frame.may_have_left |= bool(going) and any(way.left == "return" for way in done)
    if going or strays:
        resume(machine, going or strays)
        return None if going else strays[0].left
    machine.environment.names = before
    return done[0].left if done else None


def resume(machine: Machine, ways: Sequence[Way]) -> None:
    """Go on from the join of these ways: of each name that is not the same on all of them."""
    first, *rest = [way.names for way in ways]
    names = dict(first)
    changed: set[str] = set()
    for other in rest:
        changed |= first.keys() - other.keys()
        for name, value in other.items():
            if first.get(name) is not value:
                changed.add(name)
                names.setdefault(name, value)
    joined: list[tuple[str, Value, list[Value]]] = []
    for name in [name for name in names if name in changed] if changed else ():
        # Each way is joined with what all know of its axes.
        found = [
            with_found_axes(machine, way.names[name], expand) for way in ways if name in way.names
        ]
        names[name] = value = _one_of(found)
        if value is not first.get(name):
            joined.append((name, value, found))
    together = Together([Learned.of(way.learned) for way in ways])
    # Variables that hold sizes give these their names.
    for name, value, found in sorted(joined, key=lambda each: type(each[1]) is Tensor):
        names[name] = settle(machine, name, together.tie(machine, name, value, found))
    machine.environment.names = names
    _join_attributes(machine, ways)
    machine.facts.keep(_common(ways))


def _one_of(values: list[Value]) -> Value:
    """The value that is one of these."""
    value = values[0]
    for other in values[1:]:
        if other is not value:
            value = join(value, other)
    return value


def here(machine: Machine) -> Way:
    """The current state as a way."""
    return Way(machine.environment.names, {}, [], None)


def _run(machine: Machine, way: Callable[[], Exit], before: dict[str, Value]) -> Way:
    mark, journal = machine.facts.mark(), len(machine.journal)
    environment = machine.environment
    environment.names = dict(before)
    left = way()
    for name, value in environment.names.items():
        if value is not before.get(name):
            environment.names[name] = with_found_axes(machine, value)
    learned = machine.facts.learned(mark)
    machine.facts.undo(mark)
    return Way(environment.names, machine.roll_back(journal), learned, left)


def join_names(ways: Sequence[dict[str, Value]]) -> dict[str, Value]:
    """What is known of each name that any of several ways has."""
    joined: dict[str, list[Value]] = {}
    for way in ways:
        for name, value in way.items():
            joined.setdefault(name, []).append(value)
    return {name: _one_of(values) for name, values in joined.items()}


def with_found_axes(machine: Machine, value: Value, find: FindAxes = listed) -> Value:
    """A tensor with the axes that were found since it was made, for who has not found them.

    `find` is `expand` to have what was found of their sizes as well.
    """
    tensor = as_tensor(value)
    if tensor is None or tensor.shape is None:
        return value
    shape = find(tensor.shape, machine.facts)
    if shape is tensor.shape:
        return value
    tensor = tensor.with_shape(shape)
    return replace(value, tensor=tensor) if type(value) is Parameter else tensor


def _join_attributes(machine: Machine, ways: Sequence[Way]) -> None:
    changed = {key for way in ways for key in way.attributes}
    for instance, name in changed:
        values = [
            found
            for way in ways
            if (found := way.attributes.get((instance, name)) or _before(instance, name))
        ]
        if len(values) < len(ways):
            # Who reads it would fail on a way that does not set it.
            instance.unsure.add(name)
        value = join_all(values)
        machine.set_attribute(instance, name, settle(machine, name, value))


def _before(instance: Instance, name: str) -> Value | None:
    """The attribute that an object has without anything having been set."""
    value = instance.attributes.get(name)
    if value is not None:
        return value
    member = instance.of.lookup(name)
    return None if type(member) is Unknown else member


def _common(ways: Sequence[Way]) -> list[tuple[object, object]]:
    """What every way that goes on has learned."""
    first, *rest = ways
    return [fact for fact in first.learned if all(fact in way.learned for way in rest)]
