"""What every module of a library has: buffers, parameters, moving between devices.

The methods that ``nn.Module`` gives to the project's own modules, and to the library's layers, as
far as they matter for shapes: a registered buffer is an attribute, ``to`` and ``eval`` give the
module back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from attncheck.tracer import flax, keras
from attncheck.tracer.arguments import Arguments
from attncheck.tracer.machine import Machine
from attncheck.values.value import NONE, UNKNOWN, Const, Instance, Value

ModuleMethod: TypeAlias = Callable[[Machine, Value, Arguments], Value]


def _itself(machine: Machine, receiver: Value, arguments: Arguments) -> Value:
    return receiver


def _register(machine: Machine, receiver: Value, arguments: Arguments) -> Value:
    """``self.register_buffer("mask", mask)``: the attribute ``mask``."""
    given = [*arguments.positional, *arguments.keywords.values()]
    if isinstance(receiver, Instance) and len(given) > 1:
        name, value = given[:2]
        if type(name) is Const and isinstance(name.value, str):
            machine.set_attribute(machine.initialised(receiver), name.value, value)
    return NONE


#: By the method's name.
METHODS: dict[str, ModuleMethod] = {
    **dict.fromkeys(
        (
            *("to", "cuda", "cpu", "float", "double", "half", "bfloat16", "type", "to_empty"),
            *("train", "eval", "requires_grad_", "apply", "share_memory"),
        ),
        _itself,
    ),
    **dict.fromkeys(
        ("register_buffer", "register_parameter", "register_module", "add_module"), _register
    ),
}


def call_method(machine: Machine, receiver: Value, name: str, arguments: Arguments) -> Value:
    """Call a method that modules have by their library; UNKNOWN for one that is not modelled."""
    method = method_of(machine, receiver, name)
    return UNKNOWN if method is None else method(machine, receiver, arguments)


def method_of(machine: Machine, receiver: Value, name: str) -> ModuleMethod | None:
    """A method that an object's library gives it, or None."""
    own = flax.method_of(machine, receiver, name) or keras.method_of(machine, receiver, name)
    return own or METHODS.get(name)
