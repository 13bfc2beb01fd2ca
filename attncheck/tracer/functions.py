"""Functions of the checked project: made, given their arguments, and run in place of the call."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.shape import expand, open_shape
from attncheck.algebra.size import of
from attncheck.evidence.roles import is_mask_name
from attncheck.frameworks.lookup import public
from attncheck.graph import Caller, Place
from attncheck.operators.masking import MASK
from attncheck.record import replace
from attncheck.tracer.arguments import Arguments
from attncheck.tracer.blocks import simple_statements
from attncheck.tracer.branches import with_found_axes
from attncheck.tracer.defaults import presume_alike, presume_rank
from attncheck.tracer.machine import (
    CALL_DEPTH,
    MAKING,
    Environment,
    Frame,
    Machine,
    ShapeSite,
)
from attncheck.tracer.sketches import Sketches
from attncheck.tree.pairs import last_name
from attncheck.values.join import join_all
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import (
    FORWARD,
    NONE,
    UNFIT,
    UNKNOWN,
    Class,
    Const,
    Function,
    Imported,
    Int,
    Library,
    Mapping,
    Parameter,
    Partial,
    Scalar,
    Sequence,
    Value,
    as_tensor,
)

#: Decorators that leave a function's arguments and result as they are, by their last name.
TRANSPARENT = frozenset(
    [
        *("no_grad", "inference_mode", "enable_grad", "wraps", "cache", "lru_cache", "jit", "njit"),
        *("script", "unused", "ignore", "override", "final", "overload", "abstractmethod"),
        *("typechecked", "beartype", "jaxtyped", "compact", "nowrap", "remat", "named_call"),
        "with_name_scope",
    ]
)
#: Words in the names of decorators that document, register, compile or watch a function.
_WATCHING = re.compile(
    r"(?:^|_)(?:add|auto|auto_?docstring|capture|can_return|check|compile|custom_[bf]wd|deprecat\w*|"
    r"doc\w*|export\w*|force|hub|inherit|kernel|log\w*|merge_with|no_grad|profile\w*|register\w*|"
    r"replace|torch_compile|trace\w*|validate\w*|warn\w*)(?:_|$)"
)
#: Decorators that change what a function takes or gives.
_CHANGING = frozenset(["vmap", "vectorize", "pmap", "contextmanager", "asynccontextmanager"])
#: Names of arguments that are one size, and neither a tensor nor a list of sizes.
_SIZE_NAME = re.compile(
    r"(?:(?:hidden|embed|emb|model|head|attn|attention|query|key|value|enc|dec|encoder|decoder)_)"
    r"(?:hidden_)?(?:dim|size)|(?:num|n)_(?:attention_)?heads?|(?:batch|vocab|beam)_size|seq_len"
)
#: Names of settings that are one number each: what is a list in some models is not among them.
_SETTING_NAME = re.compile(
    r"(?:\w+_)?(?:dim|features|channels|width|heads|hiddens?|positions|embeddings)|d_\w+|num_\w+|"
    r"(?:\w+_)?(?:hidden|embed|embedding|emb|vocab|model|head|intermediate|ffn|state)_size"
)
_STATIC = {"staticmethod", "classmethod", "property", "cached_property", "setter"}


def make_function(
    machine: Machine, node: cst.FunctionDef, owner: Class | None = None
) -> tuple[Function, bool]:
    """The function that a ``def`` makes, and whether its decorators let calls through."""
    static: str | None = None
    plain = node.asynchronous is None
    for decorator in node.decorators:
        name = last_name(decorator.decorator)
        if name in _STATIC:
            static = "property" if name == "cached_property" else name
        elif not _lets_through(name, node.name.value):
            plain = False
    prefix = machine.frame.place.function if owner is None else owner.qualified
    qualified = f"{prefix}.{node.name.value}" if prefix else node.name.value
    defaults = _defaults(machine, node.params)
    function = Function(
        node.name.value, qualified, node, machine.environment, owner, static, defaults
    )
    return function, plain and not is_generator(node)


def _lets_through(decorator: str, function: str) -> bool:
    """Whether calls of a decorated function are calls of the function itself."""
    if decorator in _CHANGING:
        return False
    watched = decorator in TRANSPARENT or _WATCHING.search(decorator) is not None
    # A caller sees these only through the library's own call: what decorates them returns theirs.
    return watched or function in FORWARD


def decorated(machine: Machine, node: cst.FunctionDef, function: Function) -> Value:
    """A function under decorators that are known functions of functions, from the inside out.

    UNKNOWN under any other that changes what a call gives.
    """
    from attncheck.tracer.calls import call
    from attncheck.tracer.reflection import FUNCTIONS_OF_FUNCTIONS

    value: Value = function
    for decorator in reversed(node.decorators):
        if _lets_through(last_name(decorator.decorator), node.name.value):
            continue
        callee = machine.evaluate(decorator.decorator)
        target = callee.callee if type(callee) is Partial else callee
        if type(target) is not Library or public(target.path) not in FUNCTIONS_OF_FUNCTIONS:
            return UNKNOWN
        value = call(machine, callee, Arguments([value], {}, [None], {}), decorator.decorator)
    return value if node.asynchronous is None and not is_generator(node) else UNKNOWN


def make_lambda(machine: Machine, node: cst.Lambda) -> Value:
    """The function that a ``lambda`` makes."""
    defaults = _defaults(machine, node.params)
    place = machine.frame.place.function
    return Function("<lambda>", place, node, machine.environment, defaults=defaults)


def _defaults(machine: Machine, parameters: cst.Parameters) -> dict[str, Value]:
    """The defaults of parameters, which are evaluated where the function is made."""
    listed = (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
    return {
        parameter.name.value: machine.evaluate(parameter.default)
        for parameter in listed
        if parameter.default is not None
    }


def is_generator(node: cst.FunctionDef) -> bool:
    """Whether the function yields, looking at its own statements only."""
    return any(
        isinstance(getattr(part, "value", None), cst.Yield) for part in simple_statements(node.body)
    )


# -- arguments ----------------------------------------------------------------------------------


def call_function(
    machine: Machine,
    function: Function,
    positional: list[Value],
    keywords: dict[str, Value],
    node: cst.CSTNode,
    exact: bool = True,
) -> Value:
    """Run `function` on these arguments; the value it returns.

    `exact` is False where some arguments were spread from something unknown: a parameter that got
    none may then have got one. Recursion and calls too deep give an unknown value.
    """
    active = sum(frame.function is function for frame in machine.frames)
    if len(machine.frames) > CALL_DEPTH or active > 0:
        return machine.not_modelled(function.qualified)
    machine.step()
    environment = Environment(_closure(function))
    arguments = bind_arguments(machine, function, positional, keywords, exact)
    if arguments is None:
        return UNFIT
    ledger, root = machine.evidence.ledger, machine.frames[0].function
    if root is not None and len(machine.frames) > 1:
        # What a root itself calls is run: it knows best how the sizes of arguments hang together.
        spared = ledger.spared(function, root, arguments, machine.facts)
        if spared is not None:
            return spared
    begun = None
    if ledger.saving:
        begun = machine.repeats.begin(function, arguments, machine.facts, len(machine.journal))
        given = None if begun is None else machine.repeats.given(begun)
        if given is not None:
            return given
    result = _run(machine, _entered(machine, environment, function, arguments, node))
    if root is not None:
        ledger.note(function, root, arguments, result, machine.facts)
    if begun is not None:
        machine.repeats.note(begun, result, len(machine.journal))
    return result


def _entered(
    machine: Machine,
    environment: Environment,
    function: Function,
    arguments: dict[str, Value],
    node: cst.CSTNode,
) -> Frame:
    """The activation of a function with its arguments, noted wherever calls are noted."""
    _settle_claims(machine, function, arguments)
    environment.names.update(arguments)
    if machine.evidence.presuming and environment.file is None:
        _presume(machine, function, arguments)
    if environment.file is None:
        machine.sketches.setdefault(function, Sketches()).take(arguments, node, machine.facts)
    if machine.observe_calls:
        machine.calls_seen.setdefault(function, []).append(arguments)
    if environment.file is None:
        name = function.qualified
        if machine.observe_calls and type(function.node) is not cst.Lambda:
            # A lambda goes by the name of the function that makes it, whose sites these are not.
            machine.inner[name] = list(_parameter_sites(function, arguments))
        if function.name in MAKING:
            machine.made.setdefault(name, []).append(list(_parameter_sites(function, arguments)))
    place = machine.frame.place
    # A call that stands in another file is a part of the one in this file that led there.
    calls = place.calls
    if not machine.is_elsewhere:
        calls = (*calls, Caller(node, place, arguments))
    return Frame(environment, Place(function.qualified, function.node, calls), function)


def _run(machine: Machine, frame: Frame) -> Value:
    """What a function's body returns, in the file that it is from."""
    if frame.environment.file is not None and not machine.is_elsewhere:
        return machine.project.visit(machine, lambda: run_body(machine, frame))
    return run_body(machine, frame)


