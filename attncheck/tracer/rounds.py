"""The second round of a loop, where what the first one carries on has another number of axes.

``token = logits.argmax(1, keepdim=True)`` is (B, 1) where the loop began with (B,): the first round
works and the second does not. What all rounds have in common is nothing known of such a name, so
the round is run as it really begins, and all it leaves behind is what cannot work in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from attncheck.graph import Carried
from attncheck.tracer.machine import Exit, Machine
from attncheck.tracer.repeats import Repeats
from attncheck.values.value import Value, as_tensor, expanded


def run_second(machine: Machine, before: dict[str, Value], once: Callable[[], Exit]) -> None:
    """Run a round after the first one, if that has changed the rank of a name it was given.

    `before` are the names as the loop found them. Operations stay in the graph only if one of them
    cannot work that every second round comes to.
    """
    carried = () if machine.evidence.loose else tuple(_carried(machine, before))
    if not carried:
        return
    graph, start, depth = machine.graph, len(machine.graph.operations), machine.branches
    failing = {each.node for each in graph.operations if each.clash is not None}
    with _leaving_nothing(machine):
        once()
    certain = False
    for operation in graph.operations[start:]:
        # A branch may be the way of the first round only.
        if operation.supposed > depth or operation.node in failing:
            operation.clash = None
        if operation.clash is not None:
            operation.carried, certain = carried, True
    if not certain:
        del graph.operations[start:]


def _carried(machine: Machine, before: dict[str, Value]) -> Iterator[Carried]:
    """The names that have another number of axes than they had before."""
    now = machine.environment.names
    for name, value in before.items():
        tensor = as_tensor(now.get(name, value))
        began, shape = expanded(value, machine.facts), expanded(tensor, machine.facts)
        if tensor is None or tensor is value or began is None or shape is None:
            continue
        if None not in (began.rank, shape.rank) and began.rank != shape.rank:
            yield Carried(name, began, tensor.with_shape(shape))


@contextmanager
def _leaving_nothing(machine: Machine) -> Iterator[None]:
    """Run something after which all is as it was, but for the operations in the graph."""
    environment, frame = machine.environment, machine.frame
    names, mark, journal = dict(environment.names), machine.facts.mark(), len(machine.journal)
    strays, returned = len(frame.strays), len(frame.returned)
    left, sites = frame.may_have_left, len(machine.sites)
    calls, repeats, sketches = machine.calls_seen, machine.repeats, machine.sketches
    observed, made, unmodelled = machine.observe_calls, machine.made, machine.unmodelled
    machine.calls_seen, machine.repeats, machine.sketches = {}, Repeats(), {}
    machine.observe_calls, machine.made, machine.unmodelled = False, {}, {}
    try:
        yield
    finally:
        machine.observe_calls, machine.made, machine.unmodelled = observed, made, unmodelled
        machine.calls_seen, machine.repeats, machine.sketches = calls, repeats, sketches
        del frame.strays[strays:], frame.returned[returned:], machine.sites[sites:]
        frame.may_have_left = left
        machine.roll_back(journal)
        machine.facts.undo(mark)
        environment.names = names
