"""Keras: layers and models of the project, and layers that are functions of other layers.

A layer of the project has its work in ``call``, and makes its parameters in ``build``, which runs
before the first call and is given the shape of what is called with. ``Lambda``, ``Activation`` and
``TimeDistributed`` are what they are made with, in other words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import libcst as cst

from attncheck.algebra.shape import Axis, Shape, expand
from attncheck.algebra.size import of
from attncheck.evidence.roles import Role
from attncheck.frameworks.lookup import find_layer, public
from attncheck.frameworks.spelling import LayerSpelling
from attncheck.operators import creation, value_first
from attncheck.operators.call import Call
from attncheck.record import replace
from attncheck.tracer.arguments import Arguments
from attncheck.tracer.functions import bind_arguments, call_function
from attncheck.tracer.machine import Machine
from attncheck.tracer.recorder import apply
from attncheck.values.tensor import Tensor
from attncheck.values.value import (
    NONE,
    TRUE,
    UNKNOWN,
    Class,
    Const,
    Function,
    Imported,
    Instance,
    Int,
    Layer,
    Library,
    Partial,
    Sequence,
    ShapeOf,
    Value,
    as_tensor,
)

#: What the library itself passes to any layer that takes it.
_PASSED: Final = frozenset(["training", "mask"])
#: What layers do to each step of a sequence, whether they are given one or all.
_STEPWISE: Final = frozenset(["linear_layer", "embedding", "dropout", "unary"])
#: Under this name a layer keeps that its ``build`` has run.
_BUILT: Final = "build()"


def is_layer(machine: Machine, of_class: Class) -> bool:
    """Whether a class is a layer or a model of Keras'."""
    for base in of_class.bases:
        found = machine.resolved(base) if type(base) is Imported else base
        if isinstance(found, Class) and is_layer(machine, found):
            return True
        if type(found) is Library:
            path = public(found.path)
            if path.startswith("keras.layers.") or path in ("keras.Model", "keras.Sequential"):
                return True
    return False


# -- layers of the project -------------------------------------------------------------------------


def worker(machine: Machine, instance: Instance) -> Function | None:
    """The method that runs when a layer is called; None for objects that are no layers."""
    method = instance.of.lookup("call")
    return method if type(method) is Function and is_layer(machine, instance.of) else None


def call_layer(
    machine: Machine, instance: Instance, method: Function, arguments: Arguments, node: cst.CSTNode
) -> Value:
    """A layer of the project called: built first, and given what its ``call`` takes."""
    keywords = _accepted(arguments.keywords, method)
    positional = [instance, *arguments.positional]
    given = bind_arguments(machine, method, positional, keywords, arguments.exact)
    if arguments.positional and given is not None:
        build(machine, machine.initialised(instance), list(given.items()), node)
    return call_function(machine, method, positional, keywords, node, arguments.exact)


def _accepted(keywords: dict[str, Value], method: Function) -> dict[str, Value]:
    parameters = method.node.params
    if parameters.star_kwarg is not None:
        return keywords
    listed = (*parameters.params, *parameters.kwonly_params)
    names = {parameter.name.value for parameter in listed}
    return {name: value for name, value in keywords.items() if name in names or name not in _PASSED}


#: The names and values of a call's arguments; the object itself is the first.
Given: TypeAlias = list[tuple[str, Value]]


def build(machine: Machine, instance: Instance, given: Given, node: cst.CSTNode) -> None:
    """Run a layer's ``build`` on the shapes of its arguments, unless it has run."""
    method = builder(machine, instance)
    if method is None or len(given) < 2 or instance.attributes.get(_BUILT) == TRUE:
        return
    machine.set_attribute(instance, _BUILT, TRUE)
    call_function(machine, method, [instance], _shapes(machine, method, given), node)


