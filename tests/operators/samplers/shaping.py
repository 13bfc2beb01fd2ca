"""Arguments for transposes, reshapes, repetitions and copies."""

from __future__ import annotations

import numpy as np
import torch

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import permuting, repeating, reshaping
from attncheck.values.value import Library

from ..harness import Arguments, Array, Dim, Draw, Raw, as_dim


def _tensor(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape(), dtype=draw.choice(["float", "int"]))}


def _matrices(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape(0 if draw.chance(0.1) else 1, 4))}


def permute(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape(1, 4)
    order = list(range(len(shape)))
    draw.random.shuffle(order)
    if spelling.path != "jax.numpy.permute_dims":  # takes no axis from the end
        order = [axis - len(order) if draw.chance(0.2) else axis for axis in order]
    if draw.chance(0.15):
        order[0] = draw.axis(len(shape))
    if draw.chance(0.05) and len(order) > 1:
        order.pop()
    if draw.chance(0.1) and spelling.operator is permuting.permute:
        return {"x": Array(*shape)}
    return {"x": Array(*shape), "axes": tuple(order)}


def swap(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape()
    first, second = draw.axis(len(shape)), draw.axis(len(shape))
    return {"x": Array(*shape), "first": first, "second": second}


def move(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape(1, 4)
    rank = len(shape)
    if draw.chance(0.6):
        return {"x": Array(*shape), "source": draw.axis(rank), "target": draw.axis(rank)}
    # jax does something with an axis that is named twice.
    count = 1 if spelling.library == "jax" else draw.random.randint(1, min(rank, 2))
    source, target = (tuple(draw.axis(rank) for _ in range(count)) for _ in range(2))
    if draw.chance(0.1):
        target = target[1:]
    return {"x": Array(*shape), "source": source, "target": target}


def _regrouped(draw: Draw) -> tuple[list[Dim], list]:
    """A shape and sizes that hold as many elements, by splits, merges and exchanges."""
    atoms = draw.shape(1, 4)
    sides = []
    for _ in range(2):
        sizes = list(atoms)
        if draw.chance(0.2):
            draw.random.shuffle(sizes)
        if len(sizes) > 1 and draw.chance(0.6):
            at = draw.random.randrange(len(sizes) - 1)
            sizes[at : at + 2] = [sizes[at] * sizes[at + 1]]
        if draw.chance(0.2):
            sizes.insert(draw.random.randint(0, len(sizes)), as_dim(1))
        sides.append(sizes)
    return sides[0], draw.spoil(sides[1])


def reshape(draw: Draw, spelling: Spelling) -> Arguments:
    shape, sizes = _regrouped(draw)
    for _ in range(2 if draw.chance(0.05) else 1):
        if draw.chance(0.4) and sizes:
            sizes[draw.random.randrange(len(sizes))] = -1
    return {"x": Array(*shape), "sizes": tuple(sizes)}


def reshape_like(draw: Draw, spelling: Spelling) -> Arguments:
    shape, sizes = _regrouped(draw)
    return {"x": Array(*shape), "other": Array(*sizes)}


def flatten(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape()
    arguments: Arguments = {"x": Array(*shape)}
    if draw.chance(0.7):
        arguments["start"] = draw.axis(len(shape))
    if draw.chance(0.5):
        arguments["end"] = draw.axis(len(shape))
    return arguments


def unflatten(draw: Draw, spelling: Spelling) -> Arguments:
    parts = draw.shape(1, 3)
    whole = as_dim(1)
    for part in parts:
        whole = whole * part
    shape = draw.shape(0, 3)
    at = draw.random.randint(0, len(shape))
    shape.insert(at, whole)
    sizes: list = draw.spoil(parts)
    if draw.chance(0.4) and sizes:
        sizes[draw.random.randrange(len(sizes))] = -1
    axis = at if draw.chance(0.6) else at - len(shape)
    if draw.chance(0.05):
        axis = draw.axis(len(shape))
    return {"x": Array(*shape), "axis": axis, "sizes": tuple(sizes)}


def squeeze(draw: Draw, spelling: Spelling) -> Arguments:
    shape = [as_dim(1) if draw.chance(0.4) else size for size in draw.shape()]
    arguments: Arguments = {"x": Array(*shape)}
    if draw.chance(0.7):
        ones = [i for i, size in enumerate(shape) if size.number == 1]
        axis = draw.choice(ones) if ones and draw.chance(0.7) else draw.axis(len(shape))
        arguments["axis"] = tuple({axis, draw.axis(len(shape))}) if draw.chance(0.2) else axis
    return arguments


def unsqueeze(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape()
    axis: object = draw.axis(len(shape) + 1)
    if spelling.library == "numpy" and draw.chance(0.3):
        axis = (axis, draw.axis(len(shape) + 2))
    return {"x": Array(*shape), "axis": axis}


def expand(draw: Draw, spelling: Spelling) -> Arguments:
    sizes: list = draw.shape()
    shape = draw.broadcast(sizes)
    for index in range(len(sizes)):
        if draw.chance(0.2) and spelling.library == "torch":
            sizes[index] = -1
    return {"x": Array(*shape), "sizes": tuple(sizes), "other": None}


def expand_like(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape()
    return {"x": Array(*draw.broadcast(sizes)), "other": Array(*sizes)}


def copies(draw: Draw, spelling: Spelling) -> Arguments:
    counts = [draw.choice([1, draw.dim(), 2]) for _ in range(draw.random.randint(0, 4))]
    return {"x": Array(*draw.shape(0, 3)), "counts": tuple(counts)}


def repeat_interleave(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape(0, 3)
    arguments: Arguments = {"x": Array(*shape), "counts": draw.choice([draw.dim(), 2])}
    if draw.chance(0.7) and (shape or spelling.library == "numpy"):
        arguments["axis"] = draw.axis(len(shape))
    return arguments


def flip(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape()
    axes = tuple(draw.axis(len(shape)) for _ in range(draw.random.randint(1, 2)))
    if spelling.library == "numpy" and draw.chance(0.3):
        return {"x": Array(*shape)}
    return {"x": Array(*shape), "axis": axes}


def roll(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape()
    arguments: Arguments = {"x": Array(*shape), "shifts": 1}
    if draw.chance(0.7):
        arguments["axis"] = draw.axis(len(shape))
    return arguments


_DTYPES = {
    "torch": [
        Raw(Library(f"torch.{name}"), getattr(torch, name))
        for name in ("float32", "int64", "bool", "half", "long", "bfloat16")
    ],
    "numpy": [
        Raw(Library(f"numpy.{name}"), getattr(np, name))
        for name in ("float32", "int64", "bool_", "uint8")
    ],
}


def identity(draw: Draw, spelling: Spelling) -> Arguments:
    arguments = _tensor(draw, spelling)
    name = spelling.path.rpartition(".")[2]
    if name == "type_as":
        arguments["targets"] = Array(2, dtype=draw.choice(["float", "int", "bool"]))
    elif name == "to":
        other = Array(3, dtype=draw.choice(["float", "bool"]))
        dtypes = draw.choice(_DTYPES["torch"])
        arguments["targets"] = draw.choice([["cpu"], [dtypes], ["cpu", dtypes], [other]])
    elif name in ("astype", "type"):
        dtype = draw.choice([*_DTYPES.get(spelling.library, _DTYPES["numpy"]), "float32"])
        arguments["dtype"] = (
            dtype if name == "astype" or dtype != "float32" else _DTYPES["torch"][0]
        )
    elif name in ("requires_grad_", "Parameter"):
        arguments["x"] = Array(*arguments["x"].sizes)
    return arguments


SAMPLERS = {
    permuting.permute: permute,
    permuting.permute_all: permute,
    permuting.reverse: _tensor,
    permuting.matrix_transpose: _matrices,
    permuting.transpose_matrix: _matrices,
    permuting.transpose_two: _matrices,
    permuting.swap: swap,
    permuting.move: move,
    reshaping.reshape: reshape,
    reshaping.reshape_like: reshape_like,
    reshaping.ravel: _tensor,
    reshaping.flatten: flatten,
    reshaping.unflatten: unflatten,
    reshaping.squeeze: squeeze,
    reshaping.unsqueeze: unsqueeze,
    repeating.expand: expand,
    repeating.expand_like: expand_like,
    repeating.repeat: copies,
    repeating.tile: copies,
    repeating.repeat_interleave: repeat_interleave,
    repeating.flip: flip,
    repeating.roll: roll,
    repeating.identity: identity,
    repeating.learned: identity,
    repeating.contiguous: identity,
}

_DEVICE = "needs another device"
SKIPPED = {"torch.Tensor.cuda": _DEVICE, "torch.Tensor.pin_memory": _DEVICE}
