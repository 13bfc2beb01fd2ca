"""Loops and comprehensions.

Few known items are run one by one. Otherwise the body runs twice with an item as any of them is:
the second run starts from what the first left, so that carried values are seen as carried; then
whatever still changes is joined. A list that grew by n items a round has n times as many items as
there are rounds.
"""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from attncheck.algebra.size import Size, const
from attncheck.tracer import conditions, containers
from attncheck.tracer.machine import Environment, Exit, Frame, Machine
from attncheck.tracer.targets import assign
from attncheck.values.join import element_of, join, join_all
from attncheck.values.value import UNKNOWN, Mapping, Sequence, Value

#: Loops with at most this many known items are run item by item.
UNROLLED = 6


def run_for(machine: Machine, node: cst.For) -> Exit:
    """A ``for`` statement."""
    machine.step()
    iterable = machine.evaluate(node.iter)
    items = containers.items_of(machine, iterable, UNROLLED)
    if items is not None and len(items) <= UNROLLED:
        for item in items:
            assign(machine, node.target, item)
            left = machine.execute(node.body.body)
            if left in ("return", "raise"):
                return left
            if left == "break":
                break
        return None
    item = containers.each(machine, iterable)
    count = containers.length_of(machine, iterable)

    def once() -> Exit:
        assign(machine, node.target, item)
        return machine.execute(node.body.body)

    _repeat(machine, once, count)
    return machine.execute(node.orelse.body.body) if node.orelse is not None else None


def run_while(machine: Machine, node: cst.While) -> Exit:
    """A ``while`` statement; one whose condition never becomes false goes on as if it had."""
    machine.step()
    test = machine.evaluate(node.test)
    if conditions.truth(test) is False:
        return None

    def once() -> Exit:
        machine.evaluate(node.test)
        return machine.execute(node.body.body)

    _repeat(machine, once, None)
    return None


def _repeat(machine: Machine, once: Callable[[], Exit], count: Size | None) -> None:
    """Run a body twice and widen what it changes."""
    before = dict(machine.environment.names)
    _round(machine, once)
    grown = _widened(before, machine.environment.names, count)
    machine.environment.names = dict(grown)
    _round(machine, once)
    after = machine.environment.names
    machine.environment.names = {
        name: _settled(value, after.get(name, value)) for name, value in grown.items()
    } | {name: value for name, value in after.items() if name not in grown}


def _round(machine: Machine, once: Callable[[], Exit]) -> None:
    """One round; a round that always leaves the function leaves no names behind."""
    before = dict(machine.environment.names)
    if once() in ("return", "raise"):
        machine.environment.names = before


def _widened(
    before: dict[str, Value], after: dict[str, Value], count: Size | None
) -> dict[str, Value]:
    widened: dict[str, Value] = {}
    for name, value in after.items():
        old = before.get(name)
        if old is None:
            widened[name] = value
        else:
            grown = _grown(old, value, count)
            widened[name] = join(old, value) if grown is None else grown
    return widened


def _grown(old: Value, new: Value, count: Size | None) -> Sequence | None:
    """The list that grows from `old` to `new` in each of `count` rounds, or None if it does not."""
    if type(old) is not Sequence or type(new) is not Sequence or not old.mutable:
        return None
    if old.items is None or new.items is None or new.items[: len(old.items)] != old.items:
        return None
    added = new.items[len(old.items) :]
    if not added:
        return None
    length = None if count is None else const(len(old.items)) + const(len(added)) * count
    return Sequence(None, True, join_all(list(new.items)), length)


def _settled(before: Value, after: Value) -> Value:
    """A value after the last round: a list that has grown before stays as long as all rounds make it."""
    if type(before) is Sequence and type(after) is Sequence and before.items is None:
        element = join(element_of(before), element_of(after))
        return Sequence(None, before.mutable, element, before.length)
    return join(before, after)


def list_comprehension(
    machine: Machine, node: cst.ListComp | cst.GeneratorExp | cst.SetComp
) -> Value:
    """The list a comprehension makes (a generator expression is seen as the list it gives)."""
    return _comprehend(machine, node.for_in, lambda: machine.evaluate(node.elt))


def dict_comprehension(machine: Machine, node: cst.DictComp) -> Value:
    """A dict whose keys are not followed."""
    _comprehend(machine, node.for_in, lambda: machine.evaluate(node.value))
    return Mapping((), open=True)


def _comprehend(machine: Machine, clause: cst.CompFor, element: Callable[[], Value]) -> Value:
    environment = Environment(machine.environment)
    frame = machine.frame
    inner = Frame(environment, frame.place, frame.function)
    iterable = machine.evaluate(clause.iter)
    items = containers.items_of(machine, iterable)
    with machine.running(inner):
        if items is not None and not clause.ifs and clause.inner_for_in is None:
            values = []
            for item in items:
                assign(machine, clause.target, item)
                values.append(element())
            return Sequence(tuple(values), mutable=True)
        assign(machine, clause.target, containers.each(machine, iterable))
        for condition in clause.ifs:
            machine.evaluate(condition.test)
        if clause.inner_for_in is not None:
            inner_list = _comprehend(machine, clause.inner_for_in, element)
            return Sequence(
                None, True, element_of(inner_list) if type(inner_list) is Sequence else UNKNOWN
            )
        length = None if clause.ifs else containers.length_of(machine, iterable)
        return Sequence(None, True, element(), length)
