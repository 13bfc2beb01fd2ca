"""Arguments for selections by index, by rank and by triangle."""

from __future__ import annotations

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import indexing, selection, triangles

from ..harness import Arguments, Array, Dim, Draw, as_dim

_DATA = "the data decide how many elements there are"


def _indexed(draw: Draw, low: int = 1) -> tuple[list[Dim], int]:
    sizes = draw.shape(low, 4)
    return sizes, draw.axis(len(sizes))


def gather(draw: Draw, spelling: Spelling) -> Arguments:
    sizes, axis = _indexed(draw)
    wanted = list(sizes)
    if -len(sizes) <= axis < len(sizes):
        wanted[axis] = draw.dim()
    if draw.chance(0.3):
        place = draw.random.randrange(len(wanted))
        wanted[place] = draw.choice([as_dim(1), wanted[place] + 1, draw.dim()])
    index = Array(*draw.spoil(wanted), dtype="int", below=1)
    return {"x": Array(*sizes), "axis": axis, "index": index}


def take_along(draw: Draw, spelling: Spelling) -> Arguments:
    sizes, axis = _indexed(draw)
    if draw.chance(0.1):
        arguments: Arguments = {"x": Array(*sizes), "axis": None}
        return arguments | {"index": Array(draw.dim(), dtype="int", below=1)}
    wanted = [as_dim(1) if draw.chance(0.2) else draw.other(size) for size in sizes]
    place = axis if -len(sizes) <= axis < len(sizes) else 0
    wanted[place] = draw.dim()
    if draw.chance(0.05):
        wanted.append(draw.dim())
    index = Array(*wanted, dtype="int", below=1)
    return {"x": Array(*sizes), "axis": axis, "index": index}


def take(draw: Draw, spelling: Spelling) -> Arguments:
    sizes, axis = _indexed(draw)
    rank = draw.random.randint(0, 2)
    index = Array(*(draw.dim() for _ in range(rank)), dtype="int", below=1)
    given = index if draw.chance(0.7) else draw.choice([0, [0, 0, 0], [[0], [0]]])
    if spelling.library == "torch":
        return {"x": Array(*sizes), "index": index}
    if draw.chance(0.3):
        return {"x": Array(*sizes), "index": given}
    return {"x": Array(*sizes), "index": given, "axis": axis}


def index_select(draw: Draw, spelling: Spelling) -> Arguments:
    sizes, axis = _indexed(draw)
    wanted = [draw.dim()]
    if draw.chance(0.2):
        wanted = draw.shape(0, 2)
    return {"x": Array(*sizes), "axis": axis, "index": Array(*wanted, dtype="int", below=1)}


def select(draw: Draw, spelling: Spelling) -> Arguments:
    sizes, axis = _indexed(draw)
    index = draw.choice([0, 0, -1, 1, draw.dim(), draw.choice(sizes)])
    return {"x": Array(*sizes), "axis": axis, "index": index}


def narrow(draw: Draw, spelling: Spelling) -> Arguments:
    sizes, axis = _indexed(draw)
    start, length = draw.random.randint(-2, 2), draw.dim()
    if -len(sizes) <= axis < len(sizes) and draw.chance(0.6):
        sizes[axis] = draw.dim() + length + abs(start)
    return {"x": Array(*sizes), "axis": axis, "start": start, "length": length}


def masked_select(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape()
    return {"x": Array(*sizes), "mask": Array(*draw.broadcast(sizes), dtype="bool")}


def scatter(draw: Draw, spelling: Spelling) -> Arguments:
    sizes, axis = _indexed(draw)
    wanted = list(sizes)
    if draw.chance(0.2):
        wanted = [*wanted, draw.dim()] if draw.chance(0.3) else draw.spoil(wanted)
    if -len(wanted) <= axis < len(wanted) and draw.chance(0.5):
        wanted[axis] = draw.dim()
    index = Array(*wanted, dtype="int", below=1)
    arguments = {"x": Array(*sizes), "axis": axis, "index": index, "src": Array(*wanted)}
    return arguments | ({"reduce": "sum"} if "scatter_reduce" in spelling.path else {})


def fill_by_index(draw: Draw, spelling: Spelling) -> Arguments:
    sizes, axis = _indexed(draw)
    if "masked_scatter" in spelling.path:
        return {
            "x": Array(*sizes),
            "mask": Array(*sizes, dtype="bool"),
            "source": Array(*sizes),
        }
    if "index_put" in spelling.path:
        rows = Array(draw.dim(), dtype="int", below=1)
        return {"x": Array(*sizes), "indices": (rows,), "values": Array()}
    source = list(sizes)
    if -len(sizes) <= axis < len(sizes):
        source[axis] = as_dim(1)
    index = Array(as_dim(1), dtype="int", below=1)
    arguments = {"x": Array(*sizes), "axis": axis, "index": index, "source": Array(*source)}
    return arguments | {"value": 0.0}


def topk(draw: Draw, spelling: Spelling) -> Arguments:
    sizes, axis = _indexed(draw)
    count = draw.choice([1, draw.dim(), draw.dim()])
    place = axis if -len(sizes) <= axis < len(sizes) else 0
    if draw.chance(0.5):
        sizes[place] = draw.dim() + count
    arguments = {"x": Array(*sizes), "count": count, "axis": axis}
    return arguments | ({"keepdims": draw.chance(0.5)} if "kth" in spelling.path else {})


def order(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1 if draw.chance(0.8) else 0, 4)
    arguments: Arguments = {"x": Array(*sizes, dtype=draw.choice(["float", "int"])), "kth": 0}
    if draw.chance(0.3):
        return arguments
    flat = spelling.library == "numpy" and not spelling.path.startswith("numpy.ndarray")
    if flat and draw.chance(0.1):
        return arguments | {"axis": None}
    return arguments | {"axis": draw.axis(len(sizes))}


def any_tensor(draw: Draw, spelling: Spelling) -> Arguments:
    return {
        "x": Array(*draw.shape(0 if draw.chance(0.1) else 1), dtype=draw.choice(["int", "bool"]))
    }


def positions(draw: Draw, spelling: Spelling) -> Arguments:
    return any_tensor(draw, spelling) | {"as_tuple": draw.chance(0.5)}


def vector(draw: Draw, spelling: Spelling) -> Arguments:
    if "bincount" in spelling.path:
        return {"x": Array(draw.dim(), dtype="int")}
    return {"x": Array(*draw.shape(1), dtype="int")}


def membership(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape()), "test_elements": Array(*draw.shape(1, 2))}


