"""Arguments for elementwise operations: shapes that broadcast, or just fail to."""

from __future__ import annotations

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import elementwise

from ..harness import Arguments, Array, Draw, as_dim

_BITS = {
    elementwise.bit_and,
    elementwise.bit_or,
    elementwise.bit_xor,
}

_DIVIDING = {elementwise.floor_divide, elementwise.remainder}


def binary(draw: Draw, spelling: Spelling) -> Arguments:
    if spelling.operator in _BITS:
        kinds = draw.choice([("bool", "bool"), ("int", "int"), ("int", "bool")])
    elif spelling.operator in _DIVIDING:
        # torch refuses to divide integers by zero.
        kinds = (draw.choice(["float", "int"]) if spelling.fixed == {} else "float", "float")
    elif spelling.operator is elementwise.log_add:
        kinds = ("float", "float")
    elif spelling.fixed.get("in_place") is not None:
        kinds = ("float", draw.choice(["float", "int"]))
    else:
        kinds = draw.choice(
            [("float", "float"), ("float", "int"), ("int", "float"), ("int", "int")]
        )
    left = draw.shape()
    if spelling.path.startswith("jax.lax."):  # stretches nothing and mixes no dtypes
        return {"x": Array(*left, dtype="float"), "y": Array(*left, dtype="float")}
    if draw.chance(0.2):
        left = [as_dim(1) if draw.chance(0.5) else size for size in left]
    x = Array(*left, dtype=kinds[0])
    if draw.chance(0.1) and kinds[1] == "float" and not _wants_tensor(spelling):
        return {"x": x, "y": draw.choice([2.0, 3])}
    return {"x": x, "y": Array(*draw.broadcast(left), dtype=kinds[1])}


def _wants_tensor(spelling: Spelling) -> bool:
    """torch has functions that take no number in the place of the second tensor."""
    return spelling.library == "torch" and spelling.operator in (
        elementwise.maximum,
        elementwise.minimum,
        elementwise.arctan2,
        elementwise.log_add,
        elementwise.isclose,
        elementwise.allclose,
        elementwise.same_array,
        elementwise.logical_and,
        elementwise.logical_or,
        elementwise.logical_xor,
    )


def tolerance(draw: Draw, spelling: Spelling) -> Arguments:
    left = draw.shape()
    return {"x": Array(*left), "y": Array(*draw.broadcast(left))}


def unary(draw: Draw, spelling: Spelling) -> Arguments:
    dtype = draw.choice(["float", "float", "int"])
    floating = spelling.path.startswith(
        ("torch.nn.", "torch.dropout", "jax.nn.", "jax.lax.", "flax.")
    )
    if floating or spelling.path.endswith("_"):
        dtype = "float"
    symbol = spelling.fixed.get("symbol")
    if symbol is not None and symbol.value in ("invert", "logical_not"):
        dtype = "bool" if symbol.value == "invert" else dtype
    arguments: Arguments = {"x": Array(*draw.shape(), dtype=dtype)}
    if spelling.path.lower().endswith(".threshold"):
        arguments |= {"threshold": 0.1, "value": 2.0}
    if spelling.path == "torch.dropout":
        arguments |= {"p": 0.5, "train": True}
    return arguments


def dropout(draw: Draw, spelling: Spelling) -> Arguments:
    """Those of whole channels take axes for batch and channels, the 1d ones no more than one."""
    name = spelling.path.rpartition(".")[2]
    if name.lower() in ("dropout", "alphadropout", "alpha_dropout"):
        return unary(draw, spelling)
    low, high = (2, 3) if name.endswith("1d") else (2, 4)
    return {"x": Array(*draw.shape(low, high))}


def where(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape()
    kind = draw.choice(["float", "int"])
    condition = Array(*draw.broadcast(shape), dtype="bool")
    if draw.chance(0.1) and spelling.path != "torch.Tensor.where" and condition.sizes:
        return {"condition": condition}
    y = draw.choice([2.0, Array(*draw.broadcast(shape), dtype=kind)])
    return {"condition": condition, "x": Array(*shape, dtype=kind), "y": y}


def masked_fill(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape()
    mask = Array(*draw.broadcast(shape), dtype="bool")
    return {"x": Array(*shape), "mask": mask, "value": float("-inf")}


def clip(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape()
    arguments: Arguments = {"x": Array(*shape)}
    tensors = draw.chance(0.3)
    for name, bound in (("low", 0.2), ("high", 0.8)):
        if _has(spelling, name):
            arguments[name] = Array(*draw.broadcast(shape)) if tensors else bound
    return arguments


def blend(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape()
    weight = Array(*draw.broadcast(shape))
    if "lerp" in spelling.path and draw.chance(0.4):
        return {"x": Array(*shape), "y": Array(*draw.broadcast(shape)), "z": 0.5}
    return {"x": Array(*shape), "y": Array(*draw.broadcast(shape)), "z": weight}


def _has(spelling: Spelling, name: str) -> bool:
    return any(parameter.neutral == name for parameter in spelling.parameters)


_BINARY = (
    "add subtract multiply divide floor_divide remainder power maximum minimum arctan2 "
    "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor "
    "bit_and bit_or bit_xor log_add multiply_log"
)

SAMPLERS = {getattr(elementwise, name): binary for name in _BINARY.split()} | {
    elementwise.isclose: tolerance,
    elementwise.allclose: tolerance,
    elementwise.same_array: tolerance,
    elementwise.unary: unary,
    elementwise.sqrt: unary,
    elementwise.dropout: dropout,
    elementwise.where: where,
    elementwise.masked_fill: masked_fill,
    elementwise.clip: clip,
    elementwise.blend: blend,
}

_MASKED = "how many elements are true depends on the data"
SILENT = {"numpy.where": _MASKED, "torch.where": _MASKED}
