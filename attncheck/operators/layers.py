"""Layers: what a module of a library does to the shape of its input.

An operator of a layer is given the constructor's arguments beside those of the call, so that one
function says all: a linear layer takes ``in_features``, ``out_features`` and ``x``. Here are the
projections, the embeddings and the gates; convolutions, poolings and normalisations have files of
their own.
"""

from __future__ import annotations

from attncheck.algebra.contract import contract
from attncheck.algebra.shape import Axis, Row, Shape, closed, expand
from attncheck.algebra.size import ONE, Size
from attncheck.operators.axes import append, split_trailing, with_rank
from attncheck.operators.call import Call
from attncheck.operators.contraction import product_dtype
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Clash, Contraction, Elementwise, Fault, Outcome
from attncheck.operators.features import size_clash
from attncheck.operators.operands import dtype_of, factor_shape
from attncheck.operators.seats import rank_clash, ranks_clash, seat
from attncheck.values.tensor import Evidence
from attncheck.values.value import UNKNOWN, Int, Layer, Sequence, as_tensor

#: How many axes indices have that a name makes a sequence of: a batch of them.
_MOST_INDICES = 2
#: The axes that Keras' Dense needs: a batch, and features.
_LEAST_BATCHED = 2
#: What makes a layer of a table and is no setting of it.
_OF_THE_METHOD = frozenset(["table", "freeze", "path"])

# -- projections -----------------------------------------------------------------------------------


def linear_layer(call: Call) -> Outcome:
    """``(..., in_features) -> (..., out_features)``; Keras' clashes without a batch in front."""
    shape, dtype = factor_shape(call, "x"), product_dtype(call, "x")
    given = call.arguments.get("x")
    if type(given) is Sequence and given.items and as_tensor(given.items[0]) is not None:
        text = f"takes a tensor, not {len(given.items)} values in a tuple"
        return Outcome(call.make(None, dtype), None, Clash(Fault.RANK, text))
    if shape is None:
        return Outcome(call.make(None, dtype))
    if call.spelling.startswith("keras") and shape.closed and len(shape.lead) < _LEAST_BATCHED:
        clash = rank_clash(shape, "a batch of vectors")
        return Outcome(call.make(None, dtype), clash=clash)
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


def bilinear(call: Call) -> Outcome:
    """``(..., left), (..., right) -> (..., out)``, with a weight ``(out, left, right)``.

    The sizes come from the layer (``left_features``, ``right_features``, ``out_features``) or from
    the weight. Both inputs have the same axes but the last.
    """
    dtype = product_dtype(call, "x", "y")
    sizes = [call.size(name) for name in ("out_features", "left_features", "right_features")]
    weight = call.shape("weight")
    if weight is not None:
        matrix = with_rank(weight, 3, call.facts)
        if isinstance(matrix, Clash):
            return Outcome(
                call.make(None, dtype), clash=rank_clash(weight, "a weight of 3 axes", 2)
            )
        sizes = [None] * 3 if matrix is None else [axis.size for axis in matrix.lead]
    rows: list[Shape] = []
    for operand, (name, size) in enumerate(zip(("x", "y"), sizes[1:], strict=True)):
        shape = call.shape(name)
        taken = None if shape is None else split_trailing(shape, 1, call.facts)
        if shape is not None and taken is None:
            clash: Clash | None = rank_clash(shape, "vectors", operand)
        elif taken is not None:
            clash = size_clash(taken[1][0], size, call.facts, "features", operand)
            rows.append(taken[0])
        else:
            clash = None
        if clash is not None:
            return Outcome(call.make(None, dtype), clash=clash)
    clash = _rows_clash(call, rows)
    if clash is not None or not rows:
        return Outcome(call.make(None, dtype), clash=clash)
    made = without_marks(append(expand(rows[0], call.facts), (Axis(sizes[0]),)))
    return Outcome(call.make(made, dtype))


def _rows_clash(call: Call, rows: list[Shape]) -> Clash | None:
    """Why two inputs do not come in the same batch, or None."""
    if len(rows) < 2 or not all(shape.closed for shape in rows):
        return None
    left, right = rows
    text = f"pairs vectors of {left} with vectors of {right}"
    if len(left.lead) != len(right.lead):
        return Clash(Fault.BROADCAST, text, 1)
    for one, other in zip(left.lead, right.lead, strict=True):
        if one.size is None or other.size is None:
            continue
        verdict = call.facts.force(one.size, other.size, text)
        if verdict.clashes:
            return Clash(Fault.BROADCAST, text, 1, one.size, other.size, verdict)
    return None


