"""Projections of flax: of several axes at once, and convolutions whose channels stand last.

The layers are made with the sizes that they give; what they take is found out when they are called.
"""

from __future__ import annotations

import re

from attncheck.algebra.contract import contract
from attncheck.algebra.shape import Axis, Shape, closed, expand
from attncheck.algebra.size import ONE, Size
from attncheck.operators.axes import append, locate, shape_of_items, split_trailing, with_rank
from attncheck.operators.call import Call
from attncheck.operators.contraction import product_dtype
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Clash, Contraction, Fault, Outcome
from attncheck.operators.normalising import normalised_sizes
from attncheck.operators.operands import dtype_of, factor_shape


def dense_general(call: Call) -> Outcome:
    """The axes ``axis`` of ``x`` (the last one) projected to those in ``features``, at the end.

    ``taken`` are the sizes of the axes that are projected, where the layer was made with them.
    """
    shape, features = factor_shape(call, "x"), call.sizes("features")
    dtype = product_dtype(call, "x")
    axes = call.integers("axis") if call.given("axis") else (-1,)
    if call.given("batch_dims") and call.integers("batch_dims") != ():
        return Outcome(call.make(None, dtype))
    if shape is None or features is None or axes is None:
        return Outcome(call.make(None, dtype))
    found = locate(shape, axes, call.facts)
    if isinstance(found, Clash):
        return Outcome(call.make(None, dtype), clash=found)
    layout, named = found
    # The axes are taken in their own order, whatever order they are named in.
    indices = tuple(sorted(named))
    sizes = call.sizes("taken") or [None] * len(indices)
    if len(sizes) != len(indices):
        return Outcome(call.make(None, dtype))
    pairs = tuple(
        contract(layout.axis(index), Axis(size), call.facts, "dense")
        for index, size in zip(indices, sizes, strict=True)
    )
    summed = tuple(layout.number(index) for index in indices)
    event = Contraction("linear", summed, tuple(range(len(pairs))), pairs)
    for pair in pairs:
        if pair.verdict.clashes:
            text = f"takes {pair.right} features, not {pair.left}"
            sizes_ = pair.left.size, pair.right.size
            clash = Clash(Fault.FEATURES, text, 0, *sizes_, pair.verdict)
            return Outcome(call.make(None, dtype), event, clash)
    rest = shape_of_items(item for i, item in enumerate(layout.items) if i not in indices)
    made = append(rest, [Axis(size) for size in features])
    return Outcome(call.make(expand(made, call.facts), dtype), event)


def convolve_last(call: Call) -> Outcome:
    """``(..., *spatial, C)`` to ``(..., *spatial', features)``, an axis of the kernel each.

    Without padding or strides of its own the positions stay as many as they are.
    """
    shape, dtype = factor_shape(call, "x"), dtype_of(call.arguments.get("x"))
    kernel = call.sizes("kernel")
    if shape is None or kernel is None:
        return Outcome(call.make(None, dtype))
    taken = split_trailing(shape, len(kernel) + 1, call.facts)
    if taken is None:
        text = f"slides over {len(kernel)} axes and one of channels, not {shape}"
        return Outcome(call.make(None, dtype), clash=Clash(Fault.RANK, text))
    outer, (*places, channels) = taken
    clash = _channels_clash(call, channels)
    if clash is not None:
        return Outcome(call.make(None, dtype), clash=clash)
    slid = [
        axis if _kept(call, size) else Axis(None) for axis, size in zip(places, kernel, strict=True)
    ]
    made = append(outer, [*slid, Axis(call.size("features"))])
    return Outcome(call.make(without_marks(expand(made, call.facts)), dtype))


def _channels_clash(call: Call, channels: Axis) -> Clash | None:
    pair = contract(channels, Axis(call.size("in_features")), call.facts, "channels")
    if not pair.verdict.clashes:
        return None
    text = f"takes {pair.right} channels, not {pair.left}"
    return Clash(Fault.FEATURES, text, 0, pair.left.size, pair.right.size, pair.verdict)


