"""Assignment: values to names, tuples, attributes and items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from attncheck.algebra.facts import Verdict
from attncheck.algebra.size import of
from attncheck.graph import Operand, Operation
from attncheck.operators import indexing
from attncheck.operators.events import Clash, Fault, Recurrence
from attncheck.tracer import containers
from attncheck.tracer.functions import call_function, named_size
from attncheck.tracer.keys import key_of
from attncheck.tracer.layers import changed_layer
from attncheck.tracer.machine import Machine
from attncheck.tracer.naming import settle
from attncheck.tracer.recorder import Written, apply
from attncheck.tracer.writes import check_write
from attncheck.values.join import one_list
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import (
    UNKNOWN,
    Choice,
    Const,
    Function,
    Imported,
    Instance,
    Int,
    Layer,
    Mapping,
    Sequence,
    Slice,
    Value,
    as_tensor,
    expanded,
)


def assign(
    machine: Machine, target: cst.CSTNode, value: Value, source: cst.CSTNode | None = None
) -> None:
    """Assign `value`, written as `source`, to a target."""
    assigner = _ASSIGNERS.get(type(target))
    if assigner is not None:
        assigner(machine, target, value, source)


def _name(machine: Machine, target: cst.Name, value: Value, source: cst.CSTNode | None) -> None:
    name = target.value
    value = machine.evidence.assigned(name, target, _named(machine, name, value))
    value = settle(machine, name, value)
    declared = machine.evidence.declared(machine.frame.place.function, name, target)
    if declared is not None:
        value = declared
    machine.environment.assign(name, value)
    machine.show(name, target, value)


def _named(machine: Machine, name: str, value: Value) -> Value:
    """A size under its new name: a literal of the table's names, or an axis unknown until now."""
    if type(value) is not Int or value.size is None:
        return value
    symbol = value.size.symbol
    if symbol is not None and symbol.flexible:
        given = of(machine.scope.fresh(name, unseen=True))
        machine.facts.force(value.size, given, f"the code calls it {name}")
        return Int(given)
    return named_size(machine, name, value)


def _tuple(
    machine: Machine, target: cst.Tuple | cst.List, value: Value, source: cst.CSTNode | None
) -> None:
    elements = target.elements
    starred = [i for i, element in enumerate(elements) if type(element) is cst.StarredElement]
    if not starred:
        _check_rank(machine, target, value, source)
    parts = containers.unpack(machine, value, len(elements), starred[0] if starred else None)
    written = getattr(source, "elements", None) if type(source) is cst.Tuple else None
    for index, (element, part) in enumerate(zip(elements, parts, strict=True)):
        inner = written[index].value if written is not None and len(written) == len(parts) else None
        assign(machine, element.value, part, inner)


def _check_rank(
    machine: Machine, target: cst.Tuple | cst.List, value: Value, source: cst.CSTNode | None
) -> None:
    """``B, T = x.shape`` for an `x` of three axes raises: record it as a clash of rank.

    Where prose alone says how many axes `x` has, it is recorded too that the code says the same.
    """
    if type(value) is not Sequence or value.items is None or source is None:
        return
    count = len(target.elements)
    subject = _shape_subject(source)
    if subject is None:
        _check_results(machine, count, value.items, source)
        return
    fits = len(value.items) == count
    tensor = as_tensor(machine.evaluate(subject))
    if tensor is None or (fits and tensor.evidence is not Evidence.PROSE):
        return
    shape = expanded(tensor, machine.facts)
    text = f"unpacks the {len(value.items)} axes of a {shape} into {count} names"
    clash = None if fits else Clash(Fault.RANK, text, 0, None, None, Verdict.DIFFERENT)
    _record_unpacking(machine, Operand("x", tensor, subject), source, clash)


def _check_results(
    machine: Machine, count: int, items: tuple[Value, ...], source: cst.CSTNode
) -> None:
    """``out, h, c = rnn(x)`` raises where the layer gives other than three values."""
    output = as_tensor(items[0]) if items else None
    made = None if output is None else machine.graph.maker(output)
    if output is None or made is None or made.node is not source or len(items) == count:
        return
    if not isinstance(made.event, Recurrence) or made.clash is not None:
        return
    pair = len(items) == 2 and type(items[1]) is Sequence
    rest = "the states as a pair" if pair else _STATES.get(len(items), "its states")
    turn = " (forward, then backward)" if made.kind == "both_ways" else ""
    text = (
        f"gives {len(items)} values, the output and {rest}{turn}, and {count} names are to take"
        " them: this raises"
    )
    clash = Clash(Fault.RANK, text, 0, None, None, Verdict.DIFFERENT)
    _record_unpacking(machine, Operand("x", output, source), source, clash)


#: The states behind an output, by how many values there are with it.
_STATES = {2: "a state", 3: "two states", 5: "four states"}


def _record_unpacking(
    machine: Machine, operand: Operand, source: cst.CSTNode, clash: Clash | None
) -> None:
    machine.record(
        Operation(
            machine.graph.next_number,
            "unpack",
            "unpack",
            (operand,),
            UNKNOWN,
            source,
            machine.statement,
            machine.frame.place,
            None,
            clash,
        )
    )


def _shape_subject(source: cst.CSTNode) -> cst.BaseExpression | None:
    """The tensor whose shape ``x.shape`` or ``x.size()`` is, if it is written as a plain name."""
    if type(source) is cst.Call and not source.args:
        source = source.func
        if not (type(source) is cst.Attribute and source.attr.value == "size"):
            return None
    elif not (type(source) is cst.Attribute and source.attr.value == "shape"):
        return None
    subject = source.value
    while type(subject) is cst.Attribute:
        subject = subject.value
    return source.value if type(subject) is cst.Name else None


