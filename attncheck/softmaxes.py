"""Softmaxes in a graph: the operation of a library, and the forms in which it is written by hand.

By hand a softmax is an exponential over its own sum, ``e / e.sum(axis)``, also after a mask was
multiplied in, or the exponential of what is less its own logsumexp.
"""

from __future__ import annotations

from attncheck.graph import Graph, Operation
from attncheck.operators.events import MOVES, Elementwise, Event, Reduction, Softmax
from attncheck.record import record
from attncheck.values.tensor import Tensor

#: Events that pass a tensor's elements on.
PASSING: tuple[type[Event], ...] = (*MOVES, Elementwise)
MOST_STEPS = 24
#: Elementwise steps between an exponential and its sum that leave it an unnormalised softmax.
_MASKING = frozenset({"*", "where", "masked_fill"})


@record
class Normalised:
    """A softmax: what gives the weights, what it normalises, and along which axis.

    ``axis`` is None for all axes at once (``over_all``), or where it is not known; ``total`` is the
    sum in a softmax that is written by hand.
    """

    operation: Operation
    argument: Tensor
    axis: int | None
    over_all: bool = False
    implicit: bool = False
    total: Operation | None = None


def softmax_at(graph: Graph, operation: Operation) -> Normalised | None:
    """The softmax that an operation is, or ends; or None."""
    event = operation.event
    if isinstance(event, Softmax):
        tensor = first_tensor(operation)
        if tensor is None:
            return None
        return Normalised(operation, tensor, event.axis, implicit=event.implicit)
    if not isinstance(event, Elementwise):
        return None
    form = _FORMS.get(event.symbol)
    return None if form is None else form(graph, operation)


def first_tensor(operation: Operation) -> Tensor | None:
    """The first operand that is a tensor."""
    for _, tensor in operation.tensors():
        return tensor
    return None


def _ratio(graph: Graph, operation: Operation) -> Normalised | None:
    """``e / e.sum(axis)`` where `e` is an exponential."""
    tensors = list(operation.tensors())
    if len(tensors) != 2:
        return None
    argument = _exponent(graph, tensors[0][1])
    total = sum_behind(graph, tensors[1][1])
    summed = None if total is None else first_tensor(total)
    if argument is None or total is None or summed is None or _exponent(graph, summed) is None:
        return None
    return _over(operation, argument, total, summed)


def _shifted(graph: Graph, operation: Operation) -> Normalised | None:
    """``exp(s - logsumexp(s, axis))``."""
    inner = first_tensor(operation)
    less = None if inner is None else graph.maker(inner)
    if less is None or not isinstance(less.event, Elementwise) or less.event.symbol != "-":
        return None
    tensors = [tensor for _, tensor in less.tensors()]
    if len(tensors) != 2:
        return None
    total = _through(graph, tensors[1])
    if total is not None and isinstance(total.event, Elementwise) and total.event.symbol == "log":
        inside = first_tensor(total)
        total = None if inside is None else sum_behind(graph, inside)
        summed = None if total is None else first_tensor(total)
        if summed is None or _exponent(graph, summed) is None:
            return None
    elif total is None or not isinstance(total.event, Reduction) or total.event.kind != "logsumexp":
        return None
    summed = None if total is None else first_tensor(total)
    return None if total is None or summed is None else _over(operation, tensors[0], total, summed)


def _over(operation: Operation, argument: Tensor, total: Operation, summed: Tensor) -> Normalised:
    """The softmax over the axes that a sum runs over."""
    assert isinstance(total.event, Reduction)
    axes = total.event.axes
    rank = None if summed.shape is None else summed.shape.rank
    if axes is None or (rank is not None and len(axes) == rank and rank > 1):
        over_all = rank is not None and rank > 1
        return Normalised(operation, argument, None, over_all, total=total)
    axis = axes[0] if len(axes) == 1 else None
    return Normalised(operation, argument, axis, total=total)


def _exponent(graph: Graph, tensor: Tensor) -> Tensor | None:
    """What a tensor is the exponential of, also if masks were multiplied in since; or None."""
    for _ in range(MOST_STEPS):
        made = graph.maker(tensor)
        if made is None or not isinstance(made.event, Elementwise):
            return None
        inner = first_tensor(made)
        if inner is None or made.event.symbol == "exp":
            return inner
        if made.event.symbol not in _MASKING:
            return None
        tensor = next(
            (each for _, each in made.tensors() if _exponent(graph, each) is not None), inner
        )
    return None


def sum_behind(graph: Graph, tensor: Tensor) -> Operation | None:
    """The sum that a divisor is, whatever put its axis back or kept it from being 0; or None."""
    made = _through(graph, tensor)
    is_sum = made is not None and isinstance(made.event, Reduction) and made.event.kind == "sum"
    return made if is_sum else None


def _through(graph: Graph, tensor: Tensor) -> Operation | None:
    """The reduction or the logarithm that a tensor is, with its axes put back or moved."""
    for _ in range(MOST_STEPS):
        made = graph.maker(tensor)
        if made is None or isinstance(made.event, Reduction):
            return made
        if isinstance(made.event, Elementwise) and made.event.symbol == "log":
            return made
        operands = list(made.tensors())
        if not isinstance(made.event, PASSING) or len(operands) != 1:
            return None
        tensor = operands[0][1]
    return None


_FORMS = {"/": _ratio, "exp": _shifted}
