"""Numbers of axes that operations presume, where shapes are to be stated and nothing says more.

Model code squeezes an axis because it is there, and adds to an activation what has no more axes
than it. Neither is certain, so it is taken for shapes that are to be stated only, and given up
where the code contradicts it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from attncheck.algebra.shape import Axis, Shape, expand
from attncheck.operators.events import NewAxis
from attncheck.operators.masking import MASK
from attncheck.record import replace
from attncheck.tracer.defaults import presume_rank
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import Sequence, Value, as_integer, as_tensor

if TYPE_CHECKING:
    from attncheck.tracer.machine import Machine

#: An activation has a batch, positions and features; what has fewer axes may itself be stretched.
_ACTIVATION: Final = 3

#: The weights of one query for each row of a batch: (batch, keys).
_ROWS: Final = 2

_Rule = Callable[["Machine", Mapping[str, Value]], Shape | None]


def presumed(
    machine: Machine, operator: str, arguments: Mapping[str, Value], value: Value
) -> Value:
    """`value`, or if its shape is not known, one of as many axes as its operation presumes."""
    rule = _RULES.get(operator)
    if rule is None or type(value) is not Tensor or not machine.evidence.presuming:
        return value
    if value.shape is not None and expand(value.shape, machine.facts).closed:
        return value
    shape = rule(machine, arguments)
    return value if shape is None else replace(value, shape=shape, evidence=Evidence.NAME)


def presume_operands(machine: Machine, operator: str, arguments: Mapping[str, Value]) -> None:
    """Take it that an operand which was given an axis of 1 has as many axes as what it meets.

    It was given the axis in order to fit: ``scores.masked_fill(mask.unsqueeze(1), 0)``. A mask that
    was not given any fits weights of one row a batch as it is.
    """
    if machine.own.terms.conventional and operator in _CONVENTIONAL:
        _CONVENTIONAL[operator](machine, arguments)
    names = _PAIRED.get(operator)
    fitted = machine.own.terms.conventional and operator in _FITTED
    if names is None or not (machine.evidence.presuming or fitted):
        return
    given = [arguments[name] for name in names if name in arguments]
    ranks = {len(shape.lead) for shape in (_closed(machine, value) for value in given) if shape}
    rank = max(ranks, default=0)
    for value in given if rank > 1 else ():
        plain = rank == _ROWS and operator == "masked_fill" and value is arguments.get("mask")
        if plain or _is_fitted(machine, value):
            presume_rank(machine, value, rank)
            _presume_before(machine, value, rank)


def _presume_steps(machine: Machine, arguments: Mapping[str, Value]) -> None:
    """Take what a layer made, and what then changes axes 1 and 2, to be (B, T, features).

    So it is written with keys that are turned for the scores and with what a convolution over time
    takes: with heads the view has told all axes before.
    """
    swapped = {as_integer(arguments[name]) for name in ("first", "second") if name in arguments}
    if swapped == {1, 2} and _is_of_features(machine, arguments.get("x")):
        presume_rank(machine, arguments["x"], _ACTIVATION)


def _presume_batch(machine: Machine, arguments: Mapping[str, Value]) -> None:
    """Take what a convolution is given to be a batch: (B, C, H, W), with no axis more or less."""
    spatial = as_integer(arguments["spatial"]) if "spatial" in arguments else None
    if spatial is not None and "x" in arguments:
        presume_rank(machine, arguments["x"], spatial + 2)


def _presume_alike(machine: Machine, arguments: Mapping[str, Value]) -> None:
    """Take what a layer made to have as many axes as the activation that it is multiplied with."""
    operands = [arguments[name] for name in ("x", "y") if name in arguments]
    ranks = {len(shape.lead) for each in operands if (shape := _closed(machine, each))}
    for each in operands if len(ranks) == 1 and max(ranks) >= _ACTIVATION else ():
        if _is_of_features(machine, each):
            presume_rank(machine, each, max(ranks))


def _is_of_features(machine: Machine, value: Value | None) -> bool:
    """Whether the last axis is all that is known of a tensor, and is what a layer gives."""
    tensor = None if value is None else as_tensor(value)
    if tensor is None or tensor.shape is None:
        return False
    shape = expand(tensor.shape, machine.facts)
    size = shape.trail[0].size if shape.trail and shape.at_least == 1 else None
    return size is not None and not any(symbol.flexible for symbol in size.symbols())


def _presume_before(machine: Machine, value: Value, rank: int) -> None:
    """Take what was given one axis to have one less than what came of it."""
    tensor = as_tensor(value)
    made = None if tensor is None else machine.graph.maker(tensor)
    event = None if made is None else made.event
    if made is not None and isinstance(event, NewAxis) and made.source is not None:
        presume_rank(machine, made.source, rank - len(event.axes))


def _is_fitted(machine: Machine, value: Value) -> bool:
    """Whether one of the known axes of an open shape is 1."""
    tensor = as_tensor(value)
    if tensor is None or tensor.shape is None:
        return False
    shape = expand(tensor.shape, machine.facts)
    return not shape.closed and any(axis.is_one for axis in (*shape.lead, *shape.trail))


def _without_squeezed(machine: Machine, arguments: Mapping[str, Value]) -> Shape | None:
    """The input without the axes that are named: they are of size 1."""
    shape = _closed(machine, arguments.get("x"))
    axis = arguments.get("axis")
    if shape is None or axis is None:
        return None
    listed = axis.items if type(axis) is Sequence else (axis,)
    numbers = [as_integer(each) for each in listed or ()]
    rank = len(shape.lead)
    if not numbers or not all(each is not None and -rank <= each < rank for each in numbers):
        return None
    gone = {each % rank for each in numbers if each is not None}
    return Shape(tuple(axis for index, axis in enumerate(shape.lead) if index not in gone))


def _like_the_activation(machine: Machine, arguments: Mapping[str, Value]) -> Shape | None:
    """As many axes as the one activation among the operands has, if the others may have fewer."""
    rank = least = 0
    for name in ("condition", "x", "y"):
        value = arguments.get(name)
        if value is None:
            continue
        shape = _closed(machine, value)
        least = max(least, _axes_at_least(machine, value))
        if shape is not None and _is_activation(value):
            rank = max(rank, len(shape.lead))
    return Shape((Axis(None),) * rank) if rank >= max(least, _ACTIVATION) else None


def _closed(machine: Machine, value: Value | None) -> Shape | None:
    tensor = None if value is None else as_tensor(value)
    if tensor is None or tensor.shape is None:
        return None
    shape = expand(tensor.shape, machine.facts)
    return shape if shape.closed else None


def _is_activation(value: Value) -> bool:
    """Whether a tensor was computed from inputs: neither a parameter nor a mask or table."""
    tensor = as_tensor(value)
    if tensor is None or tensor.role == MASK or tensor.dtype == "bool":
        return False
    return tensor.evidence > Evidence.CODE


def _axes_at_least(machine: Machine, value: Value) -> int:
    tensor = as_tensor(value)
    shape = None if tensor is None or tensor.shape is None else expand(tensor.shape, machine.facts)
    return 0 if shape is None else shape.at_least


_ELEMENTWISE: Final = (
    *("add", "subtract", "multiply", "divide", "maximum", "minimum", "where"),
    *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"),
)
#: The operands that are fitted to each other, by the operator's name.
_PAIRED: Final[dict[str, tuple[str, ...]]] = {
    "masked_fill": ("x", "mask"),
    "matmul": ("x", "y"),
    **dict.fromkeys(_ELEMENTWISE, ("condition", "x", "y")),
}
#: Those of them that are fitted by axes of 1.
_FITTED: Final = _PAIRED.keys() - {"matmul"}
#: What inputs have by convention, by the name of the operator that is given them.
_CONVENTIONAL: Final[dict[str, Callable[[Machine, Mapping[str, Value]], None]]] = {
    "swap": _presume_steps,
    "matmul": _presume_alike,
    **dict.fromkeys(("convolution", "transposed_convolution"), _presume_batch),
}
#: By the operator's name.
_RULES: Final[dict[str, _Rule]] = {
    "squeeze": _without_squeezed,
    **dict.fromkeys(_ELEMENTWISE, _like_the_activation),
}
