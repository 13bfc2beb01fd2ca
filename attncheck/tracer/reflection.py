"""Functions about objects: ``getattr``, ``isinstance``, ``copy.deepcopy``, and calls by proxy."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Classes
from typing import TypeAlias

import libcst as cst

from attncheck.algebra.size import of
from attncheck.record import replace
from attncheck.tracer import attributes, keras
from attncheck.tracer.arguments import Arguments
from attncheck.tracer.lifted import LIFTED
from attncheck.tracer.machine import Machine
from attncheck.values.join import join
from attncheck.values.tensor import Tensor
from attncheck.values.value import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Chain,
    Class,
    Const,
    Function,
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
    Unknown,
    Value,
    as_integer,
)

Reflection: TypeAlias = Callable[[Machine, Arguments, cst.CSTNode], Value]


def _name(arguments: Arguments) -> str | None:
    """The second argument, if it is a name that is known."""
    value = arguments.positional[1] if len(arguments.positional) > 1 else UNKNOWN
    return value.value if type(value) is Const and isinstance(value.value, str) else None


def _getattr(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    name = _name(arguments)
    if name is None or not name.isidentifier():
        return UNKNOWN
    attribute = cst.Attribute(cst.Name("object"), cst.Name(name))
    value = attributes.get(machine, arguments.first(), name, attribute)
    owner = arguments.first()
    if isinstance(owner, Instance) and isinstance(value, Unknown) and len(arguments.positional) > 2:
        known = name in machine.initialised(owner).attributes
        return value if known else arguments.positional[2]
    if isinstance(owner, Instance) and name in owner.unsure and len(arguments.positional) > 2:
        return join(value, arguments.positional[2])
    return value


def _setattr(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    owner, name = arguments.first(), _name(arguments)
    if isinstance(owner, Instance) and name is not None and len(arguments.positional) == 3:
        machine.set_attribute(machine.initialised(owner), name, arguments.positional[2])
    elif isinstance(owner, Instance) and not _is_own(machine, owner):
        _change_settings(machine, machine.initialised(owner))
    return NONE


def _is_own(machine: Machine, owner: Instance) -> bool:
    """Whether an object is the one whose method runs: it may keep there what it was given."""
    function = machine.frame.function
    parameters = () if function is None else function.node.params.params
    own = machine.environment.names.get(parameters[0].name.value) if parameters else None
    return own is owner


def _change_settings(machine: Machine, owner: Instance) -> None:
    """Any of the numbers and switches of an object may be another one from here on."""
    for name, value in list(owner.attributes.items()):
        if type(value) in (Const, Int):
            machine.set_attribute(owner, name, _changed(machine, name, value))


def _changed(machine: Machine, name: str, value: Value) -> Value:
    number = as_integer(value)
    if number is None:
        return UNKNOWN
    return Int(None if number < 1 else of(machine.scope.fresh(name, value=number)))


def _hasattr(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    owner, name = arguments.first(), _name(arguments)
    if isinstance(owner, Instance) and name in machine.initialised(owner).attributes:
        return Scalar("bool") if name in owner.unsure else TRUE
    return Scalar("bool")


#: What the values of the tracer are instances of, by the class's full name.
_KINDS: dict[type, frozenset[str]] = {
    Int: frozenset(["builtins.int"]),
    Sequence: frozenset(["builtins.list", "builtins.tuple"]),
    Mapping: frozenset(["builtins.dict"]),
}


def _isinstance(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    if len(arguments.positional) != 2:
        return Scalar("bool")
    value, asked = arguments.positional
    classes = asked.items if type(asked) is Sequence else (asked,)
    if classes is None:
        return Scalar("bool")
    if isinstance(value, Instance):
        if any(_descends(value.of, each) for each in classes):
            return TRUE
        return Scalar("bool")
    if value == NONE:
        return FALSE  # nobody asks for its class
    if type(value) is Layer:
        return _is_layer(value, classes)
    own = _KINDS.get(type(value))
    paths = {each.path for each in classes if type(each) is Library}
    if type(value) is Int and paths == {"torch.Tensor"} and len(classes) == 1:
        return FALSE
    if own is None or len(paths) < len(classes):
        return Scalar("bool")
    if type(value) is Sequence and not own <= paths:
        # Whether it is a list or a tuple is not always known.
        return Scalar("bool") if own & paths else FALSE
    return TRUE if own & paths else Scalar("bool")


def _is_layer(layer: Layer, classes: Classes[Value]) -> Value:
    """Whether a layer is of one of some classes: PyTorch's own do not descend from each other.

    ``Module`` and bases that are not public, ``_ConvNd``, are those of many.
    """
    names = [each.path.rpartition(".") for each in classes if type(each) is Library]
    own = layer.path.rpartition(".")
    if own in names:
        return TRUE
    if len(names) < len(classes) or own[0] != "torch.nn" or own[2].startswith("Lazy"):
        return Scalar("bool")
    other = all(room == "torch.nn" and name != "Module" for room, _, name in names)
    return FALSE if other else Scalar("bool")


def _type(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """``type(layer)``, of which another one is then made."""
    value = arguments.first() if len(arguments.positional) == 1 else None
    if type(value) is Layer:
        return Library(value.path)
    return value.of if type(value) is Instance else UNKNOWN


def _descends(of: Class, asked: Value) -> bool:
    return of is asked or any(_descends(base, asked) for base in of.bases if type(base) is Class)


def _copy(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """A copy has the same sizes."""
    return arguments.first()


#: What can be called, and what cannot.
_CALLED = (Chain, Class, Function, Layer, LibraryMethod, Method, Partial)
_NOT_CALLED = (Const, Int, Mapping, Scalar, Sequence, Tensor)


def _callable(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    value = arguments.first()
    if type(value) in _CALLED:
        return TRUE
    # What a function is given is as a rule no function, where it is asked whether it is one.
    given = type(value) is Parameter and machine.evidence.presuming
    return FALSE if type(value) in _NOT_CALLED or given else Scalar("bool")


def _promoted(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """Arrays of one dtype, each in its own shape."""
    if not arguments.exact:
        return UNKNOWN
    made = (
        replace(value, dtype=None, operation=None) if type(value) is Tensor else value
        for value in arguments.positional
    )
    return Sequence(tuple(made))


def _by_proxy(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """``checkpoint(function, *arguments)`` is ``function(*arguments)``."""
    from attncheck.tracer.calls import call

    keywords = {
        name: value
        for name, value in arguments.keywords.items()
        if name not in ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check")
    }
    inner = replace(
        arguments,
        positional=arguments.positional[1:],
        nodes=arguments.nodes[1:],
        keywords=keywords,
    )
    return call(machine, arguments.first(), inner, node)


#: Functions of functions, by full name.
FUNCTIONS_OF_FUNCTIONS = LIFTED | keras.FUNCTIONS
#: By full name.
REFLECTIONS: dict[str, Reflection] = {
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.hasattr": _hasattr,
    "builtins.isinstance": _isinstance,
    "builtins.type": _type,
    "builtins.callable": _callable,
    "copy.deepcopy": _copy,
    "copy.copy": _copy,
    "flax.linen.dtypes.promote_dtype": _promoted,
    "typing.cast": lambda machine, arguments, node: (
        arguments.positional[1] if len(arguments.positional) == 2 else UNKNOWN
    ),
    "torch.utils.checkpoint.checkpoint": _by_proxy,
    "torch.nn.utils.skip_init": _by_proxy,
    **FUNCTIONS_OF_FUNCTIONS,
}
