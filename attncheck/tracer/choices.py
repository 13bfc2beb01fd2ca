"""Doing something with a value that is one of several: done with each, and the results joined.

None among the alternatives is passed over: what is done would raise on it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from attncheck.algebra.shape import expand
from attncheck.frameworks.lookup import find_layer
from attncheck.tracer.branches import run_ways, with_found_axes
from attncheck.tracer.machine import Exit, Machine
from attncheck.values.join import join_all
from attncheck.values.value import NONE, UNFIT, UNKNOWN, Choice, Layer, Value, as_tensor


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
    for operation in (operation for part in parts for operation in part):
        operation.alternative = len(options) > 1
    if all(failing) and len(machine.frames) > 1:
        # Whichever is taken, it fails: that is no supposition any more.
        for operation in (operation for part in parts for operation in part if operation.clash):
            operation.supposed = max(0, operation.supposed - 1)
    if not all(failing):
        for operation in (operation for part in parts for operation in part):
            operation.dismissed = operation.dismissed or operation.clash is not None
            operation.clash = None
    if any(failing) and not all(failing):
        return join_all([each for each, fails in zip(values, failing, strict=True) if not fails])
    changed = _changed(options, values)
    return result if changed is None else join_all(changed)


def _changed(options: list[Value], values: list[Value]) -> list[Value] | None:
    """What the others give where one of the alternatives changes nothing; None if ranks differ.

    ``Linear(a, b) if a != b else Identity()``: what changes nothing is taken where nothing has to
    be changed, so that the others say what comes out.
    """
    others = [value for option, value in zip(options, values, strict=True) if not _is_still(option)]
    ranks = {
        None if (tensor := as_tensor(value)) is None or tensor.shape is None else tensor.shape.rank
        for value in values
    }
    return (
        others if 0 < len(others) < len(values) and len(ranks) == 1 and None not in ranks else None
    )


def _is_still(option: Value) -> bool:
    """Whether a layer gives back what it is given."""
    spelling = find_layer(option.path) if type(option) is Layer else None
    return spelling is not None and spelling.operator.__name__ == "identity"


def evaluate_ways(machine: Machine, ways: Sequence[Callable[[], Value]]) -> Value:
    """The join of several evaluations of which one takes place."""
    if len(ways) == 1:
        return ways[0]()
    fitting = [value for value in evaluate_each(machine, ways) if value is not UNFIT]
    return join_all(fitting) if fitting else UNKNOWN


def evaluate_each(machine: Machine, ways: Sequence[Callable[[], Value]]) -> list[Value]:
    """What each of several evaluations gives of which one takes place."""
    values: list[Value] = []

    def run(way: Callable[[], Value]) -> Callable[[], Exit]:
        return lambda: values.append(with_found_axes(machine, way()))

    run_ways(machine, [run(way) for way in ways])
    return [with_found_axes(machine, value, expand) for value in values]