# -- embeddings ------------------------------------------------------------------------------------


def embedding(call: Call) -> Outcome:
    """Rows of a table by index: ``(...) -> (..., width)``.

    The width is the layer's, or that of the table ``(n, width)`` that is passed as ``weight``. What
    only a name gives axes of features is of another rank: these are indices.
    """
    width, clash = _table_width(call)
    dtype, given = _table_dtype(call), call.tensor("x")
    shape = factor_shape(call, "x")
    if shape is not None and given is not None and given.evidence is Evidence.NAME:
        shape = (
            Shape((), Row("indices", born=False)) if (shape.rank or 0) > _MOST_INDICES else shape
        )
    if clash is not None or shape is None:
        return Outcome(call.make(None, dtype), clash=clash)
    return Outcome(call.make(append(without_marks(shape), (width,)), dtype))


def embedding_bag(call: Call) -> Outcome:
    """Rows of a table summed by bag: ``(bags, n) -> (bags, width)``.

    Of one axis of indices ``offsets`` says where the bags begin, so there are as many bags; one
    less if the end is included.
    """
    width, clash = _table_width(call)
    dtype, shape = _table_dtype(call), factor_shape(call, "x")
    if clash is None and shape is not None:
        clash = ranks_clash(shape, (1, 2))
    if clash is not None or shape is None or not shape.closed:
        return Outcome(call.make(None, dtype), clash=clash)
    offsets = call.shape("offsets")
    bags = shape.lead[0]
    if len(shape.lead) == 1:
        marks = None if offsets is None or offsets.rank != 1 else offsets.lead[0].size
        if marks is not None and call.flag("with_end") is not False:
            marks = marks - 1 if call.flag("with_end") else None
        bags = Axis(marks)
        if not call.given("offsets"):
            text = f"takes bags of indices, or offsets beside the indices {shape}"
            return Outcome(call.make(None, dtype), clash=Clash(Fault.RANK, text))
    elif call.given("offsets"):
        text = f"takes offsets beside one axis of indices, not {shape}"
        return Outcome(call.make(None, dtype), clash=Clash(Fault.RANK, text))
    return Outcome(call.make(closed([*without_marks(closed([bags])).lead, width]), dtype))


def embedding_of(call: Call) -> Outcome:
    """Embedding.from_pretrained: the layer ``path`` whose weight is the matrix ``table``.

    What else the layer is made with is kept, by its neutral names.
    """
    table = call.shape("table")
    matrix = None if table is None else with_rank(table, 2, call.facts)
    if isinstance(matrix, Clash):
        text = f"makes a table of a matrix, not of {table}"
        return Outcome(UNKNOWN, clash=Clash(Fault.RANK, text))
    sizes = (None, None) if matrix is None else matrix.sizes()
    own = zip(("rows", "width"), map(Int, sizes), strict=True)
    rest = {name: each for name, each in call.arguments.items() if name not in _OF_THE_METHOD}
    return Outcome(Layer(call.text("path") or "", {**rest, **dict(own)}))


def _table_width(call: Call) -> tuple[Axis, Clash | None]:
    table = call.shape("weight")
    if table is None or table.rank is None:
        return Axis(call.size("width")), None
    if table.rank != 2:
        return Axis(None), Clash(Fault.RANK, f"looks up rows of a matrix, not of {table}", 1)
    return table.lead[1], None


def _table_dtype(call: Call) -> str | None:
    return dtype_of(call.arguments["weight"]) if "weight" in call.arguments else "float"


# -- activations with parameters -------------------------------------------------------------------


def prelu(call: Call) -> Outcome:
    """A leaky rectifier with one slope, or with one for each channel (axis 1)."""
    shape, dtype = factor_shape(call, "x"), dtype_of(call.arguments.get("x"))
    event = Elementwise("prelu", None)
    if shape is None:
        return Outcome(call.make(None, dtype), event)
    slopes, clash = _slopes(call), None
    # One slope fits all, so only a number of them says what the channels are.
    if slopes is not None and slopes.number not in (None, 1) and shape.rank is not None:
        found = seat(shape, 1, call.facts) if shape.rank > 1 else None
        channels = Axis(ONE) if found is None else found.axis
        clash = size_clash(channels, slopes, call.facts, "channels")
    made = None if clash is not None else without_marks(expand(shape, call.facts))
    return Outcome(call.make(made, dtype), event, clash)


def _slopes(call: Call) -> Size | None:
    weight = call.shape("weight")
    if weight is None:
        return call.size("slopes")
    return weight.lead[0].size if weight.rank == 1 else None
