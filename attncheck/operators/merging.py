"""Keras' merges and products of several tensors, and its layers that leave the batch axis alone.

Rules: keras.layers, "Merging layers" and "Reshaping layers"; keras.backend.batch_dot. The first
axis of every tensor is the batch, which shapes and axes in a layer's settings do not count.
"""

from __future__ import annotations

from typing import Final

from attncheck.algebra.shape import Axis, Shape, closed
from attncheck.algebra.size import const
from attncheck.operators import permuting, reduction, reshaping
from attncheck.operators.call import Call
from attncheck.operators.contraction import Pattern, by_pattern, failed
from attncheck.operators.demands import rank_demanded
from attncheck.operators.elementwise import combine
from attncheck.operators.events import Clash, Elementwise, Expansion, Fault, Outcome
from attncheck.operators.operands import dtype_of, operand_shape
from attncheck.operators.reshaping import new_axis
from attncheck.operators.seats import rank_clash
from attncheck.record import replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import Int, Sequence, Value

_VERBS = {"+": "adds", "-": "subtracts", "*": "multiplies"}


# -- merges ----------------------------------------------------------------------------------------


def merge(call: Call) -> Outcome:
    """Add, Multiply and their kin: the tensors ``xs`` broadcast against each other.

    A tensor of fewer axes is given axes of 1 behind its batch first.
    """
    tensors, symbol = call.tensors("xs"), call.text("symbol") or ""
    shapes = [None if tensor is None else tensor.shape for tensor in tensors or ()]
    known = [shape for shape in shapes if shape is not None]
    if not known or len(known) < len(shapes):
        return Outcome(call.make(None), Elementwise(symbol, None))
    if len({shape.row for shape in known}) > 1:
        # How many axes they have is not known of all, so neither is how they are lined up.
        return Outcome(call.make(None), Elementwise(symbol, None))
    if known[0].closed:
        rank = max(len(shape.lead) for shape in known)
        known = [_filled_up(shape, rank) for shape in known]
    dtypes = {tensor.dtype for tensor in tensors or () if tensor is not None}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    return combine(call, symbol, _VERBS.get(symbol, "merges"), known, dtype, keep=symbol in _VERBS)


def _filled_up(shape: Shape, rank: int) -> Shape:
    missing = rank - len(shape.lead)
    return closed((*shape.lead[:1], *(new_axis() for _ in range(missing)), *shape.lead[1:]))


# -- products --------------------------------------------------------------------------------------


def dot(call: Call) -> Outcome:
    """Dot: `batch_dot` of the two tensors in ``xs``."""
    given = call.value("xs")
    items = given.items if type(given) is Sequence and given.items is not None else ()
    if len(items) != 2:
        return Outcome(call.make(None))
    return batch_dot(replace(call, arguments=call.arguments | {"x": items[0], "y": items[1]}))


def batch_dot(call: Call) -> Outcome:
    """``(B, ..., k, ...), (B, ..., k, ...)``: summed over an axis of each, row by row of the batch.

    ``axes`` counts the batch. Of the result come first x's other axes, then y's; one of the batch
    alone is given an axis of 1.
    """
    shapes = [operand_shape(call, name) for name in ("x", "y")]
    for operand, shape in enumerate(shapes):
        if shape is not None and shape.closed and len(shape.lead) < 2:
            return failed(call, rank_clash(shape, "a batch and another axis", operand))
    left, right = shapes
    if left is None or right is None or not left.closed or not right.closed:
        return Outcome(call.make(None))
    axes = _summed(call, len(left.lead), len(right.lead))
    if axes is None:
        return Outcome(call.make(None))
    for operand, (axis, shape) in enumerate(zip(axes, (left, right), strict=True)):
        if not 0 < axis < len(shape.lead):
            text = f"sums over axis {axis} of {shape}, where it can be any but the batch"
            return failed(call, Clash(Fault.AXIS, text, operand))
    outcome = by_pattern(call, _pattern(left, right, axes), left.lead, right.lead)
    made = outcome.value
    if type(made) is Tensor and made.shape is not None and made.shape.rank == 1:
        return replace(outcome, value=made.with_shape(closed((*made.shape.lead, new_axis()))))
    return outcome


