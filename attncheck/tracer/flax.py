"""Modules of flax's linen API: classes whose annotated names are what they are made with.

Such a class has no ``__init__``: its fields are the arguments, ``setup`` runs before anything else
looks at the object, and layers and parameters are made where they are used. ``module.apply`` and
``module.init`` call the module beside what they do with its parameters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

import libcst as cst

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Shape
from attncheck.evidence.roles import Role
from attncheck.operators.call import Call
from attncheck.tracer.arguments import Arguments
from attncheck.tracer.functions import bind_arguments, call_function, general_arguments
from attncheck.tracer.machine import Environment, Machine
from attncheck.values.tensor import Tensor
from attncheck.values.value import (
    FALSE,
    NONE,
    UNKNOWN,
    Class,
    Const,
    Function,
    Imported,
    Instance,
    Library,
    Mapping,
    Method,
    Scalar,
    Sequence,
    Value,
)

_MODULE = re.compile(r"flax\.linen\.(?:module\.)?Module")
#: Fields that every module has.
_OWN = frozenset(["name", "parent"])
#: The dict of parameters, of which nothing is known.
_VARIABLES = Mapping((), open=True)


def is_module(machine: Machine, of: Class) -> bool:
    """Whether a class is one of linen's modules, which has the fields for its arguments."""
    bases = (machine.resolved(base) if type(base) is Imported else base for base in of.bases)
    return any(
        is_module(machine, base)
        if isinstance(base, Class)
        else type(base) is Library and _MODULE.fullmatch(base.path) is not None
        for base in bases
    )


# -- making ----------------------------------------------------------------------------------------


def _fields(of: Class) -> Iterator[tuple[cst.Param, Value | None]]:
    """The fields as parameters, each with its default; those of a class come after its bases'."""
    nodes: dict[str, cst.AnnAssign] = {}
    for each in _line(of):
        for statement in each.node.body.body:
            if type(statement) is not cst.SimpleStatementLine:
                continue
            for part in statement.body:
                if type(part) is cst.AnnAssign and type(part.target) is cst.Name:
                    nodes[part.target.value] = part
    for name in of.fields:
        node = nodes.get(name)
        if node is not None and type(node.target) is cst.Name:
            parameter = cst.Param(node.target, annotation=node.annotation, default=node.value)
            yield parameter, None if node.value is None else of.lookup(name)


def _line(of: Class) -> Iterator[Class]:
    """The bases of a class that are the project's, and the class itself."""
    for base in of.bases:
        if isinstance(base, Class):
            yield from _line(base)
    yield of


def _maker(machine: Machine, of: Class) -> Function:
    """The function that the fields are the parameters of."""
    fields = list(_fields(of))
    listed = [cst.Param(cst.Name("self"))]
    named: list[cst.Param] = []
    for parameter, _ in fields:
        # A field without a default behind one that has one (of a base) can only be given by name.
        late = parameter.default is None and listed[-1].default is not None
        (named if late else listed).append(parameter)
    parameters = cst.Parameters(listed, kwonly_params=named)
    node = cst.FunctionDef(cst.Name("__init__"), parameters, cst.IndentedBlock([]))
    defaults = {parameter.name.value: value for parameter, value in fields if value is not None}
    closure = Environment(machine.environment if machine.frames else None)
    return Function("__init__", f"{of.qualified}.__init__", node, closure, of, None, defaults)


def fill(machine: Machine, instance: Instance, arguments: Arguments) -> Value:
    """An object with the fields that a call gives it; ``setup`` runs when it is looked into.

    UNKNOWN if the call does not fit the fields.
    """
    keywords = {name: arguments.keywords[name] for name in arguments.keywords.keys() - _OWN}
    positional: list[Value] = [instance, *arguments.positional]
    maker = _maker(machine, instance.of)
    bound = bind_arguments(machine, maker, positional, keywords, arguments.exact)
    if bound is None:
        return UNKNOWN
    for name, value in bound.items():
        if name != "self":
            machine.set_attribute(instance, name, value)
    _set_up(instance)
    return instance


def fill_in_general(machine: Machine, instance: Instance) -> None:
    """Give a module fields of which nothing is known but what their annotations say."""
    fill_fields(machine, instance)
    _set_up(instance)


def fill_fields(machine: Machine, instance: Instance) -> None:
    """Give an object the fields of its class, which calls may have given any values."""
    for parameter, value in general_arguments(machine, _maker(machine, instance.of), instance):
        if value is not instance:
            machine.set_attribute(instance, parameter.name.value, value)


