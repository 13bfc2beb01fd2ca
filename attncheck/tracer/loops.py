"""Loops and comprehensions.

Few known items are run one by one. Otherwise the body runs twice with an item as any of them is:
the second run starts from what the first left, so that carried values are seen as carried; then
whatever still changes is joined, and if that loses something, the body runs again. A list that
grew by n items a round has n times as many items as there are rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from attncheck.algebra.shape import expand
from attncheck.algebra.size import Size, const
from attncheck.tracer import conditions, containers
from attncheck.tracer.branches import here, resume, run_ways
from attncheck.tracer.machine import Environment, Exit, Frame, Machine, Way
from attncheck.tracer.naming import settle
from attncheck.tracer.rounds import run_second
from attncheck.tracer.targets import assign
from attncheck.values.join import element_of, is_no_more, join, join_all, one_list
from attncheck.values.tensor import Tensor
from attncheck.values.value import (
    UNKNOWN,
    Chain,
    Choice,
    Instance,
    Int,
    Layer,
    Mapping,
    Sequence,
    Value,
    as_tensor,
)

#: What a loop over layers gives a name in each round.
_CALLED = frozenset([Layer, Instance, Chain, Choice])
#: Loops with at most this many known items are run item by item.
UNROLLED = 6
#: Rounds run once the first has shown what is carried; two but for chains (``a = b; b = c``).
MOST_ROUNDS = 4


def run_for(machine: Machine, node: cst.For) -> Exit:
    """A ``for`` statement."""
    machine.step()
    iterable = machine.evaluate(node.iter)
    items = containers.items_of(machine, iterable, UNROLLED)
    if items is not None and len(items) <= UNROLLED:
        return _one_by_one(machine, node, items)
    item = containers.each(machine, iterable)
    count = containers.length_of(machine, iterable)

    def once() -> Exit:
        assign(machine, node.target, item)
        return machine.execute(node.body.body)

    given = frozenset(_names(node.target))
    return _finished(machine, node, _whole(machine, once, count, given))


def _names(target: cst.CSTNode) -> Iterator[str]:
    """The plain names that a loop gives values to at the start of each round."""
    if type(target) is cst.Name:
        yield target.value
    elif isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            yield from _names(element.value)


def run_while(machine: Machine, node: cst.While) -> Exit:
    """A ``while`` statement; one whose condition never becomes false goes on as if it had."""
    machine.step()
    test = machine.evaluate(node.test)
    if conditions.truth(test) is False:
        return _finished(machine, node, broken=False)

    def once() -> Exit:
        # The second round may not come: ``while x.dim() > 2``.
        if conditions.truth(machine.evaluate(node.test)) is False:
            return "continue"
        return machine.execute(node.body.body)

    return _finished(machine, node, _whole(machine, once, None))


def _finished(machine: Machine, node: cst.For | cst.While, broken: bool) -> Exit:
    """Run the ``else`` of a loop, which a ``break`` passes by."""
    if node.orelse is None:
        return None
    body = node.orelse.body.body
    if not broken:
        return machine.execute(body)
    return run_ways(machine, [lambda: machine.execute(body), lambda: None])


def _one_by_one(machine: Machine, node: cst.For, items: list[Value]) -> Exit:
    """Run a loop over known items."""
    mark, left = len(machine.frame.strays), None
    going, broken = True, []
    for item in items:
        assign(machine, node.target, item)
        left = machine.execute(node.body.body)
        strays = _strays(machine, mark)
        broken += [way for way in strays if way.left == "break"]
        again = [way for way in strays if way.left == "continue"]
        if left == "break":
            broken.append(here(machine))
        going = left is None or left == "continue"
        if again:
            resume(machine, [here(machine), *again] if going else again)
            going = True
        if not going:
            break
    if going:
        left = None if node.orelse is None else machine.execute(node.orelse.body.body)
        going = left is None
    if not broken:
        return None if going else left
    resume(machine, [here(machine), *broken] if going else broken)
    return None


def _whole(
    machine: Machine,
    once: Callable[[], Exit],
    count: Size | None,
    given: frozenset[str] = frozenset(),
) -> bool:
    """A loop from its first round to its end, after which each name has one value again."""
    before = dict(machine.environment.names)
    broken = _repeat(machine, once, count, given)
    names = machine.environment.names
    for name, value in names.items():
        if value is not before.get(name):
            names[name] = settle(machine, name, value)
    return broken


def _strays(machine: Machine, mark: int) -> list[Way]:
    """The ways that have left a loop's body since there were `mark`; they are taken up now."""
    strays = machine.frame.strays[mark:]
    del machine.frame.strays[mark:]
    return strays


