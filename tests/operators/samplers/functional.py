"""Arguments for layers as functions."""

from __future__ import annotations

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import attention

from ..harness import Arguments, Array, Draw


def scaled_dot_product_attention(draw: Draw, spelling: Spelling) -> Arguments:
    batch = draw.shape(0, 2)
    time, source, width, out = (draw.dim() for _ in range(4))
    query = [*batch, time, width]
    arguments: Arguments = {
        "query": Array(*(query if draw.chance(0.9) else draw.spoil(query))),
        "key": Array(
            *draw.broadcast(batch) if draw.chance(0.2) else batch, source, draw.other(width)
        ),
        # torch's fused kernel, for 4 axes, reads beyond the end where this size differs.
        "value": Array(*batch, source if len(batch) == 2 else draw.other(source), out),
    }
    if draw.chance(0.4):
        scores = [*batch, time, source]
        # torch's fused kernel, alone, refuses a mask of fewer than 2 axes.
        mask = draw.broadcast(scores)
        mask = mask if len(mask) > 1 else scores
        arguments["mask"] = Array(*mask, dtype=draw.choice(["float", "bool"]))
    if draw.chance(0.2):
        heads, groups = draw.dim(), draw.choice([1, 2])
        batch, shared = [draw.dim()], draw.other(heads)
        arguments = {
            "query": Array(*batch, heads * groups, time, width),
            "key": Array(*batch, shared, source, width),
            "value": Array(*batch, shared, source, out),
            "grouped": True,
        }
    return arguments


def linear(draw: Draw, spelling: Spelling) -> Arguments:
    inner, out = draw.dim(), draw.dim()
    weight = [out, inner]
    # A weight that has not been seen is taken to be a matrix.
    weight = weight if draw.kind == "open" else draw.spoil(weight)
    arguments: Arguments = {"x": Array(*draw.shape(0, 3), inner), "weight": Array(*weight)}
    if draw.chance(0.5):
        arguments["bias"] = Array(draw.other(out))
    return arguments


SAMPLERS = {
    attention.scaled_dot_product_attention: scaled_dot_product_attention,
    attention.linear: linear,
}
