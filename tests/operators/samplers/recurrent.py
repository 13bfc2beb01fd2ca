"""Arguments for recurrent layers and cells, with and without first states and a batch axis."""

from __future__ import annotations

from typing import Any

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import recurrent

from ..harness import Arguments, Array, Dim, Draw, as_dim


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
    recurrent.recurrent: _whole,
    recurrent.cell: cell,
}
