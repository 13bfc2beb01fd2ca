"""Arguments for what only TensorFlow and Keras have."""

from __future__ import annotations

from typing import Any

from attncheck.algebra.size import const
from attncheck.frameworks.spelling import Spelling
from attncheck.operators import (
    creation,
    dense,
    merging,
    selection,
    splitting,
    triangles,
    turned,
    unrolled,
    value_first,
)
from attncheck.values.value import Const, Int, Layer

from ..drawing import Dim
from ..harness import Arguments, Array, Draw, Raw

# -- TensorFlow ------------------------------------------------------------------------------------


def turned_matmul(draw: Draw, spelling: Spelling) -> Arguments:
    batch, inner = draw.shape(0, 2), draw.dim()
    left, right = [draw.dim(), inner], [draw.other(inner), draw.dim()]
    flags = {name: draw.chance(0.5) for name in ("transpose_a", "transpose_b")}
    left = left[::-1] if flags["transpose_a"] else left
    right = right[::-1] if flags["transpose_b"] else right
    return {
        "x": Array(*batch, *left),
        "y": Array(*draw.broadcast(batch), *right),
    } | {name: flag for name, flag in flags.items() if flag or draw.chance(0.3)}


def turned_matvec(draw: Draw, spelling: Spelling) -> Arguments:
    batch, inner = draw.shape(0, 2), draw.dim()
    matrix, flag = [draw.dim(), inner], draw.chance(0.4)
    matrix = matrix[::-1] if flag else matrix
    arguments: Arguments = {"x": Array(*batch, *matrix), "y": Array(*batch, draw.other(inner))}
    return arguments | ({"transpose_a": True} if flag else {})


def parts_or_sizes(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 3)
    axis = draw.random.randrange(len(sizes))
    if draw.chance(0.5):
        parts: Any = [draw.dim(), draw.dim()]
        sizes[axis] = parts[0] + parts[1]
    else:
        parts = draw.choice([1, 2, 3])
        sizes[axis] = sizes[axis] * draw.choice([parts, parts, 1])
    return {"x": Array(*sizes), "parts": parts, "axis": axis}


def gather_rows(draw: Draw, spelling: Spelling) -> Arguments:
    batch = draw.shape(0, 1)
    sizes = [*batch, *draw.shape(1, 3)]
    arguments: Arguments = {
        "x": Array(*sizes),
        "index": Array(*batch, *draw.shape(1, 2), dtype="int", below=1),
    }
    if batch:
        arguments["batch_dims"] = 1
    if draw.chance(0.5):
        arguments["axis"] = draw.random.randrange(len(batch), len(sizes))
    return arguments


def band(draw: Draw, spelling: Spelling) -> Arguments:
    lower, upper = draw.choice([(-1, 0), (0, -1), (-1, -1), (0, 0)])
    return {"x": Array(*draw.shape(2, 4)), "lower": lower, "upper": upper}


def stacked_square(draw: Draw, spelling: Spelling) -> Arguments:
    arguments: Arguments = {"rows": draw.dim()}
    if draw.chance(0.5):
        arguments["columns"] = draw.dim()
    return arguments | ({"batch_shape": [draw.dim(), draw.dim()]} if draw.chance(0.5) else {})


def sequence_mask(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape(1, 2), dtype="int"), "count": draw.dim()}


# -- merges ----------------------------------------------------------------------------------------


