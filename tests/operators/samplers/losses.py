"""Arguments for losses and distances."""

from __future__ import annotations

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import losses

from ..harness import Arguments, Array, Draw


def _reduction(draw: Draw) -> Arguments:
    return {"reduction": draw.choice(["none", "mean", "sum"])} if draw.chance(0.6) else {}


def elementwise(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    arguments: Arguments = {"x": Array(*sizes), "y": Array(*draw.broadcast(sizes))}
    return arguments | {"z": Array(*draw.broadcast(sizes))} | _reduction(draw)


def triplet(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 3)
    arguments: Arguments = {name: Array(*draw.broadcast(sizes)) for name in ("x", "y", "z")}
    return arguments | _reduction(draw)


def cosine_embedding(draw: Draw, spelling: Spelling) -> Arguments:
    rows, width = draw.shape(0, 1), draw.dim()
    return {
        "x": Array(*rows, width),
        "y": Array(*draw.spoil([*rows, width])),
        "z": Array(*draw.spoil(rows)),
    } | _reduction(draw)


def same_size(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    return {"x": Array(*sizes), "y": Array(*draw.spoil(sizes))} | _reduction(draw)


def classes(draw: Draw, spelling: Spelling) -> Arguments:
    scores = draw.shape(1, 4)
    target = scores[:1] + scores[2:] if len(scores) > 1 else []
    if "cross" in spelling.path.lower() and draw.chance(0.3):
        arguments: Arguments = {"x": Array(*scores), "y": Array(*scores)}
    else:
        target = draw.spoil(target)
        arguments = {"x": Array(*scores), "y": Array(*target, dtype="int", below=1)}
    return arguments | _reduction(draw)


def similarity(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(2, 4)
    arguments: Arguments = {"x": Array(*sizes), "y": Array(*draw.broadcast(sizes))}
    return arguments | ({"axis": draw.axis(2)} if draw.chance(0.6) else {})


def pairwise(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 3)
    arguments: Arguments = {"x": Array(*sizes), "y": Array(*draw.broadcast(sizes))}
    return arguments | {"keepdims": draw.chance(0.5)}


def distances(draw: Draw, spelling: Spelling) -> Arguments:
    batch, width = draw.shape(0, 2), draw.dim()
    left = [*batch, draw.dim(), width]
    right = [*draw.broadcast(batch), draw.dim(), draw.other(width)]
    return {"x": Array(*left), "y": Array(*(right[1:] if draw.chance(0.1) else right))}


SAMPLERS = {
    losses.triplet: triplet,
    losses.cosine_embedding: cosine_embedding,
    losses.elementwise: elementwise,
    losses.same_size: same_size,
    losses.classes: classes,
    losses.similarity: similarity,
    losses.pairwise: pairwise,
    losses.distances: distances,
}