def _summed(call: Call, left: int, right: int) -> tuple[int, int] | None:
    """The axis of each operand that is summed over, from 0; None if that is not known."""
    if not call.given("axes"):
        return left - 1, right - 1 if right == 2 else right - 2
    axes = call.integers("axes")
    if axes is None or len(axes) not in (1, 2):
        return None
    first, second = axes[0], axes[-1]
    return first + left * (first < 0), second + right * (second < 0)


def _pattern(left: Shape, right: Shape, axes: tuple[int, int]) -> Pattern:
    """The product in letters: b the batch, k what is summed."""
    one = ["b", *"cdefg"[: len(left.lead) - 1]]
    two = ["b", *"uvwxy"[: len(right.lead) - 1]]
    one[axes[0]] = two[axes[1]] = "k"
    output = [letter for letter in one + two[1:] if letter != "k"]
    return Pattern("batch_dot", "".join(one), "".join(two), "".join(output))


# -- axes behind the batch -------------------------------------------------------------------------


def reshape_behind(call: Call) -> Outcome:
    """Reshape: the axes behind the batch drawn anew as ``sizes``, of which one may be -1."""
    given, shape = call.value("sizes"), call.shape("x")
    items = given.items if type(given) is Sequence else (given,) if type(given) is Int else None
    if items is None:
        return Outcome(call.make(None, dtype_of(call.tensor("x"))))
    batch = shape.lead[0].size if shape is not None and shape.lead else None
    sizes: Value = Sequence((Int(batch), *items))
    return reshaping.reshape(replace(call, arguments=call.arguments | {"sizes": sizes}))


def permute_behind(call: Call) -> Outcome:
    """Permute: axis i of the result is axis ``order[i - 1]`` of x; axis 0, the batch, stays."""
    order = call.integers("order")
    if order is None:
        return Outcome(call.make(None, dtype_of(call.tensor("x"))))
    axes: Value = Sequence(tuple(Int(const(number)) for number in (0, *order)))
    return permuting.permute_all(replace(call, arguments=call.arguments | {"axes": axes}))


def flatten_behind(call: Call) -> Outcome:
    """Flatten: all axes behind the batch merged into one."""
    shape = call.shape("x")
    if shape is not None and shape.rank == 1:
        grown = closed((*shape.lead, new_axis()))
        return Outcome(call.make(grown, dtype_of(call.tensor("x"))))
    start: Value = Int(const(1))
    return reshaping.flatten(replace(call, arguments=call.arguments | {"start": start}))


def repeat_vector(call: Call) -> Outcome:
    """RepeatVector: ``(B, d)`` to ``(B, count, d)``."""
    shape, dtype = call.shape("x"), dtype_of(call.tensor("x"))
    made = None if shape is None else rank_demanded(shape, 2, "takes (B, d)", call.facts)
    if made is None or isinstance(made, Clash):
        return Outcome(call.make(None, dtype), clash=made)
    batch, features = made.lead
    output = call.make(closed((batch, Axis(call.size("count")), features)), dtype)
    return Outcome(output, Expansion("repeat_vector"))


def pooled(call: Call) -> Outcome:
    """GlobalAveragePooling1D: ``(B, T, d)`` to ``(B, d)``, the positions averaged away.

    With ``channels_first`` it is (B, d, T).
    """
    shape = call.shape("x")
    position = _POSITIONS.get(call.text("data_format") or "") if call.given("data_format") else 1
    if position is None:
        return Outcome(call.make(None))
    made = None if shape is None else rank_demanded(shape, 3, "takes (B, T, d)", call.facts)
    if isinstance(made, Clash):
        return Outcome(call.make(None), clash=made)
    axis: Value = Int(const(position))
    return reduction.reduce(replace(call, arguments=call.arguments | {"axis": axis}))


#: The axis of positions, by where the channels are.
_POSITIONS: Final = {"channels_last": 1, "channels_first": 2}
