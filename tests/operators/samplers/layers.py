"""Arguments for layers: what they are made with, and what they are called on."""

from __future__ import annotations

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import layers

from ..harness import Arguments, Array, Draw


def linear_layer(draw: Draw, spelling: Spelling) -> Arguments:
    inner = draw.dim()
    return {
        "in_features": draw.other(inner),
        "out_features": draw.dim(),
        "x": Array(*draw.shape(0, 3), *([] if draw.chance(0.05) else [inner])),
    }


def same_shape(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape(0, 4))}


SAMPLERS = {
    layers.linear_layer: linear_layer,
    layers.same_shape: same_shape,
}