def _attribute(
    machine: Machine, target: cst.Attribute, value: Value, source: cst.CSTNode | None
) -> None:
    owner = machine.evaluate(target.value)
    name = target.attr.value
    if isinstance(owner, Instance):
        setter = owner.of.lookup(f"{name}.setter")
        if type(setter) is Function:
            call_function(machine, setter, [machine.initialised(owner), value], {}, target)
            return
        value = settle(machine, name, named_size(machine, name, value))
        machine.set_attribute(machine.initialised(owner), name, value)
    elif type(owner) is Layer:
        changed = changed_layer(machine, owner, name, value)
        if changed is not owner:
            _replace(machine, target.value, changed)
    elif type(owner) is Imported:
        machine.project.forget(owner.path, name)
    elif type(owner) is Tensor and name == "shape" and type(target.value) is cst.Name:
        machine.environment.assign(target.value.value, owner.with_shape(None))
    if type(target.value) is cst.Name:
        machine.show(f"{target.value.value}.{name}", target, value)


def _subscript(
    machine: Machine, target: cst.Subscript, value: Value, source: cst.CSTNode | None
) -> None:
    """``x[i] = value``: a tensor keeps its shape; a list or dict is another one afterwards."""
    base = machine.evaluate(target.value)
    if type(base) is Choice:
        base = one_list(base)
    changed: Value
    if type(base) is Sequence and base.mutable:
        changed = Sequence(None, True, length=containers.length_of(machine, base))
    elif type(base) is Tensor:
        filled = _filled(machine, target, base, value)
        if filled is None:
            if source is not None:
                check_write(machine, target, base, value, source)
            return
        changed = filled
    elif type(base) is Mapping:
        key: Value = UNKNOWN
        if len(target.slice) == 1 and type(target.slice[0].slice) is cst.Index:
            key = machine.evaluate(target.slice[0].slice.value)
        constant = containers.constant_key(key)
        if constant is None:
            changed = Mapping((), open=True)
        else:
            kept = tuple(pair for pair in base.items if pair[0] != constant.value)
            changed = Mapping((*kept, (constant.value, value)), base.open)
    else:
        return
    _replace(machine, target.value, changed)


#: A number so far below 0 takes scores out of a softmax.
_FAR = -1e3


def _filled(machine: Machine, target: cst.Subscript, base: Tensor, value: Value) -> Value | None:
    """``scores[mask] = -inf``: other scores from here on; None for what is not written so."""
    _note(machine, target, base)
    far = type(value) is Const and isinstance(value.value, float) and value.value <= _FAR
    index = target.slice[0].slice if len(target.slice) == 1 else None
    if not far or type(index) is not cst.Index:
        return None
    key = machine.evaluate(index.value)
    mask = as_tensor(key)
    if mask is None or mask.dtype != "bool":
        return None
    arguments: dict[str, Value] = {"x": base, "key": Sequence((mask,)), "y": value}
    written: Written = {"x": target.value, "key": [index.value]}
    return apply(machine, indexing.assign, arguments, written, target, "[]=", base.library or "")


#: What a key that is evaluated here is made of: bounds and names cost nothing to look up.
_PLAIN = (cst.Slice, cst.Name, cst.Integer, cst.UnaryOperation)


def _note(machine: Machine, target: cst.Subscript, base: Tensor) -> None:
    """Record which places are written to, where slices cut a tensor that has an axis of 1."""
    shape = expanded(base, machine.facts)
    items = [each.slice for each in target.slice]
    plain = all(type(getattr(item, "value", item)) in _PLAIN for item in items)
    if shape is None or not shape.closed or not plain or len(items) != len(shape.axes):
        return
    if not any(axis.is_one for axis in shape.axes):
        return
    keys = tuple(key_of(machine, item) for item in items)
    if any(type(key) is not Slice for key in keys):
        return
    machine.record(
        Operation(
            machine.graph.next_number,
            "write",
            "[]=",
            (Operand("x", base, target.value), Operand("key", Sequence(keys), None)),
            base,
            target,
            machine.statement,
            machine.frame.place,
            None,
            None,
        )
    )


def _replace(machine: Machine, place: cst.BaseExpression, value: Value) -> None:
    """Put a changed container where it was taken from: under a name or an attribute."""
    if type(place) is cst.Name:
        machine.environment.assign(place.value, value)
    elif type(place) is cst.Attribute:
        owner = machine.evaluate(place.value)
        if isinstance(owner, Instance):
            machine.set_attribute(owner, place.attr.value, value)


def delete(machine: Machine, target: cst.CSTNode) -> None:
    """``del x`` or ``del x[i]``: what a container still holds is not known."""
    if type(target) is cst.Name:
        machine.environment.assign(target.value, UNKNOWN)
    elif type(target) is cst.Subscript:
        base = machine.evaluate(target.value)
        if type(base) is Sequence and base.mutable:
            _replace(machine, target.value, Sequence(None, True))
        elif type(base) is Mapping:
            _replace(machine, target.value, Mapping((), open=True))


def parameter_site(machine: Machine, parameter: cst.Param, value: Value) -> None:
    """Give a traced root's parameter its value, and show it."""
    name = parameter.name.value
    machine.environment.names[name] = value
    machine.show(name, parameter.name, value)


_ASSIGNERS: dict[type, Callable[[Machine, Any, Value, cst.CSTNode | None], None]] = {
    cst.Name: _name,
    cst.Tuple: _tuple,
    cst.List: _tuple,
    cst.Attribute: _attribute,
    cst.Subscript: _subscript,
}