def _shapes(machine: Machine, method: Function, given: Given) -> dict[str, Value]:
    """What Keras passes to a ``build`` (`keras.Layer.build`).

    One parameter gets the shape of the first argument; of several, ``query_shape`` gets that of the
    argument `query`, if that is given.
    """
    parameters = method.node.params
    listed = (*parameters.posonly_params, *parameters.params)[1:] + tuple(parameters.kwonly_params)
    names = [parameter.name.value for parameter in listed]
    if len(names) == 1:
        return {names[0]: _shape_of(machine, given[1][1])}
    shapes: dict[str, Value] = {}
    for position, (name, value) in enumerate(given[1:]):
        tensor = as_tensor(value)
        if f"{name}_shape" in names and value != NONE:
            maybe = position > 0 and tensor is not None and tensor.optional
            shapes[f"{name}_shape"] = UNKNOWN if maybe else _shape_of(machine, value)
    return shapes


def build_for(machine: Machine, instance: Instance, function: Function, given: Given) -> None:
    """Build a layer anew for the arguments that its ``call`` is traced on in general.

    Where that tells less of its parameters than before (an argument may be a list of tensors) it
    stays as it was.
    """
    method = builder(machine, instance)
    if method is None or len(given) < 2 or worker(machine, instance) is not function:
        return
    before, mark, journal = dict(instance.attributes), machine.facts.mark(), len(machine.journal)
    shapes = _shapes(machine, method, given)
    call_function(machine, method, [instance], shapes, method.node)
    after = instance.attributes
    if any(_known(value) and not _known(after.get(name)) for name, value in before.items()):
        machine.facts.undo(mark)
        machine.roll_back(journal)


def _known(value: Value | None) -> bool:
    """Whether a value is a tensor whose sizes are all known."""
    shape = value.shape if type(value) is Tensor else None
    return shape is not None and shape.closed and None not in shape.sizes()


def builder(machine: Machine, instance: Instance) -> Function | None:
    """The method that makes the parameters of a layer; None for objects that have none such."""
    method = instance.of.lookup("build")
    return method if type(method) is Function and is_layer(machine, instance.of) else None


def _shape_of(machine: Machine, value: Value) -> Value:
    """What ``build`` is given for an argument: a tuple of sizes, a list of such for a list."""
    if type(value) is Sequence and value.items is not None:
        return Sequence(tuple(_shape_of(machine, item) for item in value.items), value.mutable)
    tensor = as_tensor(value)
    if tensor is None or tensor.shape is None:
        return UNKNOWN
    shape = expand(tensor.shape, machine.facts)
    if not shape.closed:
        return ShapeOf(shape)
    return Sequence(tuple(Int(axis.size) for axis in shape.lead))


# -- methods that layers have ----------------------------------------------------------------------


def _add_weight(machine: Machine, layer: Value, arguments: Arguments) -> Value:
    """``self.add_weight(shape=..., ...)``; older versions have a name in front of the shape."""
    given = [value for value in arguments.positional[:2] if not _is_name(value)]
    value = arguments.keywords.get("shape", given[0] if given else UNKNOWN)
    sizes = Call(machine.facts, {"sizes": value}, "tensorflow", "").sizes("sizes")
    shape = None if sizes is None else Shape(tuple(Axis(size) for size in sizes))
    return Tensor(shape, "tensorflow", "float", Role.PARAMETER)


def _is_name(value: Value) -> bool:
    return value == NONE or (type(value) is Const and isinstance(value.value, str))


LayerMethod: TypeAlias = Callable[[Machine, Value, Arguments], Value]
METHODS: Final[dict[str, LayerMethod]] = {
    **dict.fromkeys(("add_weight", "add_variable"), _add_weight),
    **dict.fromkeys(("add_loss", "add_metric"), lambda machine, layer, arguments: NONE),
}


def method_of(machine: Machine, receiver: Value, name: str) -> LayerMethod | None:
    """A method that Keras gives to its layers; None for other objects."""
    method = METHODS.get(name)
    if method is None or type(receiver) is not Instance or not is_layer(machine, receiver.of):
        return None
    return method


# -- layers of the library -------------------------------------------------------------------------


def taken(arguments: Arguments, spelling: LayerSpelling) -> Arguments:
    """The arguments of a layer's call without those that Keras does not hand on to it."""
    if not spelling.path.startswith("keras.") or not arguments.keywords.keys() & _PASSED:
        return arguments
    names = {parameter.spelled for parameter in spelling.calling.parameters}
    rest = {k: v for k, v in arguments.keywords.items() if k in names or k not in _PASSED}
    return replace(arguments, keywords=rest)


