"""Layers: what a module of a library does to the shape of its input.

An operator of a layer is given the constructor's arguments beside those of the call, so that one
function says all: a linear layer takes ``in_features``, ``out_features`` and ``x``.
"""

from __future__ import annotations

from attncheck.algebra.contract import contract
from attncheck.algebra.shape import Axis, expand
from attncheck.operators.axes import append, split_trailing
from attncheck.operators.call import Call
from attncheck.operators.contraction import product_dtype
from attncheck.operators.events import Clash, Contraction, Elementwise, Fault, Outcome
from attncheck.operators.operands import dtype_of, operand_shape


def linear_layer(call: Call) -> Outcome:
    """``(..., in_features) -> (..., out_features)``."""
    shape, dtype = operand_shape(call, "x"), product_dtype(call, "x")
    if shape is None:
        return Outcome(call.make(None, dtype))
    taken = split_trailing(shape, 1, call.facts)
    if taken is None:
        text = "multiplies a number as if it were a vector"
        return Outcome(call.make(None, dtype), None, Clash(Fault.RANK, text))
    rows, (features,) = taken
    pair = contract(features, Axis(call.size("in_features")), call.facts, "linear")
    last = -1 if shape.rank is None else shape.rank - 1
    event = Contraction("linear", (last,), (1,), (pair,))
    if pair.verdict.clashes:
        text = f"takes {pair.right} features, not {pair.left}"
        left, right = pair.left.size, pair.right.size
        clash = Clash(Fault.FEATURES, text, 0, left, right, pair.verdict)
        return Outcome(call.make(None, dtype), event, clash)
    made = append(rows, (Axis(call.size("out_features")),))
    return Outcome(call.make(expand(made, call.facts), dtype), event)


def same_shape(call: Call) -> Outcome:
    """A layer that works on each element by itself: dropout, an activation."""
    shape = operand_shape(call, "x")
    event = Elementwise("layer", None)
    return Outcome(call.make(shape, dtype_of(call.arguments.get("x"))), event)
