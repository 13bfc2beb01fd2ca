"""Whole layers as functions: scaled dot product attention, linear."""

from __future__ import annotations

from attncheck.algebra.broadcast import Broadcast, broadcast
from attncheck.algebra.contract import Contracted, contract
from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis, Shape, expand
from attncheck.operators.axes import (
    append,
    split_trailing,
    with_rank,
)
from attncheck.operators.call import Call
from attncheck.operators.contraction import product_dtype
from attncheck.operators.events import (
    Attention,
    Clash,
    Contraction,
    Fault,
    Outcome,
)
from attncheck.operators.misfits import batch_clash, contraction_clash, stretch_clash
from attncheck.operators.operands import dtype_of, factor_shape

_NAMES = ("query", "key", "value")


def scaled_dot_product_attention(call: Call) -> Outcome:
    """``(..., L, E), (..., S, E), (..., S, V) -> (..., L, V)``, the leading axes broadcast.

    The mask must stretch to ``(..., L, S)``. With ``grouped`` (enable_gqa) the heads of key and
    value, third from the end, must divide those of the query.
    """
    shapes = [factor_shape(call, name) for name in _NAMES]
    dtype = dtype_of(call.arguments.get("query"))
    for operand, shape in enumerate(shapes):
        if shape is not None and shape.closed and len(shape.lead) < 2:
            text = f"takes 2 axes or more for the {_NAMES[operand]}, not {shape}"
            return Outcome(call.make(None, dtype), None, Clash(Fault.RANK, text, operand))
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return Outcome(call.make(None, dtype))
    return _attend(call, known, dtype)


def _attend(call: Call, shapes: list[Shape], dtype: str | None) -> Outcome:
    facts = call.facts
    for shape in shapes:
        split_trailing(shape, 2, facts)
    parts = [split_trailing(expand(shape, facts), 2, facts) for shape in shapes]
    (outer, (time, width)), (keys_outer, (source, key_width)), (values_outer, tail) = (
        part for part in parts if part is not None
    )
    features = contract(width, key_width, facts, "query and key")
    positions = contract(source, tail[0], facts, "key and value")
    grouped = call.flag("grouped") is not False
    batch = None if grouped else broadcast(outer, keys_outer, facts)
    both = batch.shape if batch is not None else outer
    values = None if grouped or both is None else broadcast(both, values_outer, facts)
    total = values.shape if values is not None else (outer if grouped else None)
    mask = None
    if total is not None and call.given("mask"):
        mask = _mask(call, append(total, (time, source)))
    event = Attention(time, source, features, positions, mask, batch=(batch, values))
    clash = _first_clash(features, positions, (batch, values))
    if clash is None and grouped:
        clash = _group_clash(call, outer, keys_outer)
    if clash is None and mask is not None and total is not None:
        given = call.shape("mask")
        assert given is not None
        clash = stretch_clash(mask, append(total, (time, source)), given, 3)
    if clash is not None:
        return Outcome(call.make(None, dtype), event, clash)
    made = None if total is None else expand(append(total, (time, tail[1])), facts)
    return Outcome(call.make(made, dtype), event)


def _mask(call: Call, scores: Shape) -> Broadcast | None:
    given = call.shape("mask")
    return None if given is None else broadcast(scores, given, call.facts)


def _group_clash(call: Call, queries: Shape, keys: Shape) -> Clash | None:
    """Why the query heads cannot share the key heads, or None: they must divide evenly."""
    if not queries.closed or not keys.closed or not queries.lead or not keys.lead:
        return None
    heads, shared = queries.lead[-1].size, keys.lead[-1].size
    if heads is None or shared is None:
        return None
    if call.facts.divisible(heads, shared) is not Verdict.DIFFERENT:
        return None
    text = f"shares {shared} key heads among {heads} query heads"
    return Clash(Fault.SPLIT, text, 1, heads, shared)


def _first_clash(
    features: Contracted, positions: Contracted, batches: tuple[Broadcast | None, ...]
) -> Clash | None:
    clash = contraction_clash([features], 1)
    if clash is None and positions.verdict.clashes:
        key, value = positions.left, positions.right
        text = f"weights {value} values by {key} keys"
        clash = Clash(Fault.CONTRACTION, text, 2, key.size, value.size, positions.verdict)
    for operand, batch in enumerate(batches, start=1):
        if clash is None and batch is not None:
            clash = batch_clash(batch.clashes, operand)
    return clash


def linear(call: Call) -> Outcome:
    """``x @ weight.T + bias``: ``(..., in), (out, in), (out,) -> (..., out)``.

    A weight of one axis, ``(in,)``, gives ``(...)``.
    """
    shape, weight = factor_shape(call, "x"), call.shape("weight")
    dtype = product_dtype(call, "x", "weight")
    if shape is not None and shape.rank == 0:
        text = "multiplies a number as if it were a vector"
        return Outcome(call.make(None, dtype), None, Clash(Fault.RANK, text))
    if shape is None or weight is None:
        return Outcome(call.make(None, dtype))
    matrix = weight if weight.rank == 1 else with_rank(weight, 2, call.facts)
    if isinstance(matrix, Clash):
        text = f"takes a weight of 2 axes, not {weight}"
        return Outcome(call.make(None, dtype), None, Clash(Fault.RANK, text, 1))
    taken = split_trailing(shape, 1, call.facts)
    if matrix is None or taken is None:
        return Outcome(call.make(None, dtype))
    if matrix.rank == 1 and call.given("bias"):
        text = "adds a bias to a product with a weight of 1 axis"
        return Outcome(call.make(None, dtype), None, Clash(Fault.RANK, text, 1))
    return _project(call, shape, matrix, taken, dtype)


def _project(
    call: Call,
    shape: Shape,
    weight: Shape,
    taken: tuple[Shape, tuple[Axis, ...]],
    dtype: str | None,
) -> Outcome:
    rows, (features,) = taken
    pair = contract(features, weight.lead[-1], call.facts, "linear")
    last = -1 if shape.rank is None else shape.rank - 1
    event = Contraction("linear", (last,), (len(weight.lead) - 1,), (pair,))
    clash = contraction_clash([pair])
    made = expand(append(rows, weight.lead[:-1]), call.facts)
    bias = call.shape("bias")
    if clash is None and bias is not None:
        clash = stretch_clash(broadcast(made, bias, call.facts), made, bias, 2)
    if clash is not None:
        return Outcome(call.make(None, dtype), event, clash)
    return Outcome(call.make(made, dtype), event)
