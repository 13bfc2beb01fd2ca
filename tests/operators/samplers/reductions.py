"""Arguments for reductions and softmax: axes of either sign, tuples, keepdims, out of range."""

from __future__ import annotations

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import reduction, softmax

from ..harness import Arguments, Array, Draw

#: Names whose axis is one number, not a tuple, in the library.
_ONE_AXIS = ("argmax", "argmin", "max", "min", "median", "nanmean")
_FLOAT = ("mean", "nanmean", "std", "var", "median", "norm", "logsumexp", "average", "var_mean")


def reduce(draw: Draw, spelling: Spelling) -> Arguments:
    name = spelling.path.rpartition(".")[2]
    # scipy gives numbers an axis before it reduces them, and so does jax's median.
    axes = spelling.path.startswith("scipy") or spelling.path == "jax.numpy.median"
    shape = draw.shape(int(axes), 4)
    dtype = (
        "float" if name in (*_FLOAT, "std_mean", "vector_norm") else draw.choice(["float", "int"])
    )
    arguments: Arguments = {"x": Array(*shape, dtype=dtype)}
    one = name in ("argmax", "argmin") or (spelling.library == "torch" and name in _SINGLE)
    required = any(p.neutral == "axis" and p.required for p in spelling.parameters)
    if (draw.chance(0.7) and (shape or spelling.library == "torch")) or required:
        many = draw.chance(0.3) and not one
        arguments["axis"] = _axes(draw, len(shape)) if many else draw.axis(len(shape))
        if draw.chance(0.5):
            arguments["keepdims"] = draw.chance(0.5)
    elif spelling.library != "torch" and draw.chance(0.5):
        arguments["keepdims"] = draw.chance(0.5)
    return arguments


_SINGLE = ("prod", "max", "min", "median", "nanmedian")


def _axes(draw: Draw, rank: int) -> tuple[int, ...]:
    count = draw.random.randint(1, max(1, min(rank, 3)))
    return tuple(draw.axis(rank) for _ in range(count))


def pair(draw: Draw, spelling: Spelling) -> Arguments:
    if draw.chance(0.15) and not spelling.path.endswith("median"):
        shape = draw.shape()
        return {"x": Array(*shape), draw.choice(["axis", "y"]): Array(*draw.broadcast(shape))}
    return reduce(draw, spelling)


def norm(draw: Draw, spelling: Spelling) -> Arguments:
    arguments = reduce(draw, spelling)
    if draw.chance(0.3) and not isinstance(arguments.get("axis"), tuple):
        arguments["order"] = 1 if spelling.path.startswith("numpy") else 2
    return arguments


def scan(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape()
    arguments: Arguments = {"x": Array(*shape)}
    if draw.chance(0.8) or spelling.library == "torch":
        arguments["axis"] = draw.axis(len(shape))
    return arguments


def average(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape(1, 4)
    arguments: Arguments = {"x": Array(*shape)}
    if draw.chance(0.5):
        arguments["axis"] = draw.axis(len(shape))
    if draw.chance(0.5):
        at = arguments.get("axis", 0)
        one = [shape[at]] if -len(shape) <= at < len(shape) else shape
        weights = draw.choice([shape, one])
        arguments["weights"] = Array(*draw.spoil(weights))
    return arguments


def sample_softmax(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape(3, 4) if spelling.path.endswith("2d") else draw.shape()
    arguments: Arguments = {"x": Array(*shape)}
    required = any(p.neutral == "axis" and p.required for p in spelling.parameters)
    if required or draw.chance(0.8):
        arguments["axis"] = draw.axis(len(shape))
    return arguments


SAMPLERS = {
    reduction.reduce: reduce,
    reduction.reduce_to_pair: pair,
    reduction.moments: reduce,
    reduction.norm: norm,
    reduction.scan: scan,
    reduction.scan_pair: scan,
    reduction.average: average,
    softmax.softmax: sample_softmax,
}
