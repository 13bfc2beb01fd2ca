"""Products of TensorFlow that turn their matrices first: ``tf.matmul(q, k, transpose_b=True)``."""

from __future__ import annotations

from attncheck.algebra.broadcast import broadcast
from attncheck.algebra.contract import contract
from attncheck.algebra.shape import Shape
from attncheck.operators import contraction
from attncheck.operators.axes import append, split_trailing
from attncheck.operators.call import Call
from attncheck.operators.events import Contraction, Outcome
from attncheck.operators.misfits import batch_clash, contraction_clash
from attncheck.operators.operands import factor_shape
from attncheck.operators.seats import rank_clash
from attncheck.record import replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import Value

#: An operand, and the flags that turn it.
_FLAGS = (("x", ("transpose_a", "adjoint_a")), ("y", ("transpose_b", "adjoint_b")))


def turned_matmul(call: Call) -> Outcome:
    """``(..., n, k) @ (..., k, m)``, either matrix turned first if its flag says so.

    Unlike NumPy's it takes no vectors.
    """
    flags = [_is_turned(call, names) for _, names in _FLAGS]
    shapes = [factor_shape(call, name) for name, _ in _FLAGS]
    for operand, shape in enumerate(shapes):
        if shape is not None and shape.closed and len(shape.lead) < 2:
            return contraction.failed(call, rank_clash(shape, "matrices", operand))
    if None in flags:
        return Outcome(call.make(None, contraction.product_dtype(call, "x", "y")))
    given = dict(call.arguments)
    for (name, _), flag in zip(_FLAGS, flags, strict=True):
        given[name] = _turned(call, name) if flag else _exposed(call, name)
    outcome = contraction.matmul(replace(call, arguments=given))
    event = outcome.event
    if not isinstance(event, Contraction):
        return outcome
    return replace(outcome, event=_as_given(event, shapes, flags))


def _is_turned(call: Call, names: tuple[str, ...]) -> bool | None:
    flags = [call.flag(name) for name in names]
    return True if True in flags else None if None in flags else False


def _exposed(call: Call, name: str) -> Value:
    """An operand with its last two axes in sight."""
    tensor = call.tensor(name)
    if tensor is None or tensor.shape is None:
        return call.arguments[name]
    taken = split_trailing(tensor.shape, 2, call.facts)
    return tensor if taken is None else tensor.with_shape(append(*taken))


def _turned(call: Call, name: str) -> Value:
    tensor = _exposed(call, name)
    if type(tensor) is not Tensor or tensor.shape is None:
        return tensor
    taken = split_trailing(tensor.shape, 2, call.facts)
    assert taken is not None
    return tensor.with_shape(append(taken[0], taken[1][::-1]))


def _as_given(
    event: Contraction, shapes: list[Shape | None], flags: list[bool | None]
) -> Contraction:
    """The event in the axes of the operands as they were given."""
    left, right = (None if shape is None else shape.rank for shape in shapes)
    if flags[0]:
        axes = tuple(_other(axis, left) for axis in event.left_axes)
        event = replace(event, left_axes=axes, left_to=_exchanged(event.left_to))
    if flags[1]:
        axes = tuple(_other(axis, right) for axis in event.right_axes)
        event = replace(event, right_axes=axes, right_to=_exchanged(event.right_to))
    return event


def _exchanged(places: tuple[int | None, ...]) -> tuple[int | None, ...]:
    return (*places[:-2], *places[-2:][::-1])


def _other(axis: int, rank: int | None) -> int:
    """The other one of the last two axes."""
    from_end = axis if axis < 0 or rank is None else axis - rank
    other = -3 - from_end
    return other if axis < 0 or rank is None else other + rank


def turned_matvec(call: Call) -> Outcome:
    """``(..., n, k), (..., k) -> (..., n)``, the matrix turned first if its flag says so."""
    turned = _is_turned(call, ("transpose_a", "adjoint_a"))
    matrix, vector = factor_shape(call, "x"), factor_shape(call, "y")
    dtype = contraction.product_dtype(call, "x", "y")
    if turned is None or matrix is None or vector is None:
        return Outcome(call.make(None, dtype))
    columns, row = split_trailing(matrix, 2, call.facts), split_trailing(vector, 1, call.facts)
    if columns is None:
        return contraction.failed(call, rank_clash(matrix, "a matrix"))
    if row is None:
        return contraction.failed(call, rank_clash(vector, "a vector", 1))
    outer, pair = columns
    kept, summed = pair[::-1] if turned else pair
    product = contract(summed, row[1][0], call.facts, "matvec")
    spread = broadcast(outer, row[0], call.facts)
    problem = contraction_clash([product]) or batch_clash(spread.clashes)
    if problem is not None:
        return contraction.failed(call, problem)
    made = None if spread.shape is None else append(spread.shape, (kept,))
    return Outcome(call.make(made, dtype))