def _kept(call: Call, size: Size | None) -> bool:
    """Whether there are as many positions as before."""
    strides = call.integers("strides")
    if call.given("strides") and (strides is None or set(strides) != {1}):
        return False
    if size == ONE and not call.given("padding"):
        return True
    return not call.given("padding") or (call.text("padding") or "").upper() in ("SAME", "CAUSAL")


def causal_mask(call: Call) -> Outcome:
    """make_causal_mask: ``(..., T)`` to ``(..., 1, T, T)``."""
    return _pairs(call, "x", "x")


def attention_mask(call: Call) -> Outcome:
    """make_attention_mask: ``(..., L), (..., S)`` to ``(..., 1, L, S)``."""
    return _pairs(call, "query", "key")


def _pairs(call: Call, left: str, right: str) -> Outcome:
    shapes = [factor_shape(call, name) for name in (left, right)]
    if call.given("extra") and call.integer("extra") != 0:
        return Outcome(call.make(None, "float"))
    parts = [None if shape is None else split_trailing(shape, 1, call.facts) for shape in shapes]
    rows, columns = parts
    if rows is None or columns is None:
        return Outcome(call.make(None, "float"))
    batch, (query,) = rows
    _, (key,) = columns
    made: Shape = append(batch, (Axis(ONE, made="new"), query, key))
    return Outcome(call.make(without_marks(made), "float"))


def layer_norm_last(call: Call) -> Outcome:
    """A normalisation over the last axis: the shape of ``x``, whose features may be stated."""
    shape, dtype = factor_shape(call, "x"), dtype_of(call.arguments.get("x"))
    size = call.size("num_features")
    if shape is None:
        return Outcome(call.make(None, dtype))
    taken = None if size is None else split_trailing(shape, 1, call.facts)
    if taken is None:
        return Outcome(call.make(without_marks(shape), dtype))
    rows, (features,) = taken
    verdict = normalised_sizes(features, Axis(size), call.facts)
    if verdict.clashes:
        text = f"normalises {size} features, not {features}"
        clash = Clash(Fault.FEATURES, text, 0, features.size, size, verdict)
        return Outcome(call.make(None, dtype), clash=clash)
    return Outcome(call.make(without_marks(append(rows, closed((features,)).lead)), dtype))


def einsum_dense(call: Call) -> Outcome:
    """EinsumDense: an einsum of ``x`` with a kernel of the layer's own: ``"abc,cd->abd"``.

    The sizes of the result's axes behind the batch are those in ``sizes``; where one is None, and
    of the axes that dots stand for, it is the size in x.
    """
    shape, dtype = factor_shape(call, "x"), product_dtype(call, "x")
    read = _EQUATION.fullmatch((call.text("equation") or "").replace(" ", ""))
    if shape is None or read is None:
        return Outcome(call.make(None, dtype))
    dots, letters, output = bool(read["dots"]), read["taken"], read["given"]
    if dots:
        taken = split_trailing(shape, len(letters), call.facts)
    else:
        known = with_rank(shape, len(letters), call.facts)
        if isinstance(known, Clash):
            text = f"names {len(letters)} axes as {letters!r}, but its input is {shape}"
            return Outcome(call.make(None, dtype), clash=Clash(Fault.EINSUM, text))
        taken = None if known is None else (closed(()), known.lead)
    if taken is None:
        return Outcome(call.make(None, dtype))
    outer, axes = taken
    named = dict(zip(letters, axes, strict=True))
    sizes = call.sizes("sizes") or []
    behind = output if dots else output[1:]
    told = dict(zip(behind, sizes, strict=True)) if len(sizes) == len(behind) else {}
    made = [named.get(letter) or Axis(told.get(letter)) for letter in output]
    return Outcome(call.make(without_marks(append(outer, made)), dtype))


#: The input, the kernel and the output of such an equation, perhaps with dots in front.
_EQUATION = re.compile(r"(?P<dots>\.\.\.)?(?P<taken>\w+),\w+->(?(dots)\.\.\.)(?P<given>\w+)")