def _set_up(instance: Instance) -> None:
    setup = instance.of.lookup("setup")
    if type(setup) is Function:
        function: Function = setup

        def run(machine: Machine) -> None:
            call_function(machine, function, [instance], {}, function.node)

        instance.pending = run


# -- methods ---------------------------------------------------------------------------------------


def _param(machine: Machine, module: Value, arguments: Arguments) -> Value:
    """``self.param(name, init, shape)``: what the initialiser gives, a parameter of the module."""
    made = _initialised(machine, arguments.positional[1:])
    return made if type(made) is not Tensor else _learned(made)


def _learned(made: Tensor) -> Tensor:
    return Tensor(made.shape, "jax", made.dtype or "float", Role.PARAMETER)


def _variable(machine: Machine, module: Value, arguments: Arguments) -> Value:
    """``self.variable(kind, name, init, *given)``; its ``value`` is what the initialiser gives."""
    from attncheck.tracer.calls import call

    maker, given = arguments.positional[2:3], arguments.positional[3:]
    if not maker or type(maker[0]) is not Function:
        return UNKNOWN
    return call(machine, maker[0], Arguments(given, {}, [None] * len(given), {}), maker[0].node)


def _initialised(machine: Machine, given: list[Value]) -> Value:
    from attncheck.tracer.calls import call

    if not given:
        return UNKNOWN
    maker, rest = given[0], given[1:]
    if type(maker) is Function:
        positional = [Scalar("key"), *rest]
        inner = Arguments(positional, {}, [None] * len(positional), {})
        return call(machine, maker, inner, maker.node)
    sizes = _sizes(rest[0], machine.facts) if rest else None
    return UNKNOWN if sizes is None else Tensor(sizes, "jax", "float")


def _sizes(value: Value, facts: Facts) -> Shape | None:
    sizes = Call(facts, {"sizes": value}, "jax", "").sizes("sizes")
    return None if sizes is None else Shape(tuple(Axis(size) for size in sizes))


def _apply(machine: Machine, module: Value, arguments: Arguments) -> Value:
    """``module.apply(variables, *given)``: the module called; with what changed, if asked."""
    result = _called(machine, module, arguments)
    mutable = arguments.keywords.get("mutable", FALSE)
    return result if mutable in (FALSE, NONE) else Sequence((result, _VARIABLES))


def _init(machine: Machine, module: Value, arguments: Arguments) -> Value:
    _called(machine, module, arguments)
    return _VARIABLES


def _init_with_output(machine: Machine, module: Value, arguments: Arguments) -> Value:
    return Sequence((_called(machine, module, arguments), _VARIABLES))


#: What ``apply`` and ``init`` take beside the arguments of the module.
_BESIDE = frozenset(["rngs", "mutable", "method", "capture_intermediates"])


def _called(machine: Machine, module: Value, arguments: Arguments) -> Value:
    from attncheck.tracer.calls import call

    keywords = {k: v for k, v in arguments.keywords.items() if k not in _BESIDE}
    inner = Arguments(
        arguments.positional[1:], keywords, arguments.nodes[1:], arguments.written, arguments.exact
    )
    method = arguments.keywords.get("method", NONE)
    callee: Value = module
    if method != NONE:
        callee = _method(module, method)
    return call(machine, callee, inner, cst.Name("apply"))


def _method(module: Value, method: Value) -> Value:
    if type(method) is Const and isinstance(module, Instance):
        found = module.of.lookup(str(method.value))
        return Method(module, found) if type(found) is Function else UNKNOWN
    return Method(module, method) if type(method) is Function else UNKNOWN


ModuleMethod: TypeAlias = Callable[[Machine, Value, Arguments], Value]
#: By name, of the project's modules and of the library's layers.
METHODS: dict[str, ModuleMethod] = {
    "apply": _apply,
    "init": _init,
    "init_with_output": _init_with_output,
    "param": _param,
    "variable": _variable,
    "make_rng": lambda machine, module, arguments: Scalar("key"),
    "sow": lambda machine, module, arguments: NONE,
    "has_variable": lambda machine, module, arguments: Scalar("bool"),
    "is_initializing": lambda machine, module, arguments: Scalar("bool"),
}


def method_of(machine: Machine, receiver: Value, name: str) -> ModuleMethod | None:
    """A method that linen gives to its modules and layers; None for other objects."""
    linen = (type(receiver) is Instance and is_module(machine, receiver.of)) or (
        getattr(receiver, "path", "").startswith("flax.linen.")
    )
    return METHODS.get(name) if linen else None
