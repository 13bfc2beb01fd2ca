"""Arguments for the makers of tensors and for random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import creation
from attncheck.values.value import Library

from ..harness import Arguments, Array, Draw, Loose, Raw


def _dtype(draw: Draw, spelling: Spelling, chance: float = 0.3) -> Arguments:
    """Sometimes a dtype argument."""
    if not draw.chance(chance):
        return {}
    if spelling.library == "torch":
        names = {"long": torch.long, "float32": torch.float32, "bool": torch.bool}
        name = draw.choice(list(names))
        return {"dtype": Raw(Library(f"torch.{name}"), names[name])}
    numpy_names: dict[str, Any] = {"int64": np.int64, "float32": np.float32, "bool_": np.bool_}
    name = draw.choice(list(numpy_names))
    return {"dtype": Raw(Library(f"numpy.{name}"), numpy_names[name])}


def _sizes(draw: Draw) -> Any:
    sizes = tuple(draw.shape(1, 4))
    return sizes[0] if len(sizes) == 1 and draw.chance(0.5) else sizes


#: What draws floats of the sizes in a tuple.
_RANDOM = ("keras.initializers.", "keras.random.", "keras.backend.random", "tensorflow.random.")


def filled(draw: Draw, spelling: Spelling) -> Arguments:
    shape = _sizes(draw)
    if spelling.path.startswith(_RANDOM):
        return {"shape": tuple(draw.shape(2, 4))}
    if draw.chance(0.05):
        shape = (2, -3)
    if "*" in spelling.signature.split(",")[0] and not isinstance(shape, tuple):
        shape = (shape,)
    if "window" in spelling.path:
        return {"shape": draw.dim()} | _dtype(draw, spelling, 0.0)
    if "full" in spelling.path and spelling.library == "torch" and not isinstance(shape, tuple):
        shape = (shape,)
    random = spelling.path.rpartition(".")[2] in {"rand", "randn"}
    arguments: Arguments = {"shape": shape, "value": draw.choice([1.5, 2, True])}
    return arguments | ({} if random else _dtype(draw, spelling))


def new(draw: Draw, spelling: Spelling) -> Arguments:
    arguments = filled(draw, spelling)
    model = Array(*draw.shape(), dtype=draw.choice(["float", "int"]))
    return arguments | {"x": model, "filler": 2}


def square(draw: Draw, spelling: Spelling) -> Arguments:
    arguments: Arguments = {"rows": draw.dim()} | _dtype(draw, spelling)
    return arguments | ({"columns": draw.dim()} if draw.chance(0.5) else {})


def arange(draw: Draw, spelling: Spelling) -> Arguments:
    dtype = _dtype(draw, spelling)
    if isinstance(dtype.get("dtype"), Raw) and "bool" in str(dtype["dtype"].real):
        dtype = {}
    if draw.chance(0.4):
        return {"start": draw.dim()} | dtype
    start, stop = draw.choice([0, 1, draw.dim()]), draw.dim()
    if draw.chance(0.4) and not isinstance(start, int):
        stop = start + draw.dim()
    arguments: Arguments = {"start": start, "stop": stop} | dtype
    return arguments | ({"step": draw.choice([1, 2, 3, -1])} if draw.chance(0.5) else {})


def spaced(draw: Draw, spelling: Spelling) -> Arguments:
    arguments: Arguments = {"start": draw.choice([1, 0.5]), "stop": draw.choice([2, 3.5])}
    if spelling.library == "torch" or draw.chance(0.8):
        arguments |= {"count": draw.dim()}
    return arguments


def triangle_indices(draw: Draw, spelling: Spelling) -> Arguments:
    return {"n": draw.dim(), "row": draw.dim(), "col": draw.dim()}


_PARAMETERS = {"p": 0.5, "n": 3, "low": 0, "high": 5}


def sampled(draw: Draw, spelling: Spelling) -> Arguments:
    names = [parameter.neutral for parameter in spelling.parameters]
    arguments: Arguments = {}
    for name in names:
        if name in {"loc", "scale", "low", "high", "lam", "p", "n", "a", "b", "k", "mean", "std"}:
            arguments[name] = _PARAMETERS.get(name, 1.0)
    if draw.chance(0.3) and {"loc", "scale"} <= set(arguments) and spelling.library == "numpy":
        sizes = draw.shape(0, 3)
        arguments |= {"loc": Array(*sizes), "scale": Array(*draw.broadcast(sizes))}
        return arguments
    return arguments | ({"shape": _sizes(draw)} if draw.chance(0.8) else {})


def normal(draw: Draw, spelling: Spelling) -> Arguments:
    if draw.chance(0.5):
        return {"mean": 0.0, "std": 1.0, "shape": tuple(draw.shape(1))}
    sizes = draw.shape(1)
    # torch.normal(tensor, tensor) wants equal sizes; a tensor and a number is the common call.
    return {"mean": Array(*sizes), "std": draw.choice([1.0, Array(*sizes)])}


def sampled_sizes(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(0, 4)
    if draw.chance(0.1):
        return {"first": tuple(sizes)}
    return {"first": sizes[0], "rest": Loose(sizes[1:])} if sizes else {}


def integers(draw: Draw, spelling: Spelling) -> Arguments:
    shape = tuple(draw.shape(1))
    if spelling.library == "torch":
        if draw.chance(0.3):
            return {"high": 5, "shape": shape}
        return {"low": 0, "high": 5, "shape": shape}
    arguments: Arguments = {"low": 2} | ({"high": 5} if draw.chance(0.5) else {})
    return arguments | ({"shape": _sizes(draw)} if draw.chance(0.8) else {})


def permutation(draw: Draw, spelling: Spelling) -> Arguments:
    if spelling.library == "torch" and draw.chance(0.3):
        return {"x": Array(dtype="int", below=7)} | _dtype(draw, spelling)
    if spelling.library == "torch" or draw.chance(0.5):
        return {"x": draw.dim()}
    return {"x": Array(*draw.shape(1))}


def choice(draw: Draw, spelling: Spelling) -> Arguments:
    arguments: Arguments = {"x": draw.choice([draw.dim(), Array(draw.dim())])}
    return arguments | ({"shape": _sizes(draw)} if draw.chance(0.7) else {})


def histogram(draw: Draw, spelling: Spelling) -> Arguments:
    arguments: Arguments = {"x": Array(*draw.shape())}
    return arguments | ({"count": draw.choice([7, draw.dim()])} if draw.chance(0.7) else {})


def multinomial(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape(1, 3)), "count": draw.dim(), "replacement": True}


def nothing(draw: Draw, spelling: Spelling) -> Arguments:
    if "seed" in spelling.path:
        return {"seed": 0}
    return {"x": Array(*draw.shape(1)), "value": 0.0}


def generator(draw: Draw, spelling: Spelling) -> Arguments:
    return {"seed": 0}


def like(draw: Draw, spelling: Spelling) -> Arguments:
    random = any(word in spelling.path for word in ("rand", "bernoulli"))
    arguments: Arguments = {"x": Array(*draw.shape(), dtype="float" if random else "int")}
    if "randint" in spelling.path:
        arguments |= {"low": 0, "high": 5}
    if "bernoulli" in spelling.path or random:
        return arguments
    arguments |= {"value": 1}
    if spelling.library == "numpy" and draw.chance(0.2):
        arguments |= {"shape": _sizes(draw)}
    return arguments | _dtype(draw, spelling)


def written_over(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(2, 2) if "init" in spelling.path else draw.shape()
    return {"x": Array(*sizes), "value": 1.0, "val": 1.0}


def _nested(draw: Draw, ragged: bool) -> Any:
    width = draw.random.randint(1, 3)
    rows = [[draw.random.randint(0, 5) for _ in range(width)] for _ in range(3)]
    if ragged:
        rows[1] = [*rows[1], 1]
    return draw.choice([rows, rows[0], [rows, rows]])


def array(draw: Draw, spelling: Spelling) -> Arguments:
    name = spelling.path.rpartition(".")[2]
    arguments: Arguments = {"model": Array(draw.dim())}
    if name == "from_numpy":
        sizes = tuple(draw.shape(0, 3))
        numbers = tuple(size.number for size in sizes)
        return {"x": Raw(array_value(draw, sizes), np.zeros(numbers))}
    if draw.chance(0.3):
        return arguments | {"x": Array(*draw.shape(), dtype=draw.choice(["float", "int"]))}
    if draw.chance(0.1):
        return arguments | {"x": draw.choice([1, 2.5, True])}
    if draw.chance(0.1) and spelling.library == "numpy":
        sizes = draw.shape(1, 2)
        return arguments | {"x": [Array(*sizes), Array(*sizes)]}
    return arguments | {"x": _nested(draw, draw.chance(0.1))} | _dtype(draw, spelling)


def array_value(draw: Draw, sizes: tuple[Any, ...]) -> Any:
    """A float array of plain sizes, as the model sees it."""
    from attncheck.algebra.shape import shape_of
    from attncheck.values.tensor import Tensor

    return Tensor(shape_of(*(size.number for size in sizes)), "numpy", "float")


def legacy_tensor(draw: Draw, spelling: Spelling) -> Arguments:
    if draw.chance(0.5):
        sizes = draw.shape(1)
        return {"x": sizes[0], "rest": Loose(sizes[1:])}
    rows = draw.choice([[0.0, 1.0], [[0.0], [1.0]]])
    if spelling.path.endswith(("Long", "Bool")) or "Float" not in spelling.path:
        rows = draw.choice([[0, 1], [[0], [1]]])
    return {"x": rows}


def meshgrid(draw: Draw, spelling: Spelling) -> Arguments:
    vectors = [Array(*draw.shape(1, 1)) for _ in range(draw.random.randint(1, 3))]
    if draw.chance(0.1):
        vectors[0] = Array(draw.dim(), draw.dim()) if spelling.library == "torch" else Array()
    arguments: Arguments = {"xs": Loose(vectors), "sparse": draw.chance(0.3)}
    return arguments | ({"indexing": draw.choice(["xy", "ij"])} if draw.chance(0.7) else {})


def one_hot(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape(), dtype="int", below=2), "count": draw.dim() + 2}


SAMPLERS = {
    creation.histogram: histogram,
    creation.filled: filled,
    creation.square: square,
    creation.arange: arange,
    creation.spaced: spaced,
    creation.index_pairs: triangle_indices,
    creation.index_vectors: triangle_indices,
    creation.sampled: sampled,
    creation.normal: normal,
    creation.sampled_sizes: sampled_sizes,
    creation.integers: integers,
    creation.permutation: permutation,
    creation.choice: choice,
    creation.multinomial: multinomial,
    creation.generator: generator,
    creation.nothing: nothing,
    creation.like: like,
    creation.new: new,
    creation.written_over: written_over,
    creation.array: array,
    creation.new_array: array,
    creation.legacy_tensor: legacy_tensor,
    creation.meshgrid: meshgrid,
    creation.one_hot: one_hot,
}

_TRIANGLE = "the number of elements of a triangle is not worked out"
SILENT = {
    "torch.tril_indices": _TRIANGLE,
    "torch.triu_indices": _TRIANGLE,
    "numpy.tril_indices": _TRIANGLE,
    "numpy.triu_indices": _TRIANGLE,
    "torch.randperm": "the number in a tensor without axes is not known",
}
