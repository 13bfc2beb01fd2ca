"""Keras' recurrent layers: made with what they give, batch first, states where they are asked for.

Rules: keras.layers.LSTM, GRU, SimpleRNN, their cells, RNN and Bidirectional. A state is
``(B, units)``; an LSTM has two. ``(B, T, in)`` gives the last step ``(B, units)``, or all steps
``(B, T, units)`` with ``return_sequences``, and the states behind it with ``return_state``.
"""

from __future__ import annotations

from attncheck.algebra.shape import Axis, Shape, closed, expand
from attncheck.algebra.size import ONE, Size, const
from attncheck.operators.axes import split_trailing
from attncheck.operators.call import Call
from attncheck.operators.demands import demand, rank_demanded, times
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Clash, Outcome, Recurrence
from attncheck.record import record, replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import Layer, Sequence, Value, expanded

_MERGED = {"concat": const(2), "sum": ONE, "mul": ONE, "ave": ONE}


@record
class _Run:
    """What a run over a sequence gives: how many states of which size, of how many directions."""

    kind: str
    units: Size | None
    directions: int = 1
    #: features of the output: those of a state, or of both directions' merged
    output: Size | None = None

    @property
    def states(self) -> int:
        """How many states there are."""
        return self.directions * (2 if self.kind == "lstm" else 1)


def unrolled(call: Call) -> Outcome:
    """SimpleRNN, GRU, LSTM: ``(B, T, in)`` to ``(B, units)`` or ``(B, T, units)``."""
    units = call.size("units")
    return _run(call, call, _Run(call.text("kind") or "", units, output=units))


def over_cell(call: Call) -> Outcome:
    """RNN: the same with a ``cell``; of stacked cells, or the project's own, nothing is known."""
    cell_ = call.value("cell")
    kind = _kind(cell_)
    if type(cell_) is not Layer or kind is None:
        return call.unknown()
    units = _inner(call, cell_).size("units")
    return _run(call, call, _Run(kind, units, output=units))


def both_ways(call: Call) -> Outcome:
    """Bidirectional: a layer run both ways, the outputs side by side, the states in turn.

    Other ways to merge the outputs keep their features; of outputs that are not merged, and of
    layers that are not known, nothing is said.
    """
    layer, mode = call.value("layer"), call.text("merge_mode") or "concat"
    kind = _kind(layer)
    given = call.arguments.get("merge_mode")
    merged = mode in _MERGED and (given is None or call.given("merge_mode"))
    if type(layer) is not Layer or kind is None or not merged:
        return call.unknown()
    inner = _inner(call, layer)
    if inner.given("cell"):
        return call.unknown()
    units = inner.size("units")
    return _run(call, inner, _Run(kind, units, 2, times(units, _MERGED[mode])))


def _inner(call: Call, layer: Layer) -> Call:
    """The call of a layer inside another one: of its own settings."""
    return replace(call, arguments=dict(layer.settings))


def _kind(layer: Value | None) -> str | None:
    name = layer.path.rpartition(".")[2].lower() if type(layer) is Layer else ""
    return next((kind for kind in ("lstm", "gru", "rnn") if kind in name), None)


def _run(call: Call, settings: Call, run: _Run) -> Outcome:
    """The outcome of a run with the flags in the `settings` of the recurrent layer."""
    shape = call.shape("x")
    event = Recurrence(run.kind, 1, 0)
    if settings.flag("time_major") is not False:
        return Outcome(call.unknown().value, Recurrence(run.kind, None, None))
    made = None
    if shape is not None:
        made = rank_demanded(shape, 3, "takes (B, T, features)", call.facts)
    clash = made if isinstance(made, Clash) else None
    axes = made.lead if isinstance(made, Shape) else (Axis(None),) * 3
    clash = clash or _state_clash(call, run, axes[0])
    if clash is not None:
        return Outcome(_given(call, settings, run, None), event, clash)
    return Outcome(_given(call, settings, run, axes), event)


def _given(call: Call, settings: Call, run: _Run, axes: tuple[Axis, ...] | None) -> Value:
    """What a run gives by the flags of its layer, its sizes unknown without `axes`."""
    steps, states = settings.flag("return_sequences"), settings.flag("return_state")
    if states is None:
        return call.unknown().value
    output: Shape | None = None
    if axes is not None and steps is not None:
        output = closed((axes[0], *axes[1:2] * steps, Axis(run.output)))
    told = call.make(_clean(output, call), "float")
    if not states:
        return told
    state = None if axes is None else closed((axes[0], Axis(run.units)))
    last = call.make(_clean(state, call), "float")
    return Sequence((told, *(last,) * run.states), mutable=True)


def _clean(shape: Shape | None, call: Call) -> Shape | None:
    return None if shape is None else without_marks(expand(shape, call.facts))


def _state_clash(call: Call, run: _Run, batch: Axis) -> Clash | None:
    """Why the first states are not ``(B, units)`` each, or None."""
    for shape in _first_states(call):
        clash = demand(call, shape, (batch, Axis(run.units)), "a first state", 1, (0,))
        if clash is not None:
            return clash
    return None


def _first_states(call: Call) -> list[Shape]:
    value = call.value("state")
    items = value.items or () if type(value) is Sequence else (value,)
    shapes = (expanded(item, call.facts) for item in items if item is not None)
    return [shape for shape in shapes if shape is not None]


def cell(call: Call) -> Outcome:
    """One step: ``(B, in)`` and the states ``(B, units)`` to the output and the list of states.

    A state that is given without a list is given back so, but for an LSTM's two.
    """
    kind, units = call.text("kind") or "", call.size("units")
    event = Recurrence(kind, None, None, cell=True)
    shape = call.shape("x")
    taken = None if shape is None else split_trailing(shape, 1, call.facts)
    batch = taken[0].lead[0] if taken is not None and taken[0].rank == 1 else Axis(None)
    clash = _state_clash(call, _Run(kind, units), batch)
    states = _first_states(call)
    if batch.size is None and states and states[0].rank == 2:
        batch = states[0].lead[0]
    made = None if clash is not None else closed((batch, Axis(units)))
    if shape is not None and shape.closed and len(shape.lead) != 2:
        made = None
    state = call.make(_clean(made, call), "float")
    listed = type(call.value("state")) is Sequence or kind == "lstm"
    return Outcome(Sequence((state, _states(state, kind) if listed else state)), event, clash)


def _states(state: Tensor, kind: str) -> Value:
    return Sequence((state,) * (2 if kind == "lstm" else 1), mutable=True)
