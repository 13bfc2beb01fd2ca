"""Arguments for multi-head attention and the layers of the Transformer."""

from __future__ import annotations

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import multihead

from ..harness import Arguments, Array, Dim, Draw


def _place(first: bool, batch: list[Dim], time: Dim, width: Dim) -> list[Dim]:
    return [*batch, time, width] if first else [time, *batch, width]


def _spoiled(draw: Draw, sizes: list[Dim], chance: float = 0.1) -> list[Dim]:
    return draw.spoil(sizes) if draw.chance(chance) else sizes


def _mask(draw: Draw, batch: list[Dim], heads: Dim, scores: list[Dim]) -> Array:
    copies = batch[0] * heads if batch else heads
    sizes = draw.choice([scores, scores, [copies, *scores]])
    return Array(*_spoiled(draw, sizes, 0.2), dtype=draw.choice(["float", "bool"]))


def _padding(draw: Draw, batch: list[Dim], time: Dim) -> Array:
    return Array(*_spoiled(draw, [*batch, time], 0.2), dtype=draw.choice(["float", "bool"]))


def multihead_attention(draw: Draw, spelling: Spelling) -> Arguments:
    heads, batch = draw.dim(2, 3), [draw.dim()] if draw.chance(0.8) else []
    width = heads * draw.dim(2, 3)
    time, source = draw.dim(), draw.dim()
    first = draw.chance(0.5)
    arguments: Arguments = {
        "embed_dim": width,
        "num_heads": heads if draw.chance(0.9) else 5,
        "batch_first": first,
        "add_bias_kv": draw.chance(0.2),
        "add_zero_attn": draw.chance(0.2),
    }
    widths = [width, width]
    if draw.chance(0.3):
        widths = [arguments.setdefault(name, draw.dim()) for name in ("kdim", "vdim")]
    query = _place(first, batch, time, width)
    arguments["query"] = Array(*_spoiled(draw, query))
    for name, size in zip(("key", "value"), widths, strict=True):
        arguments[name] = Array(*_spoiled(draw, _place(first, batch, source, size)))
    if draw.chance(0.4):
        arguments["attn_mask"] = _mask(draw, batch, heads, [time, source])
    if draw.chance(0.4):
        arguments["key_padding_mask"] = _padding(draw, batch, source)
    arguments["need_weights"] = draw.chance(0.7)
    arguments["averaged"] = draw.chance(0.5)
    return arguments


SAMPLERS = {
    multihead.multihead_attention: multihead_attention,
}
