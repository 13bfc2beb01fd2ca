"""Arguments for questions about a tensor."""

from __future__ import annotations

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import queries

from ..harness import Arguments, Array, Draw, as_dim


def tensor(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape(), dtype=draw.choice(["float", "int", "bool"]))}


def maybe_axis(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    arguments: Arguments = {"x": Array(*sizes)}
    return arguments | ({"axis": draw.axis(len(sizes))} if draw.chance(0.6) else {})


def item(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = [as_dim(1)] * draw.random.randint(0, 3) if draw.chance(0.7) else draw.shape()
    return {"x": Array(*sizes, dtype="float")}


def shapes(draw: Draw, spelling: Spelling) -> Arguments:
    first = draw.shape(1, 4)
    return {"shapes": [tuple(first), tuple(draw.broadcast(first))]}


def sizes(draw: Draw, spelling: Spelling) -> Arguments:
    return {"sizes": draw.choice([list, tuple])(draw.shape())}


SAMPLERS = {
    queries.sizes: sizes,
    queries.answer: tensor,
    queries.shape: tensor,
    queries.size: maybe_axis,
    queries.count: maybe_axis,
    queries.rank: tensor,
    queries.length: tensor,
    queries.item: item,
    queries.listed: tensor,
    queries.common_shape: shapes,
}

_NUMBERS = "the numbers in a tensor are not known"
SILENT = {"torch.Tensor.tolist": _NUMBERS, "numpy.ndarray.tolist": _NUMBERS}