def unique(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape(), dtype="int"), "counts": draw.chance(0.3)}


def overwrite(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape()
    return {"x": Array(*sizes), "y": Array(*draw.broadcast(sizes))}


def search(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(as_dim(1)), "y": Array(*draw.shape())}


def unfold(draw: Draw, spelling: Spelling) -> Arguments:
    sizes, axis = _indexed(draw)
    length = draw.dim()
    if -len(sizes) <= axis < len(sizes) and draw.chance(0.8):
        sizes[axis] = length + draw.dim()
    step = draw.random.randint(1, 3)
    return {"x": Array(*sizes), "axis": axis, "length": length, "step": step}


def sliding_windows(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 3)
    axes = [draw.axis(len(sizes)) for _ in range(draw.random.randint(1, 2))]
    lengths = [draw.dim() for _ in axes]
    for axis, length in zip(axes, lengths, strict=True):
        if -len(sizes) <= axis < len(sizes) and draw.chance(0.9):
            sizes[axis] = sizes[axis] + length
    if draw.chance(0.2):
        return {"x": Array(*sizes), "length": tuple(draw.dim() for _ in sizes)}
    if len(axes) == 1:
        return {"x": Array(*sizes), "length": lengths[0], "axis": axes[0]}
    if draw.chance(0.1):
        axes.append(0)
    return {"x": Array(*sizes), "length": tuple(lengths), "axis": tuple(axes)}


def triangle(draw: Draw, spelling: Spelling) -> Arguments:
    arguments: Arguments = {"x": Array(*draw.shape(0, 4), dtype=draw.choice(["float", "bool"]))}
    return arguments | ({"diagonal": draw.random.randint(-1, 1)} if draw.chance(0.6) else {})


def diagonal(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1 if draw.chance(0.1) else 2, 4)
    if draw.chance(0.4):
        sizes[1:2] = sizes[:1]
    arguments: Arguments = {"x": Array(*sizes), "offset": draw.random.randint(-2, 2)}
    if draw.chance(0.5):
        arguments |= {"axis1": draw.axis(len(sizes)), "axis2": draw.axis(len(sizes))}
    return arguments


def diag(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape(0, 3)), "offset": draw.random.randint(-2, 2)}


def diag_embed(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape(0, 3)), "offset": draw.random.randint(-2, 2)}


def matrix(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": Array(*draw.shape(1, 3))}


SAMPLERS = {
    selection.gather: gather,
    selection.take_along: take_along,
    selection.take: take,
    selection.index_select: index_select,
    selection.select: select,
    selection.narrow: narrow,
    selection.masked_select: masked_select,
    selection.scatter: scatter,
    selection.fill_by_index: fill_by_index,
    selection.topk: topk,
    selection.kth_value: topk,
    selection.sort_pair: order,
    selection.sort: order,
    selection.argsort: order,
    selection.sort_in_place: order,
    selection.positions: positions,
    selection.positions_by_axis: any_tensor,
    selection.search: search,
    selection.membership: membership,
    selection.unique: unique,
    indexing.overwrite: overwrite,
    selection.unlisted_vector: vector,
    selection.unfold: unfold,
    selection.sliding_windows: sliding_windows,
    triangles.triangle: triangle,
    triangles.diagonal: diagonal,
    triangles.diag: diag,
    triangles.diag_embed: diag_embed,
    triangles.trace: diagonal,
    triangles.matrix_trace: matrix,
}

SILENT = dict.fromkeys(
    (
        "torch.masked_select",
        "torch.Tensor.masked_select",
        "torch.argwhere",
        "torch.Tensor.argwhere",
        "torch.nonzero",
        "torch.Tensor.nonzero",
        "torch.unique",
        "torch.unique_consecutive",
        "torch.Tensor.unique_consecutive",
        "torch.Tensor.unique",
        "numpy.unique",
        "torch.bincount",
        "torch.Tensor.bincount",
        "numpy.argwhere",
        "numpy.nonzero",
        "numpy.ndarray.nonzero",
        "numpy.flatnonzero",
        "numpy.bincount",
    ),
    _DATA,
)
