"""Arguments for normalisations: inputs with the channels that they were made for, or others."""

from __future__ import annotations

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import normalising

from ..harness import Arguments, Array, Dim, Draw


def _several(draw: Draw) -> Dim:
    """A size of at least 2: no library normalises a single element."""
    size = draw.dim()
    while size.number == 1:
        size = draw.dim()
    return size


def _flags(draw: Draw, *names: str) -> Arguments:
    return {name: draw.chance(0.5) for name in names if draw.chance(0.5)}


def layer_norm(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 2)
    shape = [*draw.shape(0, 2), *sizes]
    arguments: Arguments = {"x": Array(*draw.spoil(shape)), "sizes": sizes}
    if draw.chance(0.5):
        arguments["weight"] = Array(*draw.spoil(sizes))
    if draw.chance(0.3):
        arguments["bias"] = Array(*draw.spoil(sizes))
    return arguments | _flags(draw, "affine", "has_bias")


def normalize(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape()
    arguments: Arguments = {"x": Array(*shape)}
    if draw.chance(0.7):
        arguments["axis"] = draw.axis(len(shape))
    return arguments


def group_norm(draw: Draw, spelling: Spelling) -> Arguments:
    groups = draw.random.randint(1, 3)
    channels = draw.dim() * groups if draw.chance(0.8) else draw.dim()
    shape = [_several(draw), channels, *(_several(draw) for _ in range(draw.random.randint(0, 3)))]
    arguments: Arguments = {"x": Array(*draw.spoil(shape) if draw.chance(0.3) else shape)}
    arguments |= {"groups": groups, "channels": draw.other(channels)} | _flags(draw, "affine")
    for name in ("weight", "bias"):
        if spelling.path.islower() and draw.chance(0.4):
            arguments[name] = Array(draw.other(channels))
    return arguments


def batch_norm(draw: Draw, spelling: Spelling) -> Arguments:
    rank = _rank(draw, spelling)
    shape = [_several(draw) for _ in range(rank)]
    channels = shape[1] if rank > 1 else draw.dim()
    arguments: Arguments = {"x": Array(*shape), "channels": draw.other(channels)}
    if not spelling.path.islower():
        return arguments | _flags(draw, "affine", "tracked")
    for name in ("mean", "variance"):
        arguments[name] = Array(draw.other(channels))
    for name in ("weight", "bias"):
        if draw.chance(0.4):
            arguments[name] = Array(draw.other(channels))
    return arguments


def instance_norm(draw: Draw, spelling: Spelling) -> Arguments:
    rank = _rank(draw, spelling)
    shape = [_several(draw) for _ in range(rank)]
    spatial = 1 if spelling.path.islower() else int(spelling.path[-2])
    at = 1 if spelling.path.islower() else rank - spatial - 1
    channels = shape[at] if 0 <= at < rank else draw.dim()
    arguments: Arguments = {"x": Array(*shape), "channels": draw.other(channels)}
    if not spelling.path.islower():
        return arguments | _flags(draw, "affine", "tracked")
    for name in ("weight", "bias"):
        if draw.chance(0.4):
            arguments[name] = Array(draw.other(channels))
    return arguments


def _rank(draw: Draw, spelling: Spelling) -> int:
    """A number of axes that fits the layer, or is one off; of a function any."""
    if spelling.path.islower():
        return draw.random.randint(2, 5)
    spatial = int(spelling.path[-2])
    return spatial + draw.choice([2, 2, 2, 1, 3])


def local_response_norm(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape(2, 5)), "size": 2}


SAMPLERS = {
    normalising.layer_norm: layer_norm,
    normalising.normalize: normalize,
    normalising.group_norm: group_norm,
    normalising.batch_norm: batch_norm,
    normalising.instance_norm: instance_norm,
    normalising.local_response_norm: local_response_norm,
}
