"""Calls: who is called, with what, and how.

The callee is a value; each kind of value has its own way of being called, in one table. Library
functions are looked up by their full name, methods of arrays by the library of the array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from attncheck.frameworks.lookup import find, find_layer, is_property, public
from attncheck.record import replace
from attncheck.tracer import containers, flax, keras
from attncheck.tracer.arguments import Arguments
from attncheck.tracer.attributes import method_paths
from attncheck.tracer.builtins import BUILTINS, GENERATORS
from attncheck.tracer.choices import over
from attncheck.tracer.functions import call_function
from attncheck.tracer.layers import (
    CONTAINERS,
    call_layer,
    extend_layer,
    extended_layer,
    make_layer,
)
from attncheck.tracer.ledger import alike_to
from attncheck.tracer.lent import let_go, share
from attncheck.tracer.machine import Environment, Machine
from attncheck.tracer.modules import call_method
from attncheck.tracer.recorder import apply_spelling
from attncheck.tracer.reflection import REFLECTIONS
from attncheck.tracer.unseen import call_unseen, called_name, mask_of_heads
from attncheck.values.join import is_no_more, join
from attncheck.values.tensor import UNKNOWN_TENSOR, Tensor
from attncheck.values.value import (
    NONE,
    UNKNOWN,
    Chain,
    Choice,
    Class,
    Function,
    Imported,
    Instance,
    Int,
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
    as_tensor,
    is_truth,
)


def call_expression(machine: Machine, node: cst.Call) -> Value:
    """A call as written."""
    if type(node.func) is cst.Name and node.func.value == "super":
        return _super(machine)
    callee = machine.evaluate(node.func)
    arguments = evaluate_arguments(machine, node)
    if type(callee) is LibraryMethod and type(node.func) is cst.Attribute:
        _change_container(machine, node.func, callee, arguments)
    if type(callee) in (Imported, Library):
        # Its making is long, and not to be followed.
        made = mask_of_heads(machine, arguments, called_name(node))
        if made is not None:
            return made
    value = call(machine, callee, arguments, node)
    let_go(machine, callee, node, value)
    if type(value) is not Unknown:
        if type(callee) is LibraryMethod and callee.name.endswith("_"):
            _change_tensor(machine, node.func, callee, value)
        return value
    guessed = call_unseen(machine, arguments, node, called_name(node))
    return value if guessed is None else guessed


def evaluate_arguments(machine: Machine, node: cst.Call) -> Arguments:
    """The arguments of a call, spread ones taken apart where they are known."""
    positional: list[Value] = []
    keywords: dict[str, Value] = {}
    written: dict[str, cst.BaseExpression] = {}
    nodes: list[cst.CSTNode | None] = []
    spread: list[Value] = []
    exact = True
    for argument in node.args:
        value = machine.evaluate(argument.value)
        if argument.star == "*":
            items = containers.items_of(machine, value)
            if items is None:
                exact = False
                spread.append(value)
            else:
                positional += items
                nodes += [None] * len(items)
        elif argument.star == "**":
            if type(value) is Mapping:
                keywords.update((str(key), item) for key, item in value.items)
            exact = exact and type(value) is Mapping and not value.open
        elif argument.keyword is not None:
            keywords[argument.keyword.value] = value
            written[argument.keyword.value] = argument.value
        else:
            positional.append(value)
            nodes.append(argument.value)
    return Arguments(positional, keywords, nodes, written, exact, spread)


#: What operators call their arguments that are no tensors.
_NUMBERS = frozenset({"axis", "axes", "order", "dtype", "keepdims", "shape", "diagonal"})


def call(machine: Machine, callee: Value, arguments: Arguments, node: cst.CSTNode) -> Value:
    """Call a value."""
    caller = _CALLERS.get(type(callee))
    if caller is None:
        return _not_modelled(machine, arguments, node, "")
    return caller(machine, callee, arguments, node)


def _not_modelled(machine: Machine, arguments: Arguments, node: cst.CSTNode, name: str) -> Value:
    """The unknown result of a call that nothing is known of; counted if it was given a tensor."""
    given = [*arguments.positional, *arguments.keywords.values()]
    if any(type(value) is Tensor or type(value) is Parameter for value in given):
        machine.not_modelled(name or _spelled(node))
    return UNKNOWN


def _spelled(node: cst.CSTNode) -> str:
    """The dotted name that a call is written with."""
    expression: cst.CSTNode = node.func if type(node) is cst.Call else node
    parts: list[str] = []
    while type(expression) is cst.Attribute:
        parts.append(expression.attr.value)
        expression = expression.value
    if type(expression) is cst.Name:
        parts.append(expression.value)
    return ".".join(reversed(parts)) or "(an expression)"


def _call_library(
    machine: Machine, callee: Library, arguments: Arguments, node: cst.CSTNode
) -> Value:
    path = public(callee.path)
    layer = find_layer(path)
    if layer is not None:
        return make_layer(machine, layer, arguments, node)
    if path in CONTAINERS:
        return CONTAINERS[path](machine, arguments)
    reflection = REFLECTIONS.get(path)
    if reflection is not None:
        return reflection(machine, arguments, node)
    builtin = BUILTINS.get(path.removeprefix("builtins."))
    if builtin is not None:
        return builtin(machine, arguments, node)
    if path == "numpy.prod" and all(
        type(item) is Int for item in containers.items_of(machine, arguments.first()) or (UNKNOWN,)
    ):
        # The product of a tuple of sizes is a size, not an array of no axes.
        return BUILTINS["math.prod"](machine, arguments, node)
    if path in GENERATORS:
        return Library(GENERATORS[path])
    spelling = find(path)
    if spelling is None or not arguments.exact:
        return _not_modelled(machine, arguments, node, path)
    value = apply_spelling(machine, spelling, arguments, node)
    return UNKNOWN if value is None else value


def _call_imported(
    machine: Machine, callee: Imported, arguments: Arguments, node: cst.CSTNode
) -> Value:
    found = machine.resolved(callee)
    if type(found) is Imported:  # a module
        return UNKNOWN
    return call(machine, found, arguments, node)


def _call_library_method(
    machine: Machine, callee: LibraryMethod, arguments: Arguments, node: cst.CSTNode
) -> Value:
    receiver = callee.receiver
    tensor = as_tensor(receiver)
    if tensor is None:
        return _container_method(machine, callee, arguments, node)
    if tensor is UNKNOWN_TENSOR and _is_of_a_module(arguments):
        return _not_modelled(machine, arguments, node, _spelled(node))
    written = (
        node.func.value if type(node) is cst.Call and type(node.func) is cst.Attribute else None
    )
    whole = Arguments(
        [receiver, *arguments.positional],
        arguments.keywords,
        [written, *arguments.nodes],
        arguments.written,
        arguments.exact,
        arguments.spread,
    )
    spellings = [
        found
        for path in method_paths(machine, tensor, callee.name)
        if not is_property(path) and (found := find(path))
    ]
    if not arguments.exact or not spellings:
        return _not_modelled(machine, whole, node, _spelled(node))
    fitting = [
        spelling
        for spelling in spellings
        if spelling.bind(whole.positional, whole.keywords) is not None
    ]
    # Who writes NumPy's names for arguments has an array of NumPy rather than one of torch.
    plain = [each for each in fitting if each.aliases.keys().isdisjoint(whole.keywords)]
    fitting = plain or fitting
    if type(receiver) is Parameter and fitting and _is_of_a_layer(fitting[0], arguments):
        return _not_modelled(machine, whole, node, _spelled(node))
    # Two libraries that spell one thing differently: without knowing which, nothing is known.
    if len(fitting) > 1 and not _same_meaning(fitting, arguments):
        return Tensor(None, evidence=tensor.evidence)
    if not fitting:
        return UNKNOWN
    value = apply_spelling(machine, fitting[0], whole, node)
    return UNKNOWN if value is None else value


def _is_of_a_module(arguments: Arguments) -> bool:
    """Whether a call takes what no method of a tensor does: ``ops.reshape(x, [2, 3])``.

    A tensor's own method takes sizes one by one, or all in one list, and no tensor in front.
    """
    given = arguments.positional
    lists = [value for value in given if type(value) in (Sequence, ShapeOf)]
    return (bool(lists) and len(given) > 1) or any(type(value) is Tensor for value in given[:1])


def _is_of_a_layer(spelling: Any, arguments: Arguments) -> bool:
    """Whether a call gives a tensor where a tensor's method takes a number: ``model.norm(x)``."""
    second = [parameter.neutral for parameter in spelling.parameters][1:2]
    if not arguments.positional or _NUMBERS.isdisjoint(second):
        return False
    return type(arguments.positional[0]) is Tensor or _is_part(arguments.nodes[0])


