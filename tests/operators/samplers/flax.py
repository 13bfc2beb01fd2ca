"""Arguments for the layers of flax."""

from __future__ import annotations

from typing import Any

from attncheck.algebra.size import const
from attncheck.frameworks.spelling import Spelling
from attncheck.operators import carried, dense, heads_last
from attncheck.values.value import Int, Layer

from ..drawing import Dim
from ..harness import Arguments, Array, Draw, Raw


def dense_general(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape(1, 4)
    count = draw.random.randint(1, min(2, len(shape)))
    axes = draw.random.sample(range(len(shape)), count)
    arguments: Arguments = {
        "features": draw.choice([draw.dim(), (draw.dim(), draw.dim())]),
        "axis": draw.choice([axes[0] - len(shape), tuple(axes)]),
        "x": Array(*shape),
    }
    named = arguments["axis"]
    taken = tuple(shape[axis] for axis in (named if isinstance(named, tuple) else (named,)))
    return arguments | {"taken": taken if isinstance(named, tuple) else taken[0]}


def convolve_last(draw: Draw, spelling: Spelling) -> Arguments:
    spatial, channels = draw.shape(1, 2), draw.dim()
    arguments: Arguments = {
        "features": draw.dim(),
        "kernel": (3,) * len(spatial),
        "in_features": draw.other(channels),
        "x": Array(draw.dim(), *spatial, channels),
    }
    return arguments | ({"padding": "SAME"} if draw.chance(0.3) else {})


def layer_norm_last(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape(1, 4)
    return {"x": Array(*shape), "num_features": draw.other(shape[-1])}


def causal_mask(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape(1, 3))}


def attention_mask(draw: Draw, spelling: Spelling) -> Arguments:
    batch = draw.shape(0, 2)
    return {"query": Array(*batch, draw.dim()), "key": Array(*batch, draw.dim())}


def projected(draw: Draw, spelling: Spelling) -> Arguments:
    batch, heads, width = [draw.dim()], draw.dim(2, 3), draw.dim()
    time, source = draw.dim(), draw.dim()
    arguments: Arguments = {
        "num_heads": heads if draw.chance(0.9) else 5,
        "in_features": width,
        "qkv_features": heads * draw.dim(2, 3),
        "query": Array(*batch, time, width),
    }
    if draw.chance(0.5):
        arguments["out_features"] = draw.dim()
    if draw.chance(0.7):
        arguments["key"] = Array(*batch, source, width)
        if draw.chance(0.5):
            arguments["value"] = Array(*batch, draw.other(source), width)
    else:
        source = time
    if draw.chance(0.3) and "key" in arguments:
        arguments["mask"] = Array(*batch, 1, time, source, dtype="bool")
    return arguments


def _state(draw: Draw, rows: list[Dim], size: Any, spelling: Spelling) -> Any:
    state = Array(*rows, size)
    return (state, state) if "LSTM" in spelling.path else state


def cell(draw: Draw, spelling: Spelling) -> Arguments:
    rows, inner, size = draw.shape(0, 2), draw.dim(), draw.dim()
    return {
        "features": size,
        "in_features": draw.other(inner),
        "x": Array(*rows, inner),
        "carry": _state(draw, rows, draw.other(size), spelling),
    }


def network(draw: Draw, spelling: Spelling) -> Arguments:
    from flax import linen

    made = Raw(Layer("flax.linen.GRUCell", {"features": Int(const(4))}), linen.GRUCell(4))
    arguments: Arguments = {"cell": made, "x": Array(draw.dim(), draw.dim(), draw.dim())}
    return arguments | ({"time_major": draw.chance(0.5)} if draw.chance(0.5) else {})


SAMPLERS = {
    dense.dense_general: dense_general,
    dense.convolve_last: convolve_last,
    dense.layer_norm_last: layer_norm_last,
    dense.causal_mask: causal_mask,
    dense.attention_mask: attention_mask,
    heads_last.projected: projected,
    carried.cell: cell,
    carried.network: network,
}
