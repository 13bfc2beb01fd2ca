"""Arguments for multi-head attention and the layers of the Transformer."""

from __future__ import annotations

import torch

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import multihead, transformers
from attncheck.values.value import Layer

from ..harness import Arguments, Array, Dim, Draw, Raw, Variant, as_dim, real_argument


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


def multihead_function(draw: Draw, spelling: Spelling) -> Arguments:
    heads, batch = draw.dim(2, 3), [draw.dim()] if draw.chance(0.8) else []
    width = heads * draw.dim(2, 3)
    time, source = draw.dim(), draw.dim()
    separate, biased = draw.chance(0.4), draw.chance(0.3)
    widths = [draw.dim(), draw.dim()] if separate else [width, width]
    bias = Array(1, 1, width) if biased else None
    arguments: Arguments = {
        "query": Array(*_spoiled(draw, [time, *batch, width])),
        "key": Array(*_spoiled(draw, [source, *batch, widths[0]])),
        "value": Array(*_spoiled(draw, [source, *batch, widths[1]])),
        "embed_dim": draw.other(width),
        "num_heads": heads,
        "in_proj": None if separate else Array(*_spoiled(draw, [3 * width, width])),
        "in_proj_bias": None,
        "bias_k": bias,
        "bias_v": bias,
        "add_zero_attn": draw.chance(0.2),
        "dropout_p": 0.0,
        "out_proj": Array(*_spoiled(draw, [draw.dim(), width])),
        "out_proj_bias": None,
        "need_weights": draw.chance(0.7),
        "averaged": draw.chance(0.5),
    }
    if separate:
        arguments |= {"separate": True, "q_proj_weight": Array(width, width)}
        arguments["key_proj"] = Array(width, widths[0])
        arguments["value_proj"] = Array(width, widths[1])
    if draw.chance(0.4):
        arguments["attn_mask"] = _mask(draw, batch, heads, [time, source])
    if draw.chance(0.4):
        arguments["key_padding_mask"] = _padding(draw, batch, source)
    return arguments


def _sizes(draw: Draw) -> tuple[Arguments, Dim, Dim]:
    """The settings of a small Transformer layer, and its number of heads and of features."""
    heads = draw.dim(2, 3)
    width = heads * draw.dim(2, 3)
    settings: Arguments = {
        "d_model": width,
        "nhead": heads if draw.chance(0.95) else 5,
        "dim_feedforward": 3,
        "batch_first": draw.chance(0.5),
    }
    return settings, heads, width


def _masks(draw: Draw, batch: list[Dim], heads: Dim, name: str, scores: list[Dim]) -> Arguments:
    masks: Arguments = {}
    if draw.chance(0.4):
        masks[f"{name}_mask"] = _mask(draw, batch, heads, scores)
    if draw.chance(0.4):
        masks[f"{name}_key_padding_mask"] = _padding(draw, batch, scores[1])
    return masks


def _batch(draw: Draw) -> list[Dim]:
    return [draw.dim()] if draw.chance(0.8) else []


def encoder_layer(draw: Draw, spelling: Spelling) -> Arguments:
    settings, heads, width = _sizes(draw)
    batch, time = _batch(draw), draw.dim()
    src = _place(settings["batch_first"], batch, time, width)
    masks = _masks(draw, batch, heads, "src", [time, time])
    return {**settings, "src": Array(*_spoiled(draw, src, 0.2)), **masks}


def _decoding(draw: Draw, memory: str) -> Arguments:
    settings, heads, width = _sizes(draw)
    batch, time, source = _batch(draw), draw.dim(), draw.dim()
    arguments = dict(settings)
    for name, length in (("tgt", time), (memory, source)):
        placed = _place(settings["batch_first"], batch, length, width)
        arguments[name] = Array(*_spoiled(draw, placed, 0.2))
    arguments |= _masks(draw, batch, heads, "tgt", [time, time])
    arguments |= _masks(draw, batch, heads, "memory", [time, source])
    if memory == "src":
        arguments |= _masks(draw, batch, heads, "src", [source, source])
    return arguments


def decoder_layer(draw: Draw, spelling: Spelling) -> Arguments:
    return _decoding(draw, "memory")


def transformer(draw: Draw, spelling: Spelling) -> Arguments:
    layers = {"num_encoder_layers": 1, "num_decoder_layers": 1}
    return {**_decoding(draw, "src"), **layers}


def _stacked(draw: Draw, arguments: Arguments, name: str) -> Arguments:
    """The arguments of a layer divided between that layer and a stack of two such."""
    names = ("d_model", "nhead", "dim_feedforward", "batch_first")
    settings = {name: arguments.pop(name) for name in names}
    if as_dim(settings["d_model"]).number % as_dim(settings["nhead"]).number:
        settings["nhead"] = 1
    variant = Variant("torch", draw.kind, draw.random, draw.symbols)
    layer = Layer(
        f"torch.nn.{name}", {name: variant.value(given) for name, given in settings.items()}
    )
    real = {name: real_argument(given, "torch", draw.random) for name, given in settings.items()}
    return {"layer": Raw(layer, getattr(torch.nn, name)(**real)), "num_layers": 2, **arguments}


def encoder(draw: Draw, spelling: Spelling) -> Arguments:
    return _stacked(draw, encoder_layer(draw, spelling), "TransformerEncoderLayer")


def decoder(draw: Draw, spelling: Spelling) -> Arguments:
    return _stacked(draw, decoder_layer(draw, spelling), "TransformerDecoderLayer")


def causal_mask(draw: Draw, spelling: Spelling) -> Arguments:
    return {"size": draw.dim()}


SAMPLERS = {
    multihead.multihead_attention: multihead_attention,
    multihead.multihead_function: multihead_function,
    transformers.encoder_layer: encoder_layer,
    transformers.decoder_layer: decoder_layer,
    transformers.encoder: encoder,
    transformers.decoder: decoder,
    transformers.transformer: transformer,
    transformers.causal_mask: causal_mask,
}