def merge(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    batch, rest = sizes[0], sizes[1:]
    others = [Array(batch, *draw.spoil(rest))]
    if draw.chance(0.4) and "ubtract" not in spelling.path:
        others.append(Array(batch, *rest[len(rest) // 2 :]))
    return {"xs": [Array(*sizes), *others]}


def _factors(draw: Draw) -> tuple[list[Dim], list[Dim], tuple[int, int]]:
    batch, inner = draw.dim(), draw.dim()
    left, right = [batch, *draw.shape(0, 2)], [batch, *draw.shape(0, 1)]
    axes = draw.random.randint(1, len(left)), draw.random.randint(1, len(right))
    left.insert(axes[0], inner)
    right.insert(axes[1], draw.other(inner))
    return left, right, axes


def dot(draw: Draw, spelling: Spelling) -> Arguments:
    left, right, axes = _factors(draw)
    return {"xs": [Array(*left), Array(*right)], "axes": axes}


def batch_dot(draw: Draw, spelling: Spelling) -> Arguments:
    left, right, axes = _factors(draw)
    return {"x": Array(*left), "y": Array(*right), "axes": axes}


# -- axes behind the batch -------------------------------------------------------------------------


def reshape_behind(draw: Draw, spelling: Spelling) -> Arguments:
    a, b, c = draw.dim(), draw.dim(), draw.dim()
    sizes = draw.choice([(b, a, c), (-1, c), (a * b, c), (c, draw.other(a), b), (-1,)])
    return {"x": Array(draw.dim(), a, b * c), "sizes": sizes}


def permute_behind(draw: Draw, spelling: Spelling) -> Arguments:
    order = draw.choice([(2, 1), (1, 2), (1, 3, 2), (3, 1, 2)])
    return {"x": Array(*(draw.dim() for _ in (0, *order))), "order": order}


def flatten_behind(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape(2, 4))}


def repeat_vector(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.spoil([draw.dim(), draw.dim()])), "count": draw.dim()}


def pooled(draw: Draw, spelling: Spelling) -> Arguments:
    arguments: Arguments = {"x": Array(*draw.spoil([draw.dim(), draw.dim(), draw.dim()]))}
    if draw.chance(0.5):
        arguments["data_format"] = draw.choice(["channels_first", "channels_last"])
    return arguments | ({"keepdims": draw.chance(0.5)} if draw.chance(0.5) else {})


# -- projections -----------------------------------------------------------------------------------


def einsum_dense(draw: Draw, spelling: Spelling) -> Arguments:
    batch, time, width, heads, size = (draw.dim() for _ in range(5))
    equation, x, sizes = draw.choice(
        [
            ("abc,cd->abd", (batch, time, width), (None, size)),
            ("ab,bc->ac", (batch, width), size),
            ("abc,cde->abde", (batch, time, width), (None, heads, size)),
            ("abcd,cde->abe", (batch, time, heads, width), (None, size)),
            ("...x,xy->...y", (batch, time, width), size),
        ]
    )
    return {"equation": equation, "sizes": sizes, "x": Array(*x)}


# -- recurrence ------------------------------------------------------------------------------------


def _ways(draw: Draw) -> Arguments:
    flags = ("return_sequences", "return_state")
    return {flag: draw.chance(0.5) for flag in flags if draw.chance(0.7)}


def _states(draw: Draw, batch: Dim, units: Any, count: int) -> list[Array]:
    return [Array(batch, units) for _ in range(count)]


def run(draw: Draw, spelling: Spelling) -> Arguments:
    batch, units = draw.dim(), draw.dim()
    arguments = _ways(draw) | {"units": units, "x": Array(batch, draw.dim(), draw.dim())}
    if draw.chance(0.5):
        count = 2 if "LSTM" in spelling.path else 1
        arguments["state"] = _states(draw, batch, draw.other(units), count)
    return arguments


def over_cell(draw: Draw, spelling: Spelling) -> Arguments:
    import keras

    made = Raw(Layer("keras.layers.LSTMCell", {"units": Int(const(4))}), keras.layers.LSTMCell(4))
    return _ways(draw) | {"cell": made, "x": Array(draw.dim(), draw.dim(), draw.dim())}


def both_ways(draw: Draw, spelling: Spelling) -> Arguments:
    import keras

    flags = _ways(draw)
    name = draw.choice(["LSTM", "GRU", "SimpleRNN"])
    settings = {"units": Int(const(4))} | {flag: Const(value) for flag, value in flags.items()}
    made = Raw(Layer(f"keras.layers.{name}", settings), getattr(keras.layers, name)(4, **flags))
    arguments: Arguments = {"layer": made, "x": Array(draw.dim(), draw.dim(), draw.dim())}
    return arguments | ({"merge_mode": draw.choice(["concat", "sum"])} if draw.chance(0.5) else {})


def cell(draw: Draw, spelling: Spelling) -> Arguments:
    batch, units = draw.dim(), draw.dim()
    states = _states(draw, batch, draw.other(units), 2 if "LSTM" in spelling.path else 1)
    return {"units": units, "x": Array(batch, draw.dim()), "state": states}


# -- attention -------------------------------------------------------------------------------------


def _operands(draw: Draw) -> tuple[list[Any], list[Any], list[Any]]:
    batch, time, source, width = draw.dim(), draw.dim(), draw.dim(), draw.dim()
    value = [batch, source, draw.dim()]
    return [batch, time, width], value, [draw.other(batch), draw.other(source), width]


def list_attention(draw: Draw, spelling: Spelling) -> Arguments:
    query, value, key = _operands(draw)
    arguments: Arguments = {"xs": [Array(*query), Array(*value), Array(*key)]}
    if draw.chance(0.3):
        arguments["xs"] = [Array(*query), Array(*value[:2], draw.other(query[2]))]
    return arguments | ({"return_attention_scores": True} if draw.chance(0.5) else {})


def value_first_attention(draw: Draw, spelling: Spelling) -> Arguments:
    query, value, key = _operands(draw)
    arguments: Arguments = {
        "num_heads": draw.dim(2, 3),
        "key_dim": draw.dim(),
        "query": Array(*query),
        "value": Array(*value),
    }
    if draw.chance(0.6):
        arguments["key"] = Array(*key)
    if draw.chance(0.3):
        arguments["output_shape"] = draw.dim()
    if draw.chance(0.3):
        heads = draw.choice([[], [1], [arguments["num_heads"]], [draw.dim(2, 3)]])
        arguments["mask"] = Array(query[0], *heads, query[1], value[1], dtype="bool")
    return arguments | ({"return_attention_scores": True} if draw.chance(0.5) else {})


SAMPLERS = {
    turned.turned_matmul: turned_matmul,
    turned.turned_matvec: turned_matvec,
    splitting.parts_or_sizes: parts_or_sizes,
    selection.gather_rows: gather_rows,
    triangles.band: band,
    creation.stacked_square: stacked_square,
    creation.sequence_mask: sequence_mask,
    merging.merge: merge,
    merging.dot: dot,
    merging.batch_dot: batch_dot,
    merging.reshape_behind: reshape_behind,
    merging.permute_behind: permute_behind,
    merging.flatten_behind: flatten_behind,
    merging.repeat_vector: repeat_vector,
    merging.pooled: pooled,
    dense.einsum_dense: einsum_dense,
    unrolled.unrolled: run,
    unrolled.over_cell: over_cell,
    unrolled.both_ways: both_ways,
    unrolled.cell: cell,
    value_first.list_attention: list_attention,
    value_first.value_first_attention: value_first_attention,
}

LENIENT = {
    **dict.fromkeys(
        [f"keras.layers.{name}" for name in ("LeakyReLU", "ELU", "PReLU")], "it takes floats only"
    ),
    "keras.layers.Dense": "it takes two axes or more",
    "keras.ops.array_split": "it takes a number of parts only",
    "keras.ops.norm": "it takes no numbers",
    "keras.backend.tile": "it takes as many counts as there are axes",
    "keras.backend.dot": "it takes two axes or more",
    "keras.backend.bias_add": "it takes a bias of one axis",
    "tensorflow.nn.bias_add": "it takes a bias of one axis",
    "tensorflow.einsum": "it takes an equation only",
    "tensorflow.linalg.einsum": "it takes an equation only",
    "tensorflow.norm": "it takes one axis or two of them",
    "tensorflow.linalg.norm": "it takes one axis or two of them",
    "tensorflow.pad": "it takes a pair for each axis only",
    "tensorflow.tile": "it takes as many counts as there are axes",
}
_COUNTED = "how many elements are true nobody knows"
SILENT = {
    "keras.ops.nonzero": _COUNTED,
    "keras.ops.where": _COUNTED,
    "tensorflow.where": _COUNTED,
    "keras.ops.normalize": "a number becomes a vector",
    "keras.layers.MultiHeadAttention": "a batch of 1 is stretched over others",
    "keras.layers.Conv1D": "how many positions are left without padding is not said",
}
SKIPPED = dict.fromkeys(
    ["keras.layers.CuDNNGRU", "keras.layers.CuDNNLSTM", "keras.layers.ThresholdedReLU"],
    "Keras had it before its third version",
) | {
    "keras.ops.top_k": "with NumPy it gives fewer where there are fewer, which others refuse",
    "keras.backend.reverse": "it passes numbers on, whatever the axis",
    "tensorflow.reverse": "it passes numbers on, whatever the axis",
    "tensorflow.Tensor.numpy": "only eager tensors have it",
    "keras.ops.full": "it gives floats of integers",
}
