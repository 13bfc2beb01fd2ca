"""Arguments for Fourier transforms, complex tensors and linear algebra."""

from __future__ import annotations

import torch

from attncheck.algebra.shape import Axis, Shape
from attncheck.algebra.size import const
from attncheck.frameworks.spelling import Spelling
from attncheck.operators import matrices, transforms
from attncheck.values.tensor import Tensor

from ..harness import Arguments, Array, Draw, Raw


def transform(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape(1, 3)
    arguments: Arguments = {"x": Array(*shape)}
    if draw.chance(0.4):
        arguments["count"] = draw.choice([3, draw.dim()])
    if draw.chance(0.6):
        arguments["axis"] = draw.axis(len(shape))
    return arguments


def restore(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape(1, 3)
    axis = draw.axis(len(shape))
    arguments: Arguments = {"x": Array(*shape), "axis": axis}
    inside = -len(shape) <= axis < len(shape)
    if draw.chance(0.4) or (inside and shape[axis].number == 1):
        # A single frequency says nothing of how long the signal was.
        arguments["count"] = draw.choice([3, draw.dim()])
    return arguments


def short_time(draw: Draw, spelling: Spelling) -> Arguments:
    batch = draw.shape(0, 2)
    arguments: Arguments = {"x": Array(*batch, draw.dim(9, 20) + 8), "window": draw.choice([4, 8])}
    for name, options in {"hop": (1, 2, 3), "center": (True, False)}.items():
        if draw.chance(0.5):
            arguments[name] = draw.choice(options)
    if draw.chance(0.3):
        arguments["onesided"] = draw.chance(0.5)
    return arguments | {"as_complex": draw.chance(0.7)}


def make_complex(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape()
    return {"x": Array(*sizes), "y": Array(*draw.broadcast(sizes))}


def complex_tensor(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape()
    if not spelling.path.startswith("torch"):
        return {"x": Array(*sizes)}  # real numbers are their own conjugates
    axes = (Axis(const(s.number) if draw.kind == "numbers" else s.size) for s in sizes)
    real = torch.zeros([size.number for size in sizes], dtype=torch.complex64)
    return {"x": Raw(Tensor(Shape(tuple(axes)), "torch"), real)}


def pairs(draw: Draw, spelling: Spelling) -> Arguments:
    last = [] if draw.chance(0.1) else [2 if draw.chance(0.8) else draw.dim()]
    return {"x": Array(*(draw.shape(0, 3) if last else []), *last)}


def square(draw: Draw, spelling: Spelling) -> Arguments:
    side, batch = draw.dim(), draw.shape(0, 2)
    given = draw.spoil([*batch, side, side])
    if draw.chance(0.05):
        given = given[:1]
    return {"x": _solvable(draw, given) if "cholesky" in spelling.path else Array(*given)}


def _solvable(draw: Draw, sizes: list) -> Array | Raw:
    """Unit matrices, which every factorisation takes."""
    numbers = [size.number for size in sizes]
    if len(numbers) < 2 or numbers[-1] != numbers[-2]:
        return Array(*sizes)
    axes = (Axis(const(s.number) if draw.kind == "numbers" else s.size) for s in sizes)
    real = torch.eye(numbers[-1]).expand(numbers).clone()
    return Raw(Tensor(Shape(tuple(axes)), "torch", "float"), real)


def matrix(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape(1 if draw.chance(0.1) else 2, 4))}


def solve(draw: Draw, spelling: Spelling) -> Arguments:
    side, batch = draw.dim(), draw.shape(0, 2)
    return {
        "x": Array(*batch, *draw.spoil([side, side])),
        "y": Array(*draw.broadcast(batch), draw.other(side), draw.dim()),
        "upper": True,
    }


SAMPLERS = {
    transforms.transform: transform,
    transforms.transform_real: transform,
    transforms.restore_real: restore,
    transforms.short_time: short_time,
    transforms.make_complex: make_complex,
    transforms.as_pairs: complex_tensor,
    transforms.from_pairs: pairs,
    transforms.part: complex_tensor,
    matrices.square: square,
    matrices.determinant: square,
    matrices.eigen: square,
    matrices.pseudo_inverse: matrix,
    matrices.solve: solve,
}
