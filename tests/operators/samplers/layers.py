"""Arguments for projections and embeddings, as layers and as functions."""

from __future__ import annotations

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import layers

from ..harness import Arguments, Array, Draw, as_dim


def linear_layer(draw: Draw, spelling: Spelling) -> Arguments:
    inner = draw.dim()
    return {
        "in_features": draw.other(inner),
        "out_features": draw.dim(),
        "x": Array(*draw.shape(0, 3), *([] if draw.chance(0.05) else [inner])),
    }


def bilinear(draw: Draw, spelling: Spelling) -> Arguments:
    rows, left, right, out = draw.shape(0, 2), draw.dim(), draw.dim(), draw.dim()
    return {
        "x": Array(*rows, left),
        "y": Array(*draw.spoil(rows), right),
        "left_features": draw.other(left),
        "right_features": draw.other(right),
        "out_features": out,
        "weight": Array(*draw.spoil([out, left, right])),
    }


def embedding(draw: Draw, spelling: Spelling) -> Arguments:
    table = [as_dim(5), draw.dim()]
    arguments: Arguments = {"rows": table[0], "width": table[1]}
    if draw.chance(0.1):
        table = draw.shape(1, 3)
    return arguments | {"x": Array(*draw.shape(), dtype="int", below=1), "weight": Array(*table)}


def embedding_bag(draw: Draw, spelling: Spelling) -> Arguments:
    rank = draw.choice([0, 1, 1, 2, 2, 2, 3])
    arguments = embedding(draw, spelling)
    arguments["x"] = Array(*(draw.dim() for _ in range(rank)), dtype="int", below=1)
    if draw.chance(0.2) if rank == 2 else draw.chance(0.8):
        arguments["offsets"] = Array(draw.dim(), dtype="int", below=1)
        if draw.chance(0.3):
            arguments["with_end"] = draw.chance(0.5)
    return arguments


def embedding_of(draw: Draw, spelling: Spelling) -> Arguments:
    table = draw.shape(1, 3) if draw.chance(0.2) else [draw.dim(), draw.dim()]
    return {"table": Array(*table), "freeze": draw.chance(0.5)}


def prelu(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape(1, 4)
    slopes = draw.choice([as_dim(1), shape[1] if len(shape) > 1 else as_dim(1), draw.dim()])
    return {"x": Array(*shape), "slopes": slopes, "weight": Array(slopes)}


SAMPLERS = {
    layers.linear_layer: linear_layer,
    layers.bilinear: bilinear,
    layers.embedding: embedding,
    layers.embedding_bag: embedding_bag,
    layers.embedding_of: embedding_of,
    layers.prelu: prelu,
}
