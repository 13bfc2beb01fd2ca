"""What the loops of jax carry from one round to the next: of one shape, which both rounds show."""

from __future__ import annotations

import operator
from collections.abc import Iterator

import libcst as cst

from attncheck.operators.call import Call
from attncheck.operators.rounds import carried_on
from attncheck.record import replace
from attncheck.tracer.machine import Machine
from attncheck.tracer.recorder import apply, written_items
from attncheck.values.tensor import Tensor
from attncheck.values.value import Mapping, Sequence, Value, as_tensor


def hold(
    machine: Machine,
    carried: Value,
    left: Value,
    written: cst.CSTNode | None,
    node: cst.CSTNode,
    spelling: str,
) -> None:
    """Record each tensor that the first round was given with axes that it has not left.

    `written` is the expression of what is `carried` into it.
    """
    for given, got, expression in _pairs(carried, left, written):
        arguments = {"x": given, "left": got}
        if carried_on(Call(machine.facts, arguments, "jax", spelling)).clash is not None:
            known = {} if expression is None else {"x": expression}
            apply(machine, carried_on, arguments, known, node, spelling, "jax")


def _pairs(
    carried: Value, left: Value, written: cst.CSTNode | None
) -> Iterator[tuple[Value, Value, cst.CSTNode | None]]:
    """What goes into a round beside what comes out of it in its place, item by item."""
    if type(carried) is Mapping and type(left) is Mapping:
        for key, item in carried.items:
            got = left.get(key)
            if got is not None:
                yield from _pairs(item, got, None)
    elif type(carried) is Sequence and type(left) is Sequence:
        given, made = carried.items or (), left.items or ()
        if len(given) == len(made):
            nodes = written_items(written, len(given))
            for one, other, node in zip(given, made, nodes, strict=True):
                yield from _pairs(one, other, node)
    else:
        yield carried, left, written


def as_carried(carried: Value, left: Value) -> Value:
    """What a round of a scan has left, of the shape of what it was given if its own is unknown."""
    if type(carried) is Sequence and type(left) is Sequence:
        given, got = carried.items, left.items
        if given is None or got is None or len(given) != len(got):
            return left
        items = tuple(as_carried(one, other) for one, other in zip(given, got, strict=True))
        same = all(map(operator.is_, items, got))
        return left if same else replace(left, items=items)
    tensor = as_tensor(carried)
    shape = None if tensor is None else tensor.shape
    if type(left) is not Tensor or shape is None or not shape.closed:
        return left
    if left.shape is not None and left.shape.closed:
        return left
    return left.with_shape(shape)


def with_shapes_of(made: Value, left: Value, known: Value) -> Value:
    """A row as it is known, if it is what a round has left, or an item of that.

    Of two tensors that no operation has made nobody knows that they are one.
    """
    if made is left and (type(made) is not Tensor or made.operation is not None):
        return known
    if type(left) is Sequence and type(known) is Sequence:
        for item, better in zip(left.items or (), known.items or (), strict=True):
            found = with_shapes_of(made, item, better)
            if found is not made:
                return found
    return made
