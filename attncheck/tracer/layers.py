"""Layers of a library: made, called, and asked for their parameters; and the lists that hold them.

``nn.Linear(d, e)`` is a `Layer` that keeps its arguments; calling it runs one operator on these and
on the input. ``nn.Sequential`` is a `Chain`; ``nn.ModuleList`` and ``nn.ModuleDict`` are a list and
a dict like Python's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import libcst as cst

from attncheck.algebra.bounds import take_positive
from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import Shape, close, expand
from attncheck.evidence.conventions import batched_rank
from attncheck.evidence.identifiers import names_shape
from attncheck.frameworks.lookup import find_layer
from attncheck.frameworks.spelling import LayerSpelling
from attncheck.frameworks.weights import weight_of
from attncheck.record import replace
from attncheck.tracer import containers, keras
from attncheck.tracer.arguments import Arguments
from attncheck.tracer.defaults import presume_rank
from attncheck.tracer.machine import Machine
from attncheck.tracer.recorder import Written, apply, written_arguments
from attncheck.values.join import join_all
from attncheck.values.tensor import Evidence
from attncheck.values.value import (
    NONE,
    UNKNOWN,
    Chain,
    Choice,
    Class,
    Instance,
    Int,
    Layer,
    Library,
    Mapping,
    Parameter,
    Sequence,
    Value,
    as_size,
    as_tensor,
    expanded,
)


def make_layer(
    machine: Machine, spelling: LayerSpelling, arguments: Arguments, node: cst.CSTNode
) -> Value:
    """The layer that a constructor call makes; UNKNOWN if the call does not fit the constructor."""
    settings = spelling.making.bind(arguments.positional, arguments.keywords)
    if settings is None or not arguments.exact:
        return UNKNOWN
    for name in spelling.sizes & settings.keys():
        value = settings[name]
        size = as_size(value)
        if type(value) is Parameter:
            several = name in spelling.shapes and names_shape(value.name)
            settings[name] = UNKNOWN if several else Int(size)
        if size is not None:
            take_positive(size)  # a layer of no features is none
    if machine.is_elsewhere:
        # What another file says of its sizes cannot be shown in the checked one.
        return Layer(spelling.path, settings)
    return Layer(spelling.path, settings, written_arguments(spelling.making, arguments), node)


def call_layer(
    machine: Machine, layer: Layer, arguments: Arguments, node: cst.CSTNode
) -> Value | None:
    """What a layer gives; None if the call does not fit its parameter list."""
    spelling = find_layer(layer.path)
    assert spelling is not None
    arguments = keras.taken(arguments, spelling)
    given = spelling.calling.bind(arguments.positional, arguments.keywords)
    if given is None or not arguments.exact:
        return None
    if machine.own.terms.conventional:
        given |= _batched(machine, spelling.operator.__name__, given)
    rank = batched_rank(layer.path) if machine.evidence.presuming else None
    if rank is not None and "x" in given:
        presume_rank(machine, given["x"], rank)
    expressions = dict(written_arguments(spelling.calling, arguments))
    keras.unlisted(spelling, given, expressions)
    written: Written = {**expressions, **layer.written}
    everything = {**given, **layer.settings}
    value = apply(
        machine, spelling.operator, everything, written, node, layer.path, spelling.library
    )
    return keras.activated(machine, layer, value, node)


#: The sequences that layers take, by operator: ``(T, B, *)`` or ``(B, T, *)``.
SEQUENCES: Final[dict[str, tuple[str, ...]]] = {
    "recurrent": ("x",),
    "multihead_attention": ("query", "key", "value"),
    "encoder_layer": ("src",),
    "decoder_layer": ("tgt", "memory"),
    "encoder": ("src",),
    "decoder": ("tgt", "memory"),
    "transformer": ("src", "tgt"),
}


def _batched(machine: Machine, operator: str, given: dict[str, Value]) -> dict[str, Value]:
    """The sequences among a layer's arguments of which nobody knows the number of axes, with three.

    That is a convention: torch's layers also take a sequence without a batch.
    """
    found: dict[str, Value] = {}
    for name in SEQUENCES.get(operator, ()):
        tensor = as_tensor(given.get(name, UNKNOWN))
        if tensor is None or tensor.shape is None or expand(tensor.shape, machine.facts).closed:
            continue
        shape = close(tensor.shape, 3, machine.facts)
        if shape is not None:
            found[name] = replace(tensor, shape=shape, evidence=Evidence.NAME)
    return found


def layer_setting(machine: Machine, layer: Layer, name: str) -> Value | None:
    """An attribute of a layer: a parameter, or an argument of its constructor; else None."""
    spelling = find_layer(layer.path)
    assert spelling is not None
    weight = weight_of(spelling, name, layer.settings, machine.facts)
    if weight is not None:
        return weight
    for parameter in spelling.making.parameters:
        if parameter.spelled == name:
            return layer.settings.get(parameter.neutral)
    return None


def changed_layer(machine: Machine, layer: Layer, name: str, value: Value) -> Value:
    """A layer after one of its attributes has been set: what it was made with may not hold then."""
    spelling = find_layer(layer.path)
    assert spelling is not None
    if name in spelling.weights:
        before = expanded(layer_setting(machine, layer, name), machine.facts)
        after = expanded(value, machine.facts)
        kept = before is not None and after is not None and _same(before, after, machine.facts)
        return layer if kept or value == NONE else UNKNOWN
    for parameter in spelling.making.parameters:
        if parameter.spelled == name:
            return replace(layer, settings={**layer.settings, parameter.neutral: value})
    return layer


def _same(left: Shape, right: Shape, facts: Facts) -> bool:
    """Whether two shapes are certainly the same."""
    if not left.closed or not right.closed or len(left.lead) != len(right.lead):
        return False
    return all(
        one.size is not None
        and other.size is not None
        and facts.compare(one.size, other.size) is Verdict.EQUAL
        for one, other in zip(left.lead, right.lead, strict=True)
    )


# -- modules of the project that are layers --------------------------------------------------------

#: Under this name an object keeps the layer of the library that its class extends.
_EXTENDED = "super()"


def extend_layer(
    machine: Machine, instance: Instance, arguments: Arguments, node: cst.CSTNode
) -> None:
    """``super().__init__(...)`` in a class that extends a layer: ``class Table(nn.Embedding)``."""
    spelling = _extended_class(instance.of)
    if spelling is not None:
        layer = make_layer(machine, spelling, arguments, node)
        machine.set_attribute(instance, _EXTENDED, layer)


def extended_layer(instance: Instance) -> Layer | None:
    """The layer that an object's class extends, as it was made."""
    layer = instance.attributes.get(_EXTENDED)
    return layer if type(layer) is Layer else None


