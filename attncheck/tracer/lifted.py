"""Functions of functions, as jax has them: ``jit``, ``vmap``, ``grad``, ``scan`` and their kind.

``jax.vmap(f)`` is a `Partial` of ``jax.vmap()``, a name of ours for what calling it does; so a
mapped function is passed on, closed over and called like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import libcst as cst

from attncheck.algebra.shape import Axis
from attncheck.algebra.size import ZERO, Size
from attncheck.operators import mapping
from attncheck.tracer import containers
from attncheck.tracer.arguments import Arguments
from attncheck.tracer.carries import as_carried, hold, with_shapes_of
from attncheck.tracer.machine import Machine
from attncheck.tracer.recorder import apply
from attncheck.values.join import join, join_all
from attncheck.values.tensor import Tensor
from attncheck.values.value import (
    NONE,
    UNKNOWN,
    Const,
    Int,
    Library,
    Mapping,
    Parameter,
    Partial,
    Scalar,
    Sequence,
    Value,
    as_integer,
    as_size,
    as_tensor,
)

Lifted: TypeAlias = Callable[[Machine, Arguments, cst.CSTNode], Value]
_FIRST = Int(ZERO)


def _run(machine: Machine, callee: Value, given: list[Value], node: cst.CSTNode) -> Value:
    from attncheck.tracer.calls import call

    return call(machine, callee, Arguments(given, {}, [None] * len(given), {}), node)


def _named(arguments: Arguments, position: int, name: str, default: Value) -> Value:
    """An argument by its position or its name."""
    if len(arguments.positional) > position:
        return arguments.positional[position]
    return arguments.keywords.get(name, default)


def _node(arguments: Arguments, position: int, name: str) -> cst.CSTNode | None:
    """The expression of an argument by its position or its name."""
    if len(arguments.nodes) > position:
        return arguments.nodes[position]
    return arguments.written.get(name)


def _itself(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """``jit(f)``, ``remat(f)``: a function that gives what `f` gives."""
    if arguments.positional:
        return arguments.first()
    return next(iter(arguments.keywords.values()), UNKNOWN)


# -- one place of an axis at a time ----------------------------------------------------------------


def _vmap(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    function = _named(arguments, 0, "fun", UNKNOWN)
    places = [
        _named(arguments, position, name, _FIRST)
        for position, name in ((1, "in_axes"), (2, "out_axes"))
    ]
    # The expressions go along, for whoever wants to write other axes there: of what is left out
    # the call that leaves it out.
    before, after = (_node(arguments, *each) for each in ((1, "in_axes"), (2, "out_axes")))
    expressions = (Const(before), Const(after or node))
    return Partial(Library("jax.vmap()"), (function, *places, *expressions), ())


def _mapped(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """A call of ``vmap(f, in_axes, out_axes)``."""
    from attncheck.tracer.calls import call

    function, before, after, *expressions = arguments.positional[:5]
    given = arguments.positional[5:]
    keywords = list(arguments.keywords)
    places = _places(before, len(given))
    if places is None or not arguments.exact:
        return UNKNOWN
    values = [*given, *arguments.keywords.values()]
    places += [_FIRST] * len(keywords)
    leaves = [leaf for pair in zip(values, places, strict=True) for leaf in _leaves(*pair)]
    if any(axis is None for _, axis in leaves):
        return UNKNOWN
    numbers = [axis for _, axis in leaves if axis is not None]
    nodes = [*arguments.nodes[5:], *(arguments.written.get(name) for name in keywords)]
    written = [_node_of(leaf, values, nodes) for leaf, _ in leaves]
    tensors = [leaf for leaf, _ in leaves]
    inner = _without_axis(machine, tensors, numbers, node, written, expressions[0])
    parts = iter(inner)
    bound = [_put(*pair, parts) for pair in zip(values, places, strict=True)]
    taken = Arguments(
        bound[: len(given)],
        dict(zip(keywords, bound[len(given) :], strict=True)),
        [None] * len(given),
        {},
    )
    result = call(machine, function, taken, node)
    pairs = zip((leaf for leaf, _ in leaves), numbers, strict=True)
    axes = (mapping.mapped_axis(tensor, axis, machine.facts) for tensor, axis in pairs)
    axis = next((axis for axis in axes if axis is not None and axis.size is not None), None)
    return _stacked(machine, result, after, axis, node, expressions[1])


def mapped_over(
    machine: Machine, function: Value, value: Value, axis: int, node: cst.CSTNode
) -> Value:
    """A function called on each place of one axis of a tensor, its results along the same axis."""
    tensor = as_tensor(value)
    if tensor is None:
        return UNKNOWN
    inner = _without_axis(machine, [tensor], [axis], node, [None], UNKNOWN)
    result = _run(machine, function, inner, node)
    mapped = mapping.mapped_axis(tensor, axis, machine.facts)
    return _stacked(machine, result, Int(ZERO + axis), mapped, node)


def _places(before: Value, count: int) -> list[Value] | None:
    """Where each argument is mapped; None if that is not known."""
    if type(before) is Sequence:
        items = before.items
        return list(items) if items is not None and len(items) == count else None
    return [before] * count if before == NONE or as_integer(before) is not None else None


def _leaves(value: Value, place: Value) -> Iterator[tuple[Tensor, int | None]]:
    """The tensors in an argument with the axis that is mapped of each (None: not known)."""
    if place == NONE:
        return
    tensor = as_tensor(value)
    if tensor is not None:
        yield tensor, as_integer(place)
        return
    for item, inner in _parts(value, place):
        yield from _leaves(item, inner)


def _parts(value: Value, place: Value) -> list[tuple[Value, Value]]:
    """What a list, tuple or dict holds, each with where it is mapped."""
    if type(value) is Mapping:
        if type(place) is Mapping:
            return [(item, place.get(key) or NONE) for key, item in value.items]
        return [(item, place) for _, item in value.items]
    if type(value) is not Sequence or value.items is None:
        return []
    if type(place) is Sequence and place.items is not None:
        return list(zip(value.items, place.items, strict=False))
    return [(item, place) for item in value.items]


def _without_axis(
    machine: Machine,
    tensors: list[Tensor],
    axes: list[int],
    node: cst.CSTNode,
    nodes: list[cst.CSTNode | None],
    expression: Value,
) -> list[Value]:
    """The tensors without the axes that are mapped, recorded as one operation."""
    if not tensors:
        return []
    written: dict[str, cst.CSTNode | list[cst.CSTNode | None]] = {"xs": nodes}
    written |= _written("axes", expression)
    numbers = Sequence(tuple(Int(ZERO + axis) for axis in axes))
    made = apply(
        machine,
        mapping.unstacked,
        {"xs": Sequence(tuple(tensors)), "axes": numbers},
        written,
        node,
        "jax.vmap",
        "jax",
    )
    assert type(made) is Sequence and made.items is not None
    return list(made.items)


def _node_of(
    tensor: Tensor, values: list[Value], nodes: list[cst.CSTNode | None]
) -> cst.CSTNode | None:
    """The expression of an argument that is this very tensor."""
    pairs = zip(values, nodes, strict=False)
    return next((node for value, node in pairs if as_tensor(value) is tensor), None)


def _put(value: Value, place: Value, parts: Iterator[Value]) -> Value:
    """An argument with its tensors replaced by those without their axis."""
    if place == NONE:
        return value
    if type(value) is Parameter:
        tensor = next(parts)
        assert type(tensor) is Tensor
        return Parameter(value.name, tensor, value.number)
    if type(value) is Tensor:
        return next(parts)
    if type(value) is Mapping:
        pairs = zip(value.items, _parts(value, place), strict=True)
        return Mapping(
            tuple((key, _put(item, inner, parts)) for (key, item), (_, inner) in pairs), value.open
        )
    if type(value) is Sequence and value.items is not None:
        items = tuple(_put(item, inner, parts) for item, inner in _parts(value, place))
        return Sequence(items, value.mutable)
    return value if type(value) is Scalar else UNKNOWN


def _written(name: str, expression: Value) -> dict[str, cst.CSTNode]:
    """The expression of an argument under its name, if there is one."""
    node = expression.value if type(expression) is Const else None
    return {name: node} if isinstance(node, cst.CSTNode) else {}


def _stacked(
    machine: Machine,
    value: Value,
    place: Value,
    axis: Axis | None,
    node: cst.CSTNode,
    expression: Value = UNKNOWN,
) -> Value:
    """A result with the mapped axis back in each of its tensors."""
    if type(value) is Sequence and value.items is not None:
        inner = place.items if type(place) is Sequence and place.items is not None else None
        places = inner or (place,) * len(value.items)
        pairs = zip(value.items, places, strict=False)
        return Sequence(tuple(_stacked(machine, *pair, axis, node, expression) for pair in pairs))
    if type(value) is Mapping:
        items = (
            (key, _stacked(machine, item, place, axis, node, expression))
            for key, item in value.items
        )
        return Mapping(tuple(items), value.open)
    if place == NONE or (type(value) not in (Int, Scalar) and as_tensor(value) is None):
        return value if place == NONE else UNKNOWN
    size = Int(None if axis is None else axis.size)
    arguments = {"x": value, "axis": place, "count": size}
    written = _written("axis", expression)
    return apply(machine, mapping.stacked, arguments, written, node, "jax.vmap", "jax")


# -- gradients -------------------------------------------------------------------------------------


def _grad(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    function = _named(arguments, 0, "fun", UNKNOWN)
    return Partial(Library("jax.grad()"), (function, _named(arguments, 1, "argnums", _FIRST)), ())


def _value_and_grad(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    function = _named(arguments, 0, "fun", UNKNOWN)
    argnums = _named(arguments, 1, "argnums", _FIRST)
    return Partial(Library("jax.value_and_grad()"), (function, argnums), ())


def _graded(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """A call of ``grad(f)``: like the argument that it is derived by."""
    return _with_gradient(machine, arguments, node)[1]


def _valued(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """A call of ``value_and_grad(f)``: what f gives, and the gradient."""
    return Sequence(_with_gradient(machine, arguments, node))


def _with_gradient(
    machine: Machine, arguments: Arguments, node: cst.CSTNode
) -> tuple[Value, Value]:
    from attncheck.tracer.calls import call

    function, argnums, *given = arguments.positional
    inner = Arguments(given, arguments.keywords, arguments.nodes[2:], arguments.written)
    value = call(machine, function, inner, node)
    number = as_integer(argnums)
    known = number is not None and 0 <= number < len(given)
    return value, given[number] if known and number is not None else UNKNOWN


# -- loops and branches ----------------------------------------------------------------------------


def _scan(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """``scan(f, init, xs)``: f is given what is carried and a row, and gives what is carried on.

    Two rounds, as of a loop: the second starts from what the first has left. What is carried on is
    of the shape of what was carried (jax.lax.scan: "carry input and carry output must have equal
    types"), so that also where the function gives the same as a row nothing less is known of it.
    """
    function, carried, rows = (
        _named(arguments, position, name, NONE) for position, name in enumerate(("f", "init", "xs"))
    )
    row = _row(machine, rows)
    count = _count(machine, rows)
    if count is None:
        count = as_size(_named(arguments, 3, "length", UNKNOWN))
    made: Value = UNKNOWN
    for again in range(2):
        result = _run(machine, function, [carried, row], node)
        if type(result) is not Sequence or result.items is None or len(result.items) != 2:
            return Sequence((UNKNOWN, UNKNOWN))
        if not again:
            hold(
                machine, carried, result.items[0], _node(arguments, 1, "init"), node, "jax.lax.scan"
            )
        left = as_carried(carried, result.items[0])
        made = with_shapes_of(result.items[1], result.items[0], left)
        carried = join(carried, left)
    axis = Axis(count)
    return Sequence(
        (carried, NONE if made == NONE else _stacked(machine, made, _FIRST, axis, node))
    )


def _row(machine: Machine, rows: Value) -> Value:
    """What one round of a scan is given: every tensor without its first axis."""
    if as_tensor(rows) is not None:
        return containers.row_of(machine, rows)
    if type(rows) is Mapping:
        return Mapping(tuple((key, _row(machine, item)) for key, item in rows.items), rows.open)
    if type(rows) is Sequence and rows.items is not None:
        return Sequence(tuple(_row(machine, item) for item in rows.items))
    return NONE if rows == NONE else UNKNOWN


def _count(machine: Machine, rows: Value) -> Size | None:
    """How many rounds there are, or None."""
    tensor = as_tensor(rows)
    if tensor is not None:
        return containers.length_of(machine, tensor)
    items = [item for item, _ in _parts(rows, NONE)]
    return next((count for item in items if (count := _count(machine, item))), None)


def _map(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    function, rows = arguments.positional[:2] if len(arguments.positional) > 1 else (UNKNOWN, NONE)
    result = _run(machine, function, [_row(machine, rows)], node)
    return _stacked(machine, result, _FIRST, Axis(_count(machine, rows)), node)


def _fori_loop(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    if len(arguments.positional) != 4:
        return UNKNOWN
    _, _, function, carried = arguments.positional
    return _repeated(machine, function, [Int(None)], carried, _node(arguments, 3, ""), node)


def _while_loop(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    if len(arguments.positional) != 3:
        return UNKNOWN
    condition, function, carried = arguments.positional
    _run(machine, condition, [carried], node)
    return _repeated(machine, function, [], carried, _node(arguments, 2, ""), node)


def _repeated(
    machine: Machine,
    function: Value,
    given: list[Value],
    carried: Value,
    written: cst.CSTNode | None,
    node: cst.CSTNode,
) -> Value:
    """What two rounds leave of what is carried, each of them `given` the same beside it."""
    for again in range(2):
        left = _run(machine, function, [*given, carried], node)
        if not again:
            hold(machine, carried, left, written, node, "jax.lax")
        carried = join(carried, left)
    return carried


def _cond(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """Either function on the operands."""
    _, *rest = arguments.positional or [UNKNOWN]
    operands = rest[2:] or [item for name, item in arguments.keywords.items() if name == "operand"]
    return join_all([_run(machine, function, operands, node) for function in rest[:2]] or [UNKNOWN])


def _switch(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    operands = arguments.positional[2:]
    branches = _named(arguments, 1, "branches", UNKNOWN)
    functions = branches.items if type(branches) is Sequence else None
    if not functions:
        return UNKNOWN
    return join_all([_run(machine, function, operands, node) for function in functions])


def _initializer(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """What makes a function of a key and sizes: all of them give arrays of these sizes."""
    return Library("jax.nn.initializers.zeros")


#: What makes initializers, each after its own law.
_LAWS = (
    *("constant", "delta_orthogonal", "glorot_normal", "glorot_uniform", "he_normal"),
    *("he_uniform", "kaiming_normal", "kaiming_uniform", "lecun_normal", "lecun_uniform"),
    *("normal", "orthogonal", "truncated_normal", "uniform", "variance_scaling"),
    *("xavier_normal", "xavier_uniform"),
)

#: By full name; what ends in brackets is a call of what the function gives.
LIFTED: dict[str, Lifted] = {
    **dict.fromkeys(
        (
            *("jax.jit", "jax.checkpoint", "jax.remat", "jax.custom_vjp", "jax.custom_jvp"),
            *("jax.named_call", "jax.ad_checkpoint.checkpoint", "flax.linen.jit"),
            *("flax.linen.remat", "flax.linen.checkpoint", "flax.linen.named_call"),
            *("flax.nnx.jit", "flax.nnx.remat", "flax.linen.nowrap", "flax.linen.compact"),
        ),
        _itself,
    ),
    **{f"jax.nn.initializers.{name}": _initializer for name in _LAWS},
    "jax.vmap": _vmap,
    "jax.vmap()": _mapped,
    "jax.grad": _grad,
    "jax.grad()": _graded,
    "jax.value_and_grad": _value_and_grad,
    "jax.value_and_grad()": _valued,
    "jax.lax.scan": _scan,
    "jax.lax.map": _map,
    "jax.lax.fori_loop": _fori_loop,
    "jax.lax.while_loop": _while_loop,
    "jax.lax.cond": _cond,
    "jax.lax.switch": _switch,
}
