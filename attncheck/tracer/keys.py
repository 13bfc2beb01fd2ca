"""What stands between the brackets of an index expression."""

from __future__ import annotations

import libcst as cst

from attncheck.tracer.machine import Machine
from attncheck.values.value import Sequence, Slice, Value


def key_of(machine: Machine, node: cst.BaseSlice) -> Value:
    """One item between brackets: an index, or a slice."""
    if type(node) is cst.Index:
        return machine.evaluate(node.value)
    assert type(node) is cst.Slice
    return Slice(
        machine.evaluate(node.lower) if node.lower is not None else None,
        machine.evaluate(node.upper) if node.upper is not None else None,
        machine.evaluate(node.step) if node.step is not None else None,
    )


def whole_key(keys: list[Value]) -> Sequence:
    """What stands between brackets as one tuple; a list there is an array of indices."""
    only = keys[0] if len(keys) == 1 else None
    if type(only) is Sequence and not only.mutable:
        return only
    return Sequence(tuple(keys))
