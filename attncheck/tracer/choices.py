"""Doing something with a value that is one of several: done with each, and the results joined.

None among the alternatives is passed over: what is done would raise on it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from attncheck.algebra.shape import expand
from attncheck.tracer.branches import run_ways, with_found_axes
from attncheck.tracer.machine import Exit, Machine
from attncheck.values.join import join_all
from attncheck.values.value import NONE, UNFIT, UNKNOWN, Choice, Value


def over(machine: Machine, value: Choice, do: Callable[[Value], Value]) -> Value:
    """The join of what `do` gives for each of the alternatives.

    One that cannot work, where another can, is not the one that is taken.
    """
    options = [option for option in value.options if option != NONE]
    begun: list[int] = []
    values: list[Value] = []

    def run(option: Value) -> Value:
        begun.append(len(machine.graph.operations))
        values.append(do(option))
        return values[-1]

    result = evaluate_ways(machine, [functools.partial(run, option) for option in options])
    ends = [*begun[1:], len(machine.graph.operations)]
    parts = [machine.graph.operations[start:end] for start, end in zip(begun, ends, strict=True)]
    failing = [any(operation.clash for operation in part) for part in parts]
    if not all(failing):
        for operation in (operation for part in parts for operation in part):
            operation.dismissed = operation.dismissed or operation.clash is not None
            operation.clash = None
    if any(failing) and not all(failing):
        return join_all([each for each, fails in zip(values, failing, strict=True) if not fails])
    return result


def evaluate_ways(machine: Machine, ways: Sequence[Callable[[], Value]]) -> Value:
    """The join of several evaluations of which one takes place."""
    if len(ways) == 1:
        return ways[0]()
    values: list[Value] = []

    def run(way: Callable[[], Value]) -> Callable[[], Exit]:
        return lambda: values.append(with_found_axes(machine, way()))

    run_ways(machine, [run(way) for way in ways])
    fitting = [with_found_axes(machine, value, expand) for value in values if value is not UNFIT]
    return join_all(fitting) if fitting else UNKNOWN
