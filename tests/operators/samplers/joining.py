"""Arguments for joins, splits and paddings."""

from __future__ import annotations

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import joining, padding, splitting

from ..harness import Arguments, Array, Dim, Draw, Loose, as_dim

_KINDS = ("float", "int")


def _alike(draw: Draw, sizes: list[Dim], free: int | None = None) -> list[Array]:
    """A few arrays of one shape, but for the axis `free`; spoilt now and then."""
    dtype = draw.choice(_KINDS)
    arrays = []
    for _ in range(draw.random.randint(1, 3)):
        own = list(sizes)
        if free is not None and -len(own) <= free < len(own):
            own[free] = draw.dim()
        arrays.append(Array(*(draw.spoil(own) if draw.chance(0.15) else own), dtype=dtype))
    return arrays


def _listed(draw: Draw, arrays: list[Array]) -> list[Array] | tuple[Array, ...]:
    return tuple(arrays) if draw.chance(0.5) else arrays


def concatenate(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    axis = draw.axis(len(sizes))
    if draw.chance(0.1) and spelling.library == "numpy":
        return {"xs": Array(as_dim(draw.random.randint(1, 3)), *sizes), "axis": axis}
    arrays = _alike(draw, sizes, axis)
    if spelling.library == "numpy" and draw.chance(0.1):
        return {"xs": arrays, "axis": None}
    if axis in (0, -len(sizes)) and draw.chance(0.5):
        return {"xs": _listed(draw, arrays)}
    return {"xs": _listed(draw, arrays), "axis": axis}


def append(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 3)
    axis = draw.axis(len(sizes))
    other = list(sizes)
    if -len(sizes) <= axis < len(sizes):
        other[axis] = draw.dim()
    pair = {"x": Array(*sizes), "y": Array(*draw.spoil(other))}
    return pair if draw.chance(0.4) else pair | {"axis": axis}


def stack(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(0, 3)
    arrays = _alike(draw, sizes)
    if draw.chance(0.3):
        return {"xs": _listed(draw, arrays)}
    return {"xs": _listed(draw, arrays), "axis": draw.axis(len(sizes) + 1)}


def stack_columns(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(0, 4)
    free = draw.random.randrange(len(sizes)) if sizes and draw.chance(0.5) else None
    return {"xs": _listed(draw, _alike(draw, sizes, free))}


def matrices(draw: Draw, spelling: Spelling) -> Arguments:
    count = draw.random.randint(1, 3)
    shapes = [draw.shape(0, 3 if draw.chance(0.1) else 2) for _ in range(count)]
    return {"xs": Loose(Array(*sizes) for sizes in shapes)}


def split(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    axis = draw.axis(len(sizes))
    place = axis if -len(sizes) <= axis < len(sizes) else 0
    parts = [draw.dim() for _ in range(draw.random.randint(1, 3))]
    if "with_sizes" in spelling.path or draw.chance(0.5):
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        sizes[place] = total if draw.chance(0.85) else draw.dim()
        return {"x": Array(*sizes), "size": parts, "axis": axis}
    if draw.chance(0.6):
        sizes[place] = parts[0] * draw.random.randint(1, 4)
    return {"x": Array(*sizes), "size": parts[0], "axis": axis}


def chunk(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    axis = draw.axis(len(sizes))
    count = draw.random.randint(1, 4)
    if -len(sizes) <= axis < len(sizes):
        # An unknown size is assumed to be divisible; test_joining.py has numbers that are not.
        sizes[axis] = draw.dim() * count
    return {"x": Array(*sizes), "count": count, "axis": axis}


def sections(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    axis = draw.axis(len(sizes))
    place = axis if -len(sizes) <= axis < len(sizes) else 0
    if spelling.operator is splitting.hsplit:
        place = 0 if len(sizes) == 1 else 1
    if "vsplit" in spelling.path:
        sizes, place = draw.shape(2, 4), 0
    if draw.chance(0.4):
        first = draw.dim()
        parts = [first, first + draw.dim()][: draw.random.randint(1, 2)]
        # jax refuses to cut behind the end.
        fits = draw.chance(0.7) or spelling.library == "jax"
        sizes[place] = parts[-1] + draw.dim() if fits else draw.dim()
        return {"x": Array(*sizes), "parts": parts, "axis": axis}
    count = draw.random.randint(1, 4)
    sizes[place] = draw.dim() * count if draw.chance(0.6) else as_dim(draw.random.randint(1, 9))
    return {"x": Array(*sizes), "parts": count, "axis": axis}


def halve(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    axis = draw.axis(len(sizes))
    if -len(sizes) <= axis < len(sizes):
        sizes[axis] = draw.dim() * 2 if draw.chance(0.8) else draw.dim()
    return {"x": Array(*sizes), "axis": axis}


def unbind(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    return {"x": Array(*sizes), "axis": draw.axis(len(sizes))}


def pad(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    count = draw.random.randint(0, len(sizes) + draw.chance(0.1))
    low = draw.random.choice((-1, -4)) if draw.chance(0.3) else 0
    widths: list[int | Dim] = [draw.random.randint(low, 2) for _ in range(2 * count)]
    if widths and draw.chance(0.3):
        widths[draw.random.randrange(len(widths))] = draw.dim()
    if widths and draw.chance(0.05):
        widths.pop()
    return {"x": Array(*sizes), "widths": tuple(widths)}


def pad_axes(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    width = draw.random.randint(0, 2)
    if draw.chance(0.3):
        return {"x": Array(*sizes), "widths": draw.dim() if draw.chance(0.5) else width}
    if draw.chance(0.2):
        return {"x": Array(*sizes), "widths": (width, draw.dim())}
    count = len(sizes) + (draw.chance(0.1) if len(sizes) > 1 else 0)
    return {"x": Array(*sizes), "widths": [(width, draw.dim()) for _ in range(count)]}


def pad_sequence(draw: Draw, spelling: Spelling) -> Arguments:
    rest = draw.shape(0, 2)
    arrays = [Array(draw.dim(), *rest) for _ in range(draw.random.randint(1, 3))]
    return {"xs": arrays, "batch_first": draw.chance(0.5)}


SAMPLERS = {
    joining.concatenate: concatenate,
    joining.append: append,
    joining.stack: stack,
    joining.hstack: stack_columns,
    joining.vstack: stack_columns,
    joining.dstack: stack_columns,
    joining.column_stack: stack_columns,
    joining.block_diagonal: matrices,
    splitting.split: split,
    splitting.chunk: chunk,
    splitting.sections: sections,
    splitting.array_split: sections,
    splitting.hsplit: sections,
    splitting.halve: halve,
    splitting.unbind: unbind,
    padding.pad: pad,
    padding.pad_axes: pad_axes,
    padding.pad_sequence: pad_sequence,
}

SILENT = {
    "torch.nn.utils.rnn.pad_sequence": "the longest sequence decides; it is not looked for",
}