def _extended_class(of: Class) -> LayerSpelling | None:
    for base in of.bases:
        found = None
        if type(base) is Library:
            found = find_layer(base.path)
        elif type(base) is Class:
            found = _extended_class(base)
        if found is not None:
            return found
    return None


# -- containers of layers --------------------------------------------------------------------------


def _module_list(machine: Machine, arguments: Arguments) -> Value:
    if not arguments.positional:
        return Sequence((), mutable=True)
    given = arguments.first()
    if type(given) is Choice and containers.holds_lists(given):
        return given
    if type(given) is Sequence:
        return Sequence(given.items, True, given.element, given.length)
    return Sequence(None, mutable=True)


def _module_dict(machine: Machine, arguments: Arguments) -> Value:
    return containers.updated(Mapping(()), arguments)


def _sequential(machine: Machine, arguments: Arguments) -> Value:
    """Callables in order, one list of them, or one dict of them by name."""
    first = arguments.first()
    if len(arguments.positional) == 1 and type(first) is Sequence and first.items is not None:
        return containers.chained(first)
    if len(arguments.positional) == 1 and type(first) is Mapping:
        named = tuple((str(key), value) for key, value in first.items)
        return UNKNOWN if first.open else Chain(named)
    if arguments.exact:
        return Chain(tuple((str(i), item) for i, item in enumerate(arguments.positional)))
    if len(arguments.spread) == 1 and not arguments.positional:
        (spread,) = arguments.spread
        if type(spread) is Choice and containers.holds_lists(spread):
            return join_all([containers.chained(option) for option in spread.options])
        return Chain((), containers.each(machine, spread))
    return UNKNOWN


#: Library classes that only hold layers, by full name.
CONTAINERS: dict[str, Callable[[Machine, Arguments], Value]] = {
    "torch.nn.ModuleList": _module_list,
    "torch.nn.ParameterList": _module_list,
    "torch.nn.ModuleDict": _module_dict,
    "torch.nn.ParameterDict": _module_dict,
    "torch.nn.Sequential": _sequential,
    "flax.linen.Sequential": _sequential,
    "flax.nnx.Sequential": _sequential,
    "keras.Sequential": _sequential,
    "flax.nnx.List": _module_list,
    "flax.nnx.Dict": _module_dict,
    "collections.OrderedDict": _module_dict,
}