def unlisted(spelling: LayerSpelling, given: dict[str, Value], written: dict[str, Any]) -> None:
    """Name the items of a list of query, value and key: ``attention([q, v])``."""
    if spelling.operator is not value_first.list_attention:
        return
    named = value_first.by_name(given)
    given.clear()
    given |= named
    elements = getattr(written.pop("xs", None), "elements", ())
    written |= {name: each.value for name, each in zip(value_first.NAMES, elements, strict=False)}


def activated(machine: Machine, layer: Layer, value: Value, node: cst.CSTNode) -> Value:
    """What the activation that a layer was made with makes of the layer's result."""
    from attncheck.tracer.calls import call

    function = _activation(layer.settings.get("activation", NONE))
    if function == NONE or as_tensor(value) is None:
        return value
    return call(machine, function, Arguments([value], {}, [None], {}), node)


def _activation(value: Value) -> Value:
    """The function that a name of an activation stands for."""
    if type(value) is Const and isinstance(value.value, str):
        return Library(f"keras.activations.{value.value}")
    return value


def _made_with(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """``Lambda(function)``, ``Activation("tanh")``: the function itself."""
    given = [*arguments.positional, *arguments.keywords.values()]
    return _activation(given[0]) if given else UNKNOWN


def _time_distributed(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """``TimeDistributed(layer)``: the layer mapped over axis 1."""
    if not arguments.positional:
        return UNKNOWN
    return Partial(Library("keras.layers.TimeDistributed()"), (arguments.positional[0],), ())


def _on_each_step(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """A call of ``TimeDistributed(layer)``."""
    from attncheck.tracer.calls import call
    from attncheck.tracer.lifted import mapped_over

    layer, *given = arguments.positional
    if not given:
        return UNKNOWN
    spelling = find_layer(layer.path) if type(layer) is Layer else None
    if spelling is not None and spelling.operator.__name__ in _STEPWISE:
        return call(machine, layer, Arguments(given, {}, arguments.nodes[1:], {}), node)
    return mapped_over(machine, layer, given[0], 1, node)


def _input(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """``Input(shape=(T, d))``: a tensor of these sizes behind the batch."""
    given = arguments.keywords
    whole = given.get("batch_shape", NONE)
    inner = arguments.positional[0] if arguments.positional else given.get("shape", NONE)
    if whole == NONE:
        batch = given.get("batch_size", NONE)
        counted = batch if batch != NONE else Int(of(machine.scope.symbol("batch_size")))
        items = inner.items if type(inner) is Sequence else None
        whole = UNKNOWN if items is None else Sequence((counted, *items))
    return apply(machine, creation.filled, {"shape": whole}, {}, node, "keras.Input", "tensorflow")


def _model(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """``Model(inputs, outputs)``: its tensors are known already, where they were made."""
    return UNKNOWN


def _compiled(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """``tf.function``, also with options in front of what it decorates."""
    return arguments.positional[0] if arguments.positional else Library("tensorflow.function")


def members(module: str) -> list[str]:
    """The names in a module of Keras' that stand for classes and functions without a table."""
    paths = (*_CLASSES, *FUNCTIONS)
    names = {path.rpartition(".")[2] for path in paths if path.startswith("keras.")}
    return sorted(name for name in names if public(f"{module}.{name}") in paths)


#: Classes that are extended, or that only hold layers.
_CLASSES: Final = ("keras.layers.Layer", "keras.Model", "keras.Sequential")

#: By full name; what ends in brackets is a call of what the function gives.
FUNCTIONS: Final[dict[str, Callable[[Machine, Arguments, cst.CSTNode], Value]]] = {
    "tensorflow.function": _compiled,
    "keras.layers.Lambda": _made_with,
    "keras.layers.Activation": _made_with,
    "keras.layers.TimeDistributed": _time_distributed,
    "keras.layers.TimeDistributed()": _on_each_step,
    "keras.layers.Input": _input,
    "keras.Model": _model,
}
