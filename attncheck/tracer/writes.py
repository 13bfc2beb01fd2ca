"""Writing into a part of a tensor, ``x[key] = y``: what does not fit there.

Only a contradiction is recorded. What fits leaves ``x`` as it was, and the sizes that would have to
be equal are not taken to be: many a table is written by code that no size goes through.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import libcst as cst

from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis, Shape
from attncheck.algebra.size import Size, Symbol, of
from attncheck.graph import Operand, Operation
from attncheck.operators import indexing
from attncheck.operators.call import Call
from attncheck.operators.events import Clash, Fault
from attncheck.record import replace
from attncheck.tracer.keys import key_of, whole_key
from attncheck.values.tensor import Tensor
from attncheck.values.value import UNKNOWN, Int, Sequence, Slice, Value, expanded

if TYPE_CHECKING:
    from attncheck.tracer.machine import Machine


_Lookup: TypeAlias = Callable[[Symbol], Size | None]


def check_write(
    machine: Machine, target: cst.Subscript, base: Tensor, value: Value, source: cst.CSTNode
) -> None:
    """Record it where a tensor, written as `source`, does not broadcast to the part it goes into.

    What the record gives is the part.
    """
    shape, written = expanded(base, machine.facts), expanded(value, machine.facts)
    if type(value) is not Tensor or shape is None or written is None:
        return
    mark = machine.facts.mark()
    key = whole_key([key_of(machine, element.slice) for element in target.slice])
    part, clash = _in_general(machine, base.with_shape(shape), key, value.with_shape(written))
    if clash is None:
        part, clash = _written(machine, base, key, value)
    machine.facts.undo(mark)
    if clash is None or clash.fault is not Fault.BROADCAST:
        return
    machine.record(
        Operation(
            machine.graph.next_number,
            "write",
            "[]=",
            (Operand("x", base, target.value), Operand("y", value, source)),
            part,
            target,
            machine.statement,
            machine.frame.place,
            None,
            clash,
            machine.branches,
        )
    )


def _written(
    machine: Machine, base: Tensor, key: Value, value: Tensor
) -> tuple[Value, Clash | None]:
    """The part of a tensor that a key selects, and why a value does not go there, or None."""
    arguments: dict[str, Value] = {"x": base, "key": key, "y": value}
    call = Call(machine.facts, arguments, base.library or "", "[]=")
    part = indexing.index(call)
    return part.value, part.clash or indexing.assign(call).clash


def _in_general(
    machine: Machine, base: Tensor, key: Value, value: Tensor
) -> tuple[Value, Clash | None]:
    """The same with sizes as what they are made of, where only their numbers in this run differ.

    ``(d + 1)//2`` columns go into ``d//2`` only where d is even.
    """
    names: dict[Symbol, Size] = {}

    def unnumbered(symbol: Symbol) -> Size | None:
        return None if symbol.value is None else names.setdefault(symbol, of(Symbol(symbol.name)))

    base, value = _mapped(base, unnumbered), _mapped(value, unnumbered)
    if not names:
        return UNKNOWN, None
    part, _ = _written(machine, base, _mapped_key(key, unnumbered), value)
    selected = part.shape if type(part) is Tensor else None
    numbers = {own.symbol: symbol.value for symbol, own in names.items()}
    if selected is None or value.shape is None or not (selected.closed and value.shape.closed):
        return UNKNOWN, None
    for into, own in zip(selected.axes[::-1], value.shape.axes[::-1], strict=False):
        met = _number(into, numbers), _number(own, numbers)
        if None not in met and met[1] not in (1, met[0]):
            text = f"writes {value.shape} into {selected}: {own} meets {into}"
            sizes = into.size, own.size
            return part, Clash(Fault.BROADCAST, text, 1, *sizes, verdict=Verdict.DISTINCT)
    return UNKNOWN, None


def _mapped(tensor: Tensor, lookup: _Lookup) -> Tensor:
    """A tensor with other sizes."""
    assert tensor.shape is not None
    axes = [
        [
            axis if axis.size is None else replace(axis, size=axis.size.replace(lookup), parts=())
            for axis in listed
        ]
        for listed in (tensor.shape.lead, tensor.shape.trail)
    ]
    return tensor.with_shape(Shape(tuple(axes[0]), tensor.shape.row, tuple(axes[1])))


def _mapped_key(key: Value, lookup: _Lookup) -> Value:
    """An index expression with other sizes."""
    if type(key) is Int:
        return key if key.size is None else Int(key.size.replace(lookup))
    if type(key) is Slice:
        bounds = (key.lower, key.upper, key.step)
        return Slice(*(each if each is None else _mapped_key(each, lookup) for each in bounds))
    if type(key) is Sequence and key.items is not None:
        return replace(key, items=tuple(_mapped_key(item, lookup) for item in key.items))
    return key


def _number(axis: Axis, numbers: dict[Symbol | None, int | None]) -> int | None:
    known = {s: number for s, number in numbers.items() if s is not None and number is not None}
    return None if axis.size is None else axis.size.evaluate(known)