def _is_part(node: cst.CSTNode | None) -> bool:
    """Whether an expression is a slice of something: ``hidden[:255]``."""
    return type(node) is cst.Subscript and any(
        type(element.slice) is cst.Slice for element in node.slice
    )


def _same_meaning(spellings: list[Any], arguments: Arguments) -> bool:
    """Whether a method that several libraries have does the same in each of them here."""
    first = spellings[0]
    return all(
        spelling.operator is first.operator and spelling.fixed == first.fixed
        for spelling in spellings
    )


def _container_method(
    machine: Machine, callee: LibraryMethod, arguments: Arguments, node: cst.CSTNode
) -> Value:
    receiver, name = callee.receiver, callee.name
    if type(receiver) is Super:
        extend_layer(machine, receiver.receiver, arguments, node)
        return NONE
    if type(receiver) in (Instance, Layer, Chain):
        return call_method(machine, receiver, name, arguments)
    if type(receiver) is Mapping:
        return _dict_method(receiver, name, arguments)
    if type(receiver) is Scalar and name == "astype" and not is_truth(receiver):
        # What a library makes of a number is an array of no axes, and followed as the number. But
        # what a comparison gives may be of any shape.
        return receiver
    if type(receiver) in (Sequence, ShapeOf) and name in ("copy", "as_list"):
        return receiver
    if type(receiver) is Sequence and name == "pop":
        return containers.each(machine, receiver)
    return UNKNOWN


