"""Unknown sizes under a name: what a variable holds has one size, though nobody knows which.

Where two branches give a variable different sizes, or an operator cannot tell one, the variable has
some one size all the same whenever the program runs. It gets a symbol of its own, named after the
variable, so that what is made from it can still be followed. What a container holds is left alone:
its items may differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncheck.algebra.shape import Axis, Shape, open_shape
from attncheck.algebra.size import Symbol, of
from attncheck.record import replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import Int, Parameter, Sequence, Value

if TYPE_CHECKING:
    from attncheck.tracer.machine import Machine


def settle(machine: Machine, name: str, value: Value) -> Value:
    """`value` with a symbol for each of its sizes that nobody knows."""
    if type(value) is Tensor:
        if value.shape is None and machine.evidence.presuming:
            return value.with_shape(open_shape(name))
        return _tensor(name, value)
    if type(value) is Int:
        return Int(of(machine.evidence.found(name))) if value.size is None else value
    if type(value) is Parameter:
        if value.number.size is None:
            return replace(value, number=Int(of(machine.evidence.found(name))))
        return value
    if type(value) is Sequence and value.items is not None and not value.mutable:
        return _tuple(machine, name, value)
    return value


def _tensor(name: str, value: Tensor) -> Tensor:
    shape = value.shape
    if shape is None or not any(axis.size is None for axis in (*shape.lead, *shape.trail)):
        return value
    count = len(shape.trail)
    lead = tuple(_axis(f"{name}_{i}", axis) for i, axis in enumerate(shape.lead))
    trail = tuple(_axis(f"{name}_last{count - i}", axis) for i, axis in enumerate(shape.trail))
    return value.with_shape(Shape(lead, shape.row, trail))


def _axis(name: str, axis: Axis) -> Axis:
    return axis if axis.size is not None else replace(axis, size=of(Symbol(name, found=True)))


def _tuple(machine: Machine, name: str, value: Sequence) -> Sequence:
    """A tuple of sizes: ``shape = x.shape[:-1]``."""
    assert value.items is not None
    if not any(type(item) is Int and item.size is None for item in value.items):
        return value
    items = tuple(
        settle(machine, f"{name}_{index}", item) if type(item) is Int else item
        for index, item in enumerate(value.items)
    )
    return replace(value, items=items)