def _presume(machine: Machine, function: Function, arguments: dict[str, Value]) -> None:
    """Give arguments nobody has seen as many axes as the called function says that they have."""
    parameters = function.node.params
    for parameter in (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params):
        value = arguments[parameter.name.value]
        if as_tensor(value) is not None:
            rank = machine.evidence.hinted_rank(function, parameter)
            if rank is not None:
                presume_rank(machine, value, rank)


def _settle_claims(machine: Machine, function: Function, arguments: dict[str, Value]) -> None:
    """Forget what the caller's prose says of an argument where the function's says otherwise.

    ``inputs`` may be documented as tokens, and be what a mode of the layer takes instead.
    """
    for name, value in arguments.items():
        if type(value) is not Tensor or value.evidence is not Evidence.PROSE:
            continue
        given = value.shape
        claim = machine.evidence.docstring(function).parameters.get(name)
        told = None if claim is None else claim.read(machine.evidence.scope.symbol)
        ranks = {None if shape is None else shape.rank for shape in (given, told)}
        if None not in ranks and len(ranks) > 1:
            arguments[name] = value.with_shape(None)


def _parameter_nodes(function: Function) -> Iterator[tuple[str, cst.Name]]:
    parameters = function.node.params
    for parameter in (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params):
        yield parameter.name.value, parameter.name