def _repeat(
    machine: Machine, once: Callable[[], Exit], count: Size | None, given: frozenset[str]
) -> bool:
    """Run a body until what it changes is widened; whether a ``break`` may end it.

    No round sees what the one before left under the names that are `given` anew.
    """
    before, journal = dict(machine.environment.names), len(machine.journal)
    shown = len(machine.sites)
    left, broken = _round(machine, once)
    if left in (None, "continue") and not _is_stack(machine, given):
        run_second(machine, before, once)
    rounds = None if broken else count
    grown = _widened(machine, before, rounds)
    if not broken and _is_stack(machine, given) and _shows_all(machine, before, grown, journal):
        machine.environment.names |= grown
        return False
    _merge_attributes(machine, journal, lambda old, new: _widen(machine, old, new, rounds))
    for _ in range(MOST_ROUNDS):
        if machine.evidence.loose:
            # What the last round shows is true of each of them.
            del machine.sites[shown:]
        begun = _begun(machine, before, grown)
        machine.environment.names, journal = dict(begun), len(machine.journal)
        broken = _round(machine, once)[1] or broken
        after = machine.environment.names
        _merge_attributes(machine, journal, _settled)
        settled = {name: _settled(value, after.get(name, value)) for name, value in begun.items()}
        machine.environment.names = after | settled
        carried = grown.keys() - given
        if not any(_less(settled[name], grown[name]) for name in carried):
            break
        grown = settled
    return broken


def _is_stack(machine: Machine, given: frozenset[str]) -> bool:
    """Whether the rounds are layers, one on top of the other, and not steps of time."""
    return any(type(machine.environment.names.get(name)) in _CALLED for name in given)


def _shows_all(
    machine: Machine, before: dict[str, Value], grown: dict[str, Value], since: int
) -> bool:
    """Whether the next round would show no more than the first, as no value is better known.

    Where shapes are stated, they are stated as each round has them, so that it has to run.
    """
    if machine.evidence.loose:
        return False
    changed = (
        value is None or is_no_more(value, instance.attributes.get(name, UNKNOWN))
        for instance, name, value in machine.journal[since:]
    )
    return all(is_no_more(before[name], grown[name]) for name in before) and all(changed)


def _begun(machine: Machine, before: dict[str, Value], grown: dict[str, Value]) -> dict[str, Value]:
    """The names at the beginning of a round, each size that rounds change under one symbol.

    The symbols are for shapes that are stated.
    """
    if not machine.evidence.loose:
        return grown
    return {
        name: value if value is before.get(name) else settle(machine, name, value)
        for name, value in grown.items()
    }


def _less(now: Value, before: Value) -> bool:
    """Whether less is known of a value than before, so that the next round may find still less."""
    if type(now) is Int:
        return now != before
    if type(now) is not Tensor or type(before) is not Tensor or before.shape is None:
        return False
    if now.shape is None or not now.shape.closed or not before.shape.closed:
        return now.shape is None
    return now.shape.sizes() != before.shape.sizes()


