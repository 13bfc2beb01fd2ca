"""Arguments for recurrent layers and cells, with and without first states and a batch axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.utils.rnn import pack_sequence

from attncheck.algebra.shape import Axis, closed
from attncheck.algebra.size import const
from attncheck.frameworks.spelling import Spelling
from attncheck.operators import ragged, recurrent
from attncheck.values.tensor import Tensor
from attncheck.values.value import Packed

from ..harness import Arguments, Array, Dim, Draw, Raw, as_dim


def _is_lstm(spelling: Spelling) -> bool:
    return "LSTM" in spelling.path


def _states(draw: Draw, shapes: list[list[Dim]]) -> Any:
    """The first states of these shapes; one alone where a layer has no more."""
    states = [Array(*shape) for shape in shapes]
    if len(states) == 1:
        return states[0]
    chance = draw.random.random()
    if chance < 0.9:
        return tuple(states)
    # A tuple of one state makes torch's cell read beyond the end.
    return states[0] if chance < 0.95 else tuple(states[:1] * 3)


def _whole(draw: Draw, spelling: Spelling) -> Arguments:
    inner, hidden, batch = draw.dim(), draw.dim(), draw.dim()
    layers = draw.choice([as_dim(1), as_dim(2), draw.dim(2, 3)])
    both, first = draw.chance(0.5), draw.chance(0.5)
    arguments: Arguments = {
        "input_size": draw.other(inner),
        "hidden_size": hidden,
        "num_layers": layers,
        "batch_first": first,
        "bidirectional": both,
    }
    state = hidden
    if _is_lstm(spelling) and draw.chance(0.3):
        state = arguments["proj_size"] = draw.choice([hidden, draw.dim(2, 3), 0])
        state = hidden if state == 0 else as_dim(state)
    batches = [batch] if draw.chance(0.8) else []
    sizes = [*batches, draw.dim()] if first else [draw.dim(), *batches]
    sizes = [*sizes, inner]
    arguments["x"] = Array(*(draw.spoil(sizes) if draw.chance(0.3) else sizes))
    if draw.chance(0.6):
        layers = layers * (2 if both else 1)
        wanted = [[layers, *batches, state], [layers, *batches, hidden]]
        wanted = [draw.spoil(shape) if draw.chance(0.3) else shape for shape in wanted]
        arguments["state"] = _states(draw, wanted[: 1 + _is_lstm(spelling)])
    for name in ("num_layers", "batch_first", "bidirectional"):
        default = {"num_layers": as_dim(1)}.get(name, False)
        if arguments[name] == default and draw.chance(0.5):
            del arguments[name]
    return arguments


def recurrent_layer(draw: Draw, spelling: Spelling) -> Arguments:
    """A layer called on a padded batch, or on a packed one of the same sizes."""
    arguments = _whole(draw, spelling)
    sizes = arguments["x"].sizes
    if len(sizes) == 3 and draw.chance(0.3):
        first = arguments.get("batch_first", False)
        rest = sizes[2:]
        if _is_lstm(spelling):
            # torch's does not look at packed features, nor at all of its first cell states.
            rest = [as_dim(arguments["input_size"])]
            arguments.pop("state", None)
        arguments["x"] = packed(draw, sizes[not first], rest)
    return arguments


def _lengths(draw: Draw, count: int, most: int = 5) -> list[int]:
    return sorted((draw.random.randint(1, most) for _ in range(count)), reverse=True)


def _axis(draw: Draw, dim: Dim) -> Axis:
    return Axis(dim.size if draw.kind == "symbols" else const(dim.number))


def packed(draw: Draw, batch: Dim, rest: Sequence[Dim]) -> Raw:
    """Packed sequences of random lengths, whose longest nobody knows."""
    data = [torch.rand(n, *(dim.number for dim in rest)) for n in _lengths(draw, batch.number)]
    shape = closed([Axis(None), *(_axis(draw, dim) for dim in rest)])
    tensor = Tensor(shape, "torch", "float")
    return Raw(Packed(tensor, _axis(draw, batch), Axis(None)), pack_sequence(data))


def pack_padded(draw: Draw, spelling: Spelling) -> Arguments:
    batch, time = draw.dim(), draw.dim()
    first, in_order = draw.chance(0.5), draw.chance(0.5)
    sizes = [batch, time] if first else [time, batch]
    sizes = [draw.dim()] if draw.chance(0.05) else [*sizes, *draw.shape(0, 2)]
    count = draw.other(batch)
    if not in_order and count.number < batch.number:
        # torch drops the sequences that have no length.
        count = batch
    lengths: Any = _lengths(draw, count.number, time.number)
    if draw.chance(0.7):
        vector = Tensor(closed([_axis(draw, count)]), "torch", "int")
        lengths = Raw(vector, torch.tensor(lengths))
    return {
        "x": Array(*sizes),
        "lengths": lengths,
        "batch_first": first,
        "enforce_sorted": in_order,
    }


def pack(draw: Draw, spelling: Spelling) -> Arguments:
    rest = draw.shape(0, 2)
    arrays = [Array(draw.dim(), *rest) for _ in range(draw.random.randint(1, 3))]
    return {"xs": arrays, "enforce_sorted": False}


def pad_packed(draw: Draw, spelling: Spelling) -> Arguments:
    arguments: Arguments = {"x": packed(draw, draw.dim(), draw.shape(0, 2))}
    if draw.chance(0.5):
        arguments["batch_first"] = draw.chance(0.5)
    arguments["total_length"] = draw.choice([5, draw.dim() + 4])
    if draw.kind != "numbers" and draw.chance(0.5):
        del arguments["total_length"]
    return arguments


def packed_from(draw: Draw, spelling: Spelling) -> Arguments:
    steps = torch.tensor([2, 1])
    vector = Tensor(closed([Axis(const(2))]), "torch", "int")
    return {"data": Array(3, *draw.shape(0, 2)), "steps": Raw(vector, steps)}


def of_packed(draw: Draw, spelling: Spelling) -> Arguments:
    return {"x": packed(draw, draw.dim(), draw.shape(0, 2))}


def cell(draw: Draw, spelling: Spelling) -> Arguments:
    inner, hidden = draw.dim(), draw.dim()
    batches = [draw.dim()] if draw.chance(0.8) else []
    sizes = [*batches, inner]
    sizes = draw.spoil(sizes) if draw.chance(0.3) else sizes
    arguments: Arguments = {
        "input_size": draw.other(inner),
        "hidden_size": hidden,
        "x": Array(*sizes),
    }
    if draw.chance(0.7):
        shape = [*batches, hidden]
        if len(sizes) == 1:
            # States of two axes, both of the state's size, make torch's cell crash here.
            shape = [draw.other(hidden)]
        elif draw.chance(0.3):
            shape = draw.spoil(shape)
        arguments["state"] = _states(draw, [shape] * (1 + _is_lstm(spelling)))
    return arguments


SAMPLERS = {
    recurrent.recurrent: recurrent_layer,
    recurrent.cell: cell,
    ragged.pack_padded: pack_padded,
    ragged.pack: pack,
    ragged.pad_packed: pad_packed,
    ragged.packed_from: packed_from,
    ragged.packed_data: of_packed,
    ragged.packed_steps: of_packed,
}

_PATH = "torch.nn.utils.rnn.PackedSequence"
SILENT = {
    _PATH: "how many sequences there are stands in the contents of batch_sizes",
    f"{_PATH}.data": "the steps of all sequences are not counted",
    f"{_PATH}.batch_sizes": "the longest sequence decides; it is not looked for",
}