def _parameter_sites(function: Function, arguments: dict[str, Value]) -> Iterator[ShapeSite]:
    for name, parameter in _parameter_nodes(function):
        yield ShapeSite(function.qualified, name, parameter, arguments[name])


def run_body(machine: Machine, frame: Frame) -> Value:
    """Run a function's body in `frame`, its arguments already there; the value it returns."""
    assert frame.function is not None
    node = frame.function.node
    with machine.running(frame):
        if isinstance(node, cst.Lambda):
            return machine.evaluate(node.body)
        whole = machine.project.whole(node)
        if whole is None:
            return machine.not_modelled(frame.function.qualified)
        if machine.is_inside:
            for name, parameter in _parameter_nodes(frame.function):
                machine.show(name, parameter, frame.environment.names[name])
        left = machine.execute(whole.body.body)
        if left is None or not frame.returned:
            frame.returned.append(NONE if left != "raise" else UNKNOWN)
        # What is joined has to show all that was found out about its shape.
        returned = [with_found_axes(machine, value, expand) for value in frame.returned]
        return join_all(presume_alike(machine, returned))


def _closure(function: Function) -> Environment:
    assert isinstance(function.closure, Environment)
    return function.closure


def bind_arguments(
    machine: Machine,
    function: Function,
    positional: list[Value],
    keywords: dict[str, Value],
    exact: bool,
) -> dict[str, Value] | None:
    """The arguments by parameter name, defaults filled in; None if the call does not fit.

    One that lacks an argument raises before anything in the function runs.
    """
    parameters = function.node.params
    bound: dict[str, Value] = {}
    left, rest = list(positional), dict(keywords)
    positional_parameters = [*parameters.posonly_params, *parameters.params]
    for parameter in positional_parameters:
        name = parameter.name.value
        if left:
            bound[name] = _named(machine, name, left.pop(0))
        elif name in rest:
            bound[name] = _named(machine, name, rest.pop(name))
    if type(parameters.star_arg) is cst.Param:
        bound[parameters.star_arg.name.value] = Sequence(tuple(left) if exact else None)
        left = []
    for parameter in parameters.kwonly_params:
        name = parameter.name.value
        if name in rest:
            bound[name] = _named(machine, name, rest.pop(name))
    if parameters.star_kwarg is not None:
        bound[parameters.star_kwarg.name.value] = Mapping(tuple(rest.items()), open=not exact)
        rest = {}
    if left or rest:
        return None
    for parameter in (*positional_parameters, *parameters.kwonly_params):
        if parameter.name.value not in bound:
            if exact and parameter.default is None:
                return None
            bound[parameter.name.value] = _left_out(machine, function, parameter, exact)
    return bound