def _round(machine: Machine, once: Callable[[], Exit]) -> tuple[Exit, bool]:
    """One round: how it leaves, and whether a way in it breaks off.

    A round that always leaves the function leaves no names behind.
    """
    before, mark = dict(machine.environment.names), len(machine.frame.strays)
    left = once()
    strays = _strays(machine, mark)
    if left in ("return", "raise"):
        machine.environment.names = before
    if strays:
        resume(machine, [here(machine), *strays])
    return left, left == "break" or any(way.left == "break" for way in strays)


def _merge_attributes(machine: Machine, since: int, merge: Callable[[Value, Value], Value]) -> None:
    """Merge what attributes were when the journal was `since` long with what they are now."""
    first: dict[tuple[Instance, str], Value | None] = {}
    for instance, name, before in machine.journal[since:]:
        first.setdefault((instance, name), before)
    for (instance, name), before in first.items():
        if before is not None:
            now = instance.attributes.get(name, UNKNOWN)
            machine.set_attribute(instance, name, merge(before, now))


def _widened(machine: Machine, before: dict[str, Value], count: Size | None) -> dict[str, Value]:
    widened: dict[str, Value] = {}
    for name, value in machine.environment.names.items():
        old = before.get(name)
        widened[name] = value if old is None else _widen(machine, old, value, count)
    return widened


def _widen(machine: Machine, old: Value, new: Value, count: Size | None) -> Value:
    """A value that one round turns from `old` to `new`, after any number of rounds."""
    grown = _grown(old, new, count) or _longer(old, new)
    if grown is not None:
        return grown
    first = as_tensor(old)
    if type(new) is Tensor and new is not old and first is not None and first.shape is not None:
        # What the round has found out of the state that it started from.
        old = first.with_shape(expand(first.shape, machine.facts))
    # How often a branch in the body has appended is not known: no list of a certain length is left.
    found = join(old, new)
    return one_list(found) if type(found) is Choice and type(old) is Sequence else found


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


def _longer(old: Value, new: Value) -> Chain | None:
    """The chain that rounds make longer than `old`, to `new` in the first; None if they do not."""
    if type(old) is not Chain or type(new) is not Chain or len(new.items) <= len(old.items):
        return None
    if new.items[: len(old.items)] != old.items:
        return None
    return Chain((), join_all([value for _, value in new.items]))


def _settled(before: Value, after: Value) -> Value:
    """A value after the last round; a list that has grown stays as long as all rounds make it."""
    if type(before) is Sequence and type(after) is Sequence and before.items is None:
        element = join(element_of(before), element_of(after))
        return Sequence(None, before.mutable, element, before.length)
    if type(before) is Chain and type(after) is Chain and before.repeated and after.repeated:
        return Chain((), join(before.repeated, after.repeated))
    return join(before, after)


def list_comprehension(
    machine: Machine, node: cst.ListComp | cst.GeneratorExp | cst.SetComp
) -> Value:
    """The list a comprehension makes (a generator expression is seen as the list it gives)."""
    return _comprehend(machine, node.for_in, lambda: machine.evaluate(node.elt))


def dict_comprehension(machine: Machine, node: cst.DictComp) -> Value:
    """The dict that a comprehension makes; open where its keys are not known."""
    entries = _comprehend(machine, node.for_in, lambda: _entry(machine, node))
    pairs = entries.items if type(entries) is Sequence else None
    found: dict[object, Value] = {}
    for pair in pairs or ():
        key, value = pair.items if type(pair) is Sequence and pair.items else (UNKNOWN, UNKNOWN)
        name = containers.constant_key(key)
        if name is None:
            return Mapping((), open=True)
        found[name.value] = value
    return Mapping(tuple(found.items()), open=pairs is None)


def _entry(machine: Machine, node: cst.DictComp) -> Value:
    return Sequence((machine.evaluate(node.key), machine.evaluate(node.value)))


def _comprehend(machine: Machine, clause: cst.CompFor, element: Callable[[], Value]) -> Value:
    environment = Environment(machine.environment, transparent=True)
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
