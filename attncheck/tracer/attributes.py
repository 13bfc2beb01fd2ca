"""Attribute access: on tensors, library modules, the project's objects, and containers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from attncheck.algebra.shape import expand
from attncheck.frameworks.lookup import find, is_property
from attncheck.record import replace
from attncheck.tracer import updates
from attncheck.tracer.arguments import Arguments
from attncheck.tracer.builtins import CONSTANTS
from attncheck.tracer.choices import over
from attncheck.tracer.containers import holds_lists, is_config, member_of
from attncheck.tracer.functions import as_setting, call_function
from attncheck.tracer.layers import extended_layer, layer_setting
from attncheck.tracer.machine import Machine
from attncheck.tracer.modules import method_of
from attncheck.tracer.recorder import apply_spelling
from attncheck.values.join import without_none
from attncheck.values.tensor import UNKNOWN_TENSOR, Tensor
from attncheck.values.value import (
    ALIKE,
    UNKNOWN,
    Chain,
    Choice,
    Class,
    Const,
    Function,
    Imported,
    Instance,
    Layer,
    Library,
    LibraryMethod,
    Mapping,
    Method,
    Parameter,
    Partial,
    Scalar,
    Sequence,
    ShapeOf,
    Super,
    Unknown,
    Value,
)

#: Methods by which a value nobody knows is known to be a tensor.
_OF_TENSORS = frozenset(
    ["contiguous", "expand", "index_select", "permute", "reshape", "transpose", "view"]
)
#: What a call of a layer runs.
_CALLS = frozenset(["forward", "__call__", "call"])
#: Where a library keeps its array's methods and properties.
ARRAY_CLASS = {
    "numpy": "numpy.ndarray",
    "torch": "torch.Tensor",
    "jax": "jax.Array",
    "tensorflow": "tensorflow.Tensor",
}


def get(machine: Machine, base: Value, name: str, node: cst.Attribute) -> Value:
    """``base.name``."""
    base = without_none(base)
    getter = _GETTERS.get(type(base))
    return UNKNOWN if getter is None else getter(machine, base, name, node)


def _of_library(machine: Machine, base: Library, name: str, node: cst.Attribute) -> Value:
    constant = CONSTANTS.get(f"{base.path}.{name}")
    return constant if constant is not None else Library(f"{base.path}.{name}")


def _of_imported(machine: Machine, base: Imported, name: str, node: cst.Attribute) -> Value:
    if not base.name:
        return machine.project.member(base.path, name)
    return get(machine, machine.resolved(base), name, node)


def _of_tensor(machine: Machine, base: Tensor, name: str, node: cst.Attribute) -> Value:
    if name == "shape" and base.shape is not None:
        shape = expand(base.shape, machine.facts)
        if not shape.closed:
            return ShapeOf(shape)
    for path in method_paths(machine, base, name):
        spelling = find(path)
        if spelling is None:
            continue
        if not is_property(path):
            return LibraryMethod(base, name)
        value = apply_spelling(machine, spelling, Arguments([base], {}, [node.value], {}), node)
        return UNKNOWN if value is None else value
    if name in ("device", "dtype"):
        return Scalar("str")
    if name == "value" and base.library == "jax":
        # Arrays have none: it is a variable of flax, of which nothing but its value is followed.
        return base
    return LibraryMethod(base, name)


def _of_partial(machine: Machine, base: Partial, name: str, node: cst.Attribute) -> Value:
    return updates.updating(base, name) or UNKNOWN


def _of_parameter(machine: Machine, base: Parameter, name: str, node: cst.Attribute) -> Value:
    """An attribute of something unseen: a tensor's, if it is one that tensors have.

    Settings have any name: ``cfg.dim`` is a number.
    """
    if is_config(base):
        return as_setting(member_of(machine, base, name), name)
    if name == updates.AT and updates.has_at(machine, base.tensor):
        return LibraryMethod(base, name)
    if any(find(path) is not None for path in method_paths(machine, base.tensor, name)):
        value = _of_tensor(machine, base.tensor, name, node)
        return LibraryMethod(base, name) if type(value) is LibraryMethod else value
    return as_setting(member_of(machine, base, name), name)


def method_paths(machine: Machine, tensor: Tensor, name: str) -> list[str]:
    """Where the member `name` of an array may be found: in its library, or in those imported."""
    if tensor.library:
        return [f"{ARRAY_CLASS.get(tensor.library, tensor.library)}.{name}"]
    return [f"{ARRAY_CLASS[library]}.{name}" for library in machine.evidence.array_libraries]


def _of_instance(machine: Machine, base: Instance, name: str, node: cst.Attribute) -> Value:
    member = base.of.lookup(name)
    if type(member) is not Function or base.pending is None:
        value = machine.initialised(base).attributes.get(name)
        if value is not None:
            return replace(value, kept=True) if type(value) is Parameter else value
    if type(member) is Function:
        if member.static == "property":
            return call_function(machine, member, [base], {}, node)
        return bind(base, member)
    if member is not None and type(member) is not Unknown:
        return member
    if name == "training":
        return Scalar("bool")
    if method_of(machine, base, name) is not None:
        return LibraryMethod(base, name)
    if name == "__call__":
        for worker in ("forward", "call"):
            method = base.of.lookup(worker)
            if type(method) is Function:
                return bind(base, method)
    return _of_extended(machine, base, name)


def bind(receiver: Value, function: Function) -> Value:
    """A function taken from an object or a class: bound, unless it is a static method."""
    if function.static == "staticmethod":
        return function
    if function.static == "classmethod" and isinstance(receiver, Instance):
        return Method(receiver.of, function)
    return Method(receiver, function)


def _of_class(machine: Machine, base: Class, name: str, node: cst.Attribute) -> Value:
    member = base.lookup(name)
    if type(member) is Function and member.static == "classmethod":
        return Method(base, member)
    return UNKNOWN if member is None else member


def _of_super(machine: Machine, base: Super, name: str, node: cst.Attribute) -> Value:
    for parent in base.owner.bases:
        member = parent.lookup(name) if isinstance(parent, Class) else None
        if type(member) is Function:
            return bind(base.receiver, member)
        if member is not None and type(member) is not Unknown:
            return member
    if name == "__init__":
        return LibraryMethod(base, name)
    return _of_extended(machine, base.receiver, name)


def _of_extended(machine: Machine, base: Instance, name: str) -> Value:
    """A member that an object has from the layer that its class extends."""
    layer = extended_layer(machine.initialised(base))
    if layer is None:
        return UNKNOWN
    setting = layer_setting(machine, layer, name)
    if setting is not None:
        return setting
    return layer if name in _CALLS else UNKNOWN


def _of_choice(machine: Machine, base: Choice, name: str, node: cst.Attribute) -> Value:
    if holds_lists(base):
        return LibraryMethod(base, name)
    return over(machine, base, lambda option: get(machine, option, name, node))


def _of_layer(machine: Machine, base: Layer, name: str, node: cst.Attribute) -> Value:
    """What a layer was made with, and its methods; ``layer.forward`` is the layer itself."""
    if name in _CALLS:
        return base
    setting = layer_setting(machine, base, name)
    return LibraryMethod(base, name) if setting is None else setting


def _of_chain(machine: Machine, base: Chain, name: str, node: cst.Attribute) -> Value:
    if name in _CALLS:
        return base
    found = dict(base.items).get(name)
    return LibraryMethod(base, name) if found is None else found


def _of_unknown(machine: Machine, base: Unknown, name: str, node: cst.Attribute) -> Value:
    if base.alike:
        return ALIKE
    if name not in _OF_TENSORS or "torch" not in machine.evidence.array_libraries:
        return UNKNOWN
    imported = type(node.value) is cst.Name and machine.environment.lookup(node.value.value)
    if type(imported) is Imported:
        return UNKNOWN
    return LibraryMethod(UNKNOWN_TENSOR, name)


def _of_sequence(machine: Machine, base: Sequence, name: str, node: cst.Attribute) -> Value:
    """An attribute of a list or a tuple; of the two tensors that ``x.max(dim=1)`` gives by name."""
    if name in _PAIR and base.items is not None and len(base.items) == 2 and not base.mutable:
        return base.items[_PAIR.index(name)]
    return LibraryMethod(base, name)


def _of_other(machine: Machine, base: Value, name: str, node: cst.Attribute) -> Value:
    return LibraryMethod(base, name)


#: What torch calls the results of what finds both (max, topk, sort and so on); a tuple has neither.
_PAIR = ("values", "indices")

_GETTERS: dict[type, Callable[[Machine, Any, str, cst.Attribute], Value]] = {
    Library: _of_library,
    Imported: _of_imported,
    Tensor: _of_tensor,
    Parameter: _of_parameter,
    Instance: _of_instance,
    Class: _of_class,
    Sequence: _of_sequence,
    Mapping: _of_other,
    ShapeOf: _of_other,
    Super: _of_super,
    Unknown: _of_unknown,
    Choice: _of_choice,
    Partial: _of_partial,
    Layer: _of_layer,
    Chain: _of_chain,
    Const: _of_other,
    Scalar: _of_other,
}
