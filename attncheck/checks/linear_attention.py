"""Attention without a softmax whose two sums over the keys run over different axes.

The output of a query is ``q (Σ k v) / (q Σ k)``: values and normaliser are sums over the same keys
(Katharopoulos et al. 2020, "Transformers are RNNs", equations 4 to 6).
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.attention import contracted_axes, same_axis
from attncheck.checks import contraction_axis
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import (
    Contraction,
    Einsum,
    Elementwise,
    Event,
    NewAxis,
    Permutation,
    Reduction,
    Reshaping,
    Squeeze,
)
from attncheck.record import record
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

ON = (Reduction, Elementwise)

#: Events after which a tensor still holds all its elements.
_MOVES: tuple[type[Event], ...] = (Permutation, Reshaping, NewAxis, Squeeze)
_MOST_STEPS = 12


@record
class _Normaliser:
    """A sum of keys that meets the queries: ``q Σ k``.

    ``axis`` is the axis that the sum runs over, ``features`` those that the product with the
    queries contracts.
    """

    keys: Tensor
    axis: Axis
    queries: Tensor
    features: tuple[Axis, ...]


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a sum of keys that normalises products with values summed over another axis."""
    found = _normaliser(operation, view)
    if found is None:
        return
    for product, index in _products(found, view):
        axes = contracted_axes(product, index) or _scanned(product, view)
        if not axes or any(same_axis(axis, found.axis) is not False for axis in axes):
            continue
        if any(same_axis(axis, feature) for axis in axes for feature in found.features):
            yield from _of_product(product, found, axes[0], view)
        else:
            yield from _of_sum(operation, found, axes[0], view)
        return


# -- the normaliser --------------------------------------------------------------------------------


def _normaliser(operation: Operation, view: View) -> _Normaliser | None:
    """The normaliser that a sum over one axis is a part of, or None."""
    tensors = [tensor for _, tensor in operation.tensors()]
    axis = _summed(operation)
    shape = view.shape(tensors[0]) if tensors else None
    if axis is None or shape is None or not shape.closed or not -len(shape.axes) <= axis:
        return None
    if axis >= len(shape.axes):
        return None
    for meeting, index in _users(operation, view):
        others = [tensor for i, (_, tensor) in enumerate(meeting.tensors()) if i != index]
        features = _contracted(meeting, index, view)
        if len(others) == 1 and features and _divides(meeting, view):
            return _Normaliser(tensors[0], shape.axes[axis], others[0], features)
    return None


def _summed(operation: Operation) -> int | None:
    """The one axis that a sum, or a running sum, runs over."""
    event = operation.event
    if isinstance(event, Reduction) and event.kind == "sum" and event.axes is not None:
        return event.axes[0] if len(event.axes) == 1 else None
    if isinstance(event, Elementwise) and event.symbol == "cumsum":
        return event.along
    return None


def _users(operation: Operation, view: View) -> Iterator[tuple[Operation, int]]:
    """The products that read what an operation gave, moved or not, and as which operand."""
    given = {operation.number}
    for later in view.graph.after(operation):
        if later.read.isdisjoint(given):
            continue
        for index, (_, tensor) in enumerate(later.tensors()):
            if tensor.operation not in given:
                continue
            if isinstance(later.event, _MOVES):
                given.add(later.number)
            elif _is_product(later):
                yield later, index


def _is_product(operation: Operation) -> bool:
    event = operation.event
    if isinstance(event, Elementwise):
        return event.symbol == "*"
    return isinstance(event, Contraction | Einsum)


def _contracted(product: Operation, index: int, view: View) -> tuple[Axis, ...]:
    """The axes of an operand that a product sums over, or that are summed right after it."""
    if not isinstance(product.event, Elementwise):
        return contracted_axes(product, index)
    for later in view.graph.users(product):
        axis = _summed(later)
        shape = view.shape(as_tensor(product.output))
        if axis is not None and shape is not None and shape.closed:
            return (shape.axes[axis],)
    return ()


def _divides(operation: Operation, view: View) -> bool:
    """Whether something is divided by what an operation gave."""
    given = {operation.number}
    for later in view.graph.after(operation):
        if later.read.isdisjoint(given):
            continue
        operands = list(later.tensors())
        read = [index for index, (_, tensor) in enumerate(operands) if tensor.operation in given]
        if not read:
            continue
        event = later.event
        if isinstance(event, Elementwise) and event.symbol == "/":
            if operands[read[-1]][0].name == "y":
                return True
        elif _summed(later) is not None or isinstance(event, (*_MOVES, Elementwise)):
            given.add(later.number)
    return False


# -- the products with values ----------------------------------------------------------------------


def _products(found: _Normaliser, view: View) -> Iterator[tuple[Operation, int]]:
    """The products of the keys with anything but the queries, and which operand the keys are."""
    keys = _moved(found.keys, view)
    queries = set(_moved(found.queries, view))
    for operation in view.graph.operations:
        if not isinstance(operation.event, Contraction | Einsum):
            continue
        sources = [set(_moved(tensor, view)) for _, tensor in operation.tensors()]
        if len(sources) != 2 or any(source & queries for source in sources):
            continue
        for index, source in enumerate(sources):
            if source & set(keys):
                yield operation, index


def _moved(tensor: Tensor, view: View) -> list[int]:
    """Numbers that stand for a tensor and for those that it is a move of."""
    numbers = []
    for _ in range(_MOST_STEPS):
        numbers.append(id(tensor.shape) if tensor.operation is None else tensor.operation)
        made = view.graph.maker(tensor)
        if made is None or not isinstance(made.event, _MOVES):
            break
        tensor = next(made.tensors())[1]
    return numbers


def _scanned(product: Operation, view: View) -> tuple[Axis, ...]:
    """The axis along which a product is summed up afterwards."""
    shape = view.shape(as_tensor(product.output))
    if shape is None or not shape.closed:
        return ()
    for later in view.graph.users(product):
        axis = _summed(later)
        if axis is not None:
            return (shape.axes[axis],)
    return ()


# -- reports ---------------------------------------------------------------------------------------


def _of_sum(operation: Operation, found: _Normaliser, wanted: Axis, view: View) -> Iterator[Report]:
    operand, tensor = next(operation.tensors())
    sizes = view.sizes(as_tensor(operation.output))
    shape = view.shape(tensor)
    if operand.node is None or shape is None:
        return
    places = [index for index, axis in enumerate(shape.axes) if same_axis(axis, wanted)]
    message = (
        f"`{view.quote(operation.node)}` sums the keys over {found.axis}, the products with the"
        f" values are summed over {wanted}: the normaliser is no sum of the weights that it divides"
    )
    yield Report(
        contraction_axis.RULE,
        operation,
        operation.node,
        message,
        Culprit(operand.node, tensor),
        sizes,
        f"a sum over {wanted}, the positions of the keys, as the products with the values are",
        axis=places[0] if len(places) == 1 else None,
    )


def _of_product(
    product: Operation, found: _Normaliser, wrong: Axis, view: View
) -> Iterator[Report]:
    output = as_tensor(product.output)
    if output is None:
        return
    message = (
        f"`{view.quote(product.node)}` sums keys times values over {wrong}, the features; the"
        f" normaliser sums the keys over {found.axis}. Without a softmax the keys meet the values"
        f" over {found.axis} and the queries over {wrong}"
    )
    yield Report(
        contraction_axis.RULE,
        product,
        product.node,
        message,
        Culprit(product.node, output),
        None,
        f"keys and values summed over {found.axis}, which leaves the features of either",
    )