def _dict_method(receiver: Mapping, name: str, arguments: Arguments) -> Value:
    if name == "get" and arguments.positional:
        key = containers.constant_key(arguments.positional[0])
        found = None if key is None else receiver.get(key.value)
        if found is not None or key is None or receiver.open:
            return UNKNOWN if found is None else found
        return arguments.positional[1] if len(arguments.positional) > 1 else UNKNOWN
    if receiver.open:
        return UNKNOWN
    if name == "values":
        return Sequence(tuple(value for _, value in receiver.items))
    if name == "items":
        from attncheck.values.value import Const

        return Sequence(tuple(Sequence((Const(key), value)) for key, value in receiver.items))
    return UNKNOWN


def _change_container(
    machine: Machine, target: cst.Attribute, callee: LibraryMethod, arguments: Arguments
) -> None:
    """``outputs.append(x)``: the name (or attribute) that was written has another list now."""
    changed = containers.changed(callee.receiver, callee.name, arguments)
    if changed is None:
        return
    if type(target.value) is cst.Name:
        if type(callee.receiver) is Sequence:
            share(machine, callee.receiver, changed)
        machine.environment.assign(target.value.value, changed)
    elif type(target.value) is cst.Attribute:
        owner = machine.evaluate(target.value.value)
        if isinstance(owner, Instance):
            machine.set_attribute(owner, target.value.attr.value, changed)


def _change_tensor(
    machine: Machine, target: cst.BaseExpression, callee: LibraryMethod, value: Value
) -> None:
    """``mask.triu_(1)``, ``mask.data.fill_(0)``: the name that was written holds another tensor."""
    receiver = callee.receiver
    if type(receiver) is not Tensor or type(value) is not Tensor:
        return
    written = target.value if type(target) is cst.Attribute else None
    if type(written) is cst.Attribute and written.attr.value == "data":
        written = written.value
    if type(written) is cst.Name:
        changed = value if value.shape is not None else value.with_shape(receiver.shape)
        machine.environment.assign(written.value, changed)


def _call_function(
    machine: Machine, callee: Function, arguments: Arguments, node: cst.CSTNode
) -> Value:
    return call_function(
        machine, callee, arguments.positional, arguments.keywords, node, arguments.exact
    )


def _call_method(
    machine: Machine, callee: Method, arguments: Arguments, node: cst.CSTNode
) -> Value:
    positional = [callee.receiver, *arguments.positional]
    return call_function(
        machine, callee.function, positional, arguments.keywords, node, arguments.exact
    )


def _call_partial(
    machine: Machine, callee: Partial, arguments: Arguments, node: cst.CSTNode
) -> Value:
    return call(
        machine,
        callee.callee,
        replace(
            arguments,
            positional=[*callee.positional, *arguments.positional],
            keywords={**dict(callee.keywords), **arguments.keywords},
            nodes=[*[None] * len(callee.positional), *arguments.nodes],
        ),
        node,
    )