def _left_out(machine: Machine, function: Function, parameter: cst.Param, exact: bool) -> Value:
    name = parameter.name.value
    if not exact and not machine.evidence.presuming:
        return UNKNOWN
    # What ``**kwargs`` passes on without naming it is seldom there.
    return _named(machine, name, function.defaults.get(name, UNKNOWN))


def _named(machine: Machine, name: str, value: Value) -> Value:
    """A number given to a parameter of the dimension table's name becomes a symbol of that name."""
    if type(value) is Parameter:
        return as_setting(value, name)
    return named_size(machine, name, value)


def as_setting(value: Parameter, name: str) -> Value:
    """A setting as the number that it is by a `name` that it goes under."""
    return value.number if value.setting and _SETTING_NAME.fullmatch(name) else value


def named_size(machine: Machine, name: str, value: Value) -> Value:
    """A literal size under a name of the dimension table, as the table's symbol with that value.

    Sizes are compared as symbols even where numbers coincide (SPEC section 2). An axis of 1 is what
    is stretched and squeezed, whatever it is called.
    """
    if type(value) is not Int or value.size is None or not machine.scope.symbol(name).table:
        return value
    number = value.size.number
    if number is None or number <= 1:
        return value
    return Int(of(machine.scope.fresh(name, value=number)))


# -- parameters of a function traced in general ---------------------------------------------------


def general_arguments(
    machine: Machine,
    function: Function,
    receiver: Value | None,
    said: dict[str, bool] | None = None,
) -> Iterator[tuple[cst.Param, Value]]:
    """Each parameter with the value it has when nothing is known of the call.

    Where it is `said` of one whether it is given, it certainly is no None, or has its default.
    """
    parameters = function.node.params
    listed = [*parameters.posonly_params, *parameters.params]
    if receiver is not None and listed and function.static != "staticmethod":
        yield listed.pop(0), receiver
    for parameter in (*listed, *parameters.kwonly_params):
        given = None if said is None else said.get(parameter.name.value)
        value = function.defaults[parameter.name.value] if given is False else None
        value = _general(machine, function, parameter) if value is None else value
        yield parameter, _not_none(value) if given else value
    if type(parameters.star_arg) is cst.Param:
        yield parameters.star_arg, Sequence(None)
    if parameters.star_kwarg is not None:
        yield parameters.star_kwarg, Mapping((), open=True)


def _not_none(value: Value) -> Value:
    if type(value) is Tensor:
        return replace(value, optional=False)
    return replace(value, given=True) if type(value) is Parameter else value


def _general(machine: Machine, function: Function, parameter: cst.Param) -> Value:
    known: Value | None = machine.evidence.parameter(function, parameter)
    if known is not None:
        return known
    name = parameter.name.value
    default = function.defaults.get(name)
    making = function.name in MAKING
    if type(default) is Int or (default is None and _names_a_size(machine, name, making)):
        return Int(of(machine.evidence.argument(name)))
    if type(default) is Const and default != NONE:
        return Scalar(type(default.value).__name__)
    if type(default) in (Scalar, Sequence, Mapping):
        return UNKNOWN
    if default is not None and type(default) in (Class, Function, Library, Imported):
        # What is given in its place is a class or a function like it.
        return default
    role = MASK if is_mask_name(name) else None
    tensor = Tensor(open_shape(name), role=role, evidence=Evidence.FORCED, optional=default == NONE)
    return Parameter(name, tensor, Int(of(machine.evidence.argument(name))), setting=making)


def _names_a_size(machine: Machine, name: str, making: bool) -> bool:
    """Whether an argument is by its name a size and no tensor: ``d_model``, ``hidden_dim``.

    Where objects are made what sounds like a setting is one: ``d_in``.
    """
    if machine.scope.symbol(name).table or _SIZE_NAME.fullmatch(name) is not None:
        return True
    return making and _SETTING_NAME.fullmatch(name) is not None