def construct(machine: Machine, callee: Class, arguments: Arguments, node: cst.CSTNode) -> Value:
    """An object of a class of the project: its ``__init__`` run on these arguments."""
    instance = Instance(callee)
    initialiser = callee.lookup("__init__")
    if type(initialiser) is Function:
        function: Function = initialiser

        def initialise(machine: Machine) -> None:
            call_function(
                machine,
                function,
                [instance, *arguments.positional],
                arguments.keywords,
                node,
                arguments.exact,
            )

        instance.pending = initialise
        plain = tuple(("", value) for value in arguments.positional)
        instance.given = (*plain, *arguments.keywords.items())
        if machine.is_elsewhere:
            # The call that leads here from the checked file is known now, and not later.
            machine.initialised(instance)
    elif flax.is_module(machine, callee):
        return flax.fill(machine, instance, arguments)
    elif callee.fields:
        given = dict(zip(callee.fields, arguments.positional, strict=False)) | arguments.keywords
        for name in callee.fields:
            default = callee.lookup(name) or UNKNOWN
            machine.set_attribute(instance, name, given.get(name, default))
        finish = callee.lookup("__post_init__")
        if type(finish) is Function:
            _finish(machine, finish, instance, node)
    else:
        extend_layer(machine, instance, arguments, node)
    return instance


def _finish(machine: Machine, finish: Function, instance: Instance, node: cst.CSTNode) -> None:
    """Run ``__post_init__``, but not for objects like one that it has left as it was.

    In the checked file it is run for each, as what it computes may be wrong.
    """
    ledger = machine.evidence.ledger
    elsewhere = isinstance(finish.closure, Environment) and finish.closure.file is not None
    made = alike_to(finish, instance) if elsewhere and ledger.saving else None
    if made is not None and made in ledger.left_alone:
        return
    state = len(machine.journal), machine.facts.mark()
    call_function(machine, finish, [instance], {}, node)
    if made is not None and state == (len(machine.journal), machine.facts.mark()):
        ledger.left_alone.add(made)


def _call_instance(
    machine: Machine, callee: Instance, arguments: Arguments, node: cst.CSTNode
) -> Value:
    """``module(x)``: the class's ``__call__``, or the method that a library's base calls."""
    for name in ("__call__", "forward"):
        member = callee.of.lookup(name)
        if type(member) is Function:
            return _call_method(machine, Method(callee, member), arguments, node)
    method = keras.worker(machine, callee)
    if method is not None:
        return keras.call_layer(machine, callee, method, arguments, node)
    layer = extended_layer(machine.initialised(callee))
    if layer is not None:
        return _call_layer(machine, layer, arguments, node)
    return _not_modelled(machine, arguments, node, callee.of.qualified)


def _super(machine: Machine) -> Value:
    function = machine.frame.function
    if function is None or function.owner is None or type(function.node) is cst.Lambda:
        return UNKNOWN
    parameters = function.node.params.params
    if not parameters:
        return UNKNOWN
    receiver = machine.environment.names.get(parameters[0].name.value)
    return Super(receiver, function.owner) if isinstance(receiver, Instance) else UNKNOWN


def _call_layer(machine: Machine, callee: Layer, arguments: Arguments, node: cst.CSTNode) -> Value:
    value = call_layer(machine, callee, arguments, node)
    return _not_modelled(machine, arguments, node, callee.path) if value is None else value


def _call_chain(machine: Machine, callee: Chain, arguments: Arguments, node: cst.CSTNode) -> Value:
    """Each callable on what the one before has given; of any number of copies two say it all."""
    steps = [value for _, value in callee.items]
    if callee.repeated is not None:
        steps = [callee.repeated, callee.repeated]
    value = arguments.first()
    for index, step in enumerate(steps):
        before, given = value, arguments if index == 0 else Arguments([value], {}, [None], {})
        value = call(machine, step, given, node)
        if callee.repeated is not None:
            value = join(before, value)
            if not machine.evidence.loose and is_no_more(before, value):
                break
    return value


def _call_choice(
    machine: Machine, callee: Choice, arguments: Arguments, node: cst.CSTNode
) -> Value:
    return over(machine, callee, lambda option: call(machine, option, arguments, node))


_CALLERS: dict[type, Callable[[Machine, Any, Arguments, cst.CSTNode], Value]] = {
    Library: _call_library,
    Imported: _call_imported,
    LibraryMethod: _call_library_method,
    Layer: _call_layer,
    Chain: _call_chain,
    Choice: _call_choice,
    Function: _call_function,
    Method: _call_method,
    Partial: _call_partial,
    Class: construct,
    Instance: _call_instance,
}
