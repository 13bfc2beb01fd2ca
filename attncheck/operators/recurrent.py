"""Recurrent layers and cells: RNN, LSTM and GRU over sequences, and one step of each.

Rules: torch.nn.RNN, LSTM and GRU, "Inputs" and "Outputs". Every operator here is given the
constructor's arguments beside those of the call, and its ``kind``.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Items

from attncheck.algebra.bounds import at_least, never_zero
from attncheck.algebra.shape import COPIES, Axis, Row, Shape, closed, expand
from attncheck.algebra.size import ONE, Size, const
from attncheck.operators.axes import append, split_trailing
from attncheck.operators.call import Call
from attncheck.operators.demands import demand, rank_demanded, shared_rank, times
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Clash, Fault, Outcome, Recurrence
from attncheck.operators.features import size_clash
from attncheck.operators.operands import operand_shape
from attncheck.record import record, replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import UNKNOWN, Packed, Sequence, Unknown, Value, expanded

_STATES = ("a first state", "a first cell state")


@record
class _Network:
    """The sizes of a recurrent network: ``layers`` counts both directions of each layer."""

    kind: str
    layers: Axis
    #: features of each state: that of the output, and in an LSTM that of its cell
    states: tuple[Axis, ...]
    output: Axis
    batch_first: bool | None


def _network(call: Call) -> _Network:
    kind = call.text("kind") or ""
    both = call.flag("bidirectional")
    directions = None if both is None else const(2 if both else 1)
    count = call.size("num_layers") if call.given("num_layers") else ONE
    hidden = call.size("hidden_size")
    state = _projected(call, hidden)
    states = (Axis(state), Axis(hidden)) if kind == "lstm" else (Axis(state),)
    return _Network(
        kind,
        Axis(times(count, directions)),
        states,
        Axis(times(state, directions)),
        call.flag("batch_first"),
    )


def _projected(call: Call, hidden: Size | None) -> Size | None:
    """The features of a state: ``proj_size`` unless it is 0, None if nobody can say."""
    if not call.given("proj_size"):
        return hidden
    size = call.size("proj_size")
    if size is None or size.number == 0:
        return hidden if size is not None else None
    return size if size.number is not None or never_zero(size) else None


def _input_clash(call: Call, axis: Axis) -> Clash | None:
    return size_clash(axis, call.size("input_size"), call.facts, "features")


def _projection_clash(call: Call) -> Clash | None:
    """The clash of a projection to as many features as a state has, or more."""
    size, hidden = call.size("proj_size"), call.size("hidden_size")
    if size is None or hidden is None or size.number == 0 or not at_least(size, hidden):
        return None
    text = f"projects states of {hidden} features to {size}, which must be fewer"
    return Clash(Fault.FEATURES, text, 0, hidden, size)


# -- states ----------------------------------------------------------------------------------------


def _first_states(call: Call, kind: str) -> list[Shape | None] | Clash:
    """The shapes of the states that a call starts from, as many as it takes; None if left out.

    Clashes with several for a network of one state, and with one for a network of two. One tensor
    is taken apart along its first axis.
    """
    value = call.value("state")
    if kind != "lstm":
        if type(value) is Sequence:
            return Clash(Fault.RANK, "takes one first state, not a tuple of them", 1)
        return [call.shape("state")]
    if type(value) is Sequence and value.items is not None:
        shapes = [expanded(item, call.facts) for item in value.items[:2]]
        return shapes if len(shapes) == 2 else _no_pair(call)
    shape = call.shape("state")
    if type(value) is not Tensor or shape is None or not shape.closed:
        return [None, None]
    if not shape.lead or shape.lead[0].is_one:
        return _no_pair(call)
    return [Shape(shape.lead[1:])] * 2


def _pair_clash(call: Call, kind: str) -> Clash | None:
    """The clash of anything but a pair of states for a batched LSTM, or None."""
    value = call.value("state")
    if kind != "lstm":
        return None
    if type(value) is Sequence:
        return None if value.items is None or len(value.items) == 2 else _no_pair(call)
    return _no_pair(call) if type(value) is Tensor else None


def _no_pair(call: Call) -> Clash:
    value, shape = call.value("state"), call.shape("state")
    told = "one tensor" if shape is None else f"one tensor {shape}"
    if type(value) is Sequence and value.items is not None:
        told = f"{len(value.items)} of them"
    return Clash(Fault.RANK, f"takes a pair of first states (h, c), not {told}", 1)


def _state_clash(
    call: Call, given: Items[Shape | None], wanted: Items[tuple[Axis, ...]], batch: int | None
) -> Clash | None:
    """Why the first states do not have the `wanted` axes, or None; `batch` is the shared axis."""
    shared = () if batch is None else (batch,)
    for name, shape, axes, operand in zip(_STATES, given, wanted, (1, 2), strict=False):
        clash = demand(call, shape, axes, name, operand, shared)
        if clash is not None:
            return clash
    return None


def _counts_steps(shape: Shape, given: Items[Shape | None], event: Recurrence) -> Clash | None:
    """The clash of a first state that has as many sequences as the input has steps, by one symbol.

    Nobody has said that the input's two axes differ; that both count the same is no accident.
    """
    state = given[0]
    if state is None or state.rank != 3 or event.time is None or event.batch is None:
        return None
    steps, batch, count = (
        shape.lead[event.time].size,
        shape.lead[event.batch].size,
        state.lead[1].size,
    )
    if steps is None or batch is None or steps.number is not None:
        return None
    if count != steps or count == batch:
        return None
    text = f"starts from states of {count} sequences, and is given {batch} with {steps} steps"
    return Clash(Fault.AGREEMENT, text, 1, count, batch)


def _tensors(call: Call, shapes: Items[Shape | None]) -> Value:
    """The states that a network gives: one tensor, or the pair of an LSTM."""
    made = tuple(call.make(shape, "float") for shape in shapes)
    return made[0] if len(made) == 1 else Sequence(made)


# -- whole sequences -------------------------------------------------------------------------------


def recurrent(call: Call) -> Outcome:
    """RNN, LSTM, GRU: ``(T, B, input_size)`` to ``((T, B, D*H), (layers*D, B, H))``.

    D is the number of directions, H ``hidden_size`` or an LSTM's ``proj_size``; ``batch_first``
    says ``(B, T, ...)`` of the input and output, never of the states. Without a batch axis, B falls
    away everywhere. An LSTM takes and gives a pair of states. A packed input gives a packed output.
    """
    net = _network(call)
    given = _projection_clash(call) or _first_states(call, net.kind)
    if isinstance(given, Clash):
        return _refused(call, net, given)
    packed = call.arguments.get("x")
    if type(packed) is Packed:
        return _over_packed(call, net, packed, given)
    shape = operand_shape(call, "x")
    rank = shared_rank([shape, *given], 3)
    if rank is None:
        return _of_open_rank(call, net, shape)
    if shape is None:
        shape = _input_of(given, rank, net.batch_first)
    size = Axis(call.size("input_size"))
    text = f"takes {'(B, T' if net.batch_first else '(T, B'}, {size}) or (T, {size})"
    known = rank_demanded(shape, rank, text, call.facts)
    if isinstance(known, Clash):
        return _refused(call, net, known)
    if known is None:
        return _of_open_rank(call, net, shape)
    return _over_steps(call, net, known, given)


def _input_of(given: Items[Shape | None], rank: int, batch_first: bool | None) -> Shape:
    """What the first states tell of an input that nothing else is known of: its batch axis."""
    axes = [Axis(None)] * rank
    state = next((shape for shape in given if shape is not None and shape.rank == rank), None)
    if rank == 3 and state is not None and batch_first is not None:
        axes[0 if batch_first else 1] = state.lead[1]
    return closed(axes)


def _over_steps(call: Call, net: _Network, shape: Shape, given: list[Shape | None]) -> Outcome:
    """The outcome for an input of 2 or 3 axes."""
    batched = len(shape.lead) == 3
    event = Recurrence(net.kind, 0, None)
    between: tuple[Axis, ...] = ()
    if batched and net.batch_first is None:
        event, between = Recurrence(net.kind, None, None), (Axis(None),)
    elif batched:
        event = Recurrence(net.kind, int(net.batch_first is True), int(not net.batch_first))
        between = (shape.lead[int(not net.batch_first)],)
    wanted = [(net.layers, *between, state) for state in net.states]
    clash = _input_clash(call, shape.lead[-1])
    if clash is None and batched:
        clash = _pair_clash(call, net.kind)
    if clash is None and batched:
        clash = _counts_steps(shape, given, event)
    if clash is None:
        clash = _state_clash(call, given, wanted, 1 if batched else None)
    if clash is not None:
        return _refused(call, net, clash, event)
    steps = [_step_axis(axis) if event.time == i else axis for i, axis in enumerate(shape.lead)]
    return _result(call, net, closed((*steps[:-1], net.output)), map(closed, wanted), event)


def _result(
    call: Call, net: _Network, output: Shape, states: Iterable[Shape], event: Recurrence
) -> Outcome:
    """The output and the last states; an input nothing is known of may also have been packed."""
    made = without_marks(expand(output, call.facts))
    told: Value = call.make(made, "float")
    if type(call.arguments.get("x")) is Unknown:
        told = UNKNOWN
    last = [without_marks(expand(state, call.facts)) for state in states]
    return Outcome(Sequence((told, _tensors(call, last))), event)


def _step_axis(axis: Axis) -> Axis:
    """The time axis after a run: the steps differ even where the inputs were copies."""
    return replace(axis, made=None) if axis.made == COPIES else axis


def _of_open_rank(call: Call, net: _Network, shape: Shape | None) -> Outcome:
    """The outcome where nothing says whether there is a batch axis."""
    # Time first it is, with a batch axis or without.
    event = Recurrence(net.kind, 0 if net.batch_first is False else None, None)
    states = [_open(net.layers, state) for state in net.states]
    if shape is None:
        return _result(call, net, _open(net.output), states, event)
    taken = split_trailing(shape, 1, call.facts)
    assert taken is not None
    rows, (last,) = taken
    clash = _input_clash(call, last)
    if clash is not None:
        return _refused(call, net, clash, event)
    return _result(call, net, append(rows, (net.output,)), states, event)


def _open(*axes: Axis) -> Shape:
    """An open shape that ends with the last of these axes and starts with the others."""
    return Shape(axes[:-1], Row("state", born=False), axes[-1:])


def _over_packed(call: Call, net: _Network, packed: Packed, given: list[Shape | None]) -> Outcome:
    event = Recurrence(net.kind, None, None, packed=True)
    wanted = [(net.layers, packed.batch, state) for state in net.states]
    clash = _pair_clash(call, net.kind) or _state_clash(call, given, wanted, 1)
    shape = packed.data.shape
    steps = Axis(None)
    if clash is None and shape is not None:
        text = f"takes packed sequences of (T, {Axis(call.size('input_size'))})"
        known = rank_demanded(shape, 2, text, call.facts)
        if isinstance(known, Clash):
            clash = known
        elif known is not None:
            steps = known.lead[0]
            clash = _input_clash(call, known.lead[1])
    if clash is not None:
        return _refused(call, net, clash, event)
    data = call.make(closed((steps, net.output)), "float")
    states = [without_marks(expand(closed(axes), call.facts)) for axes in wanted]
    made = Packed(data, packed.batch, packed.time)
    return Outcome(Sequence((made, _tensors(call, states))), event)


def _refused(call: Call, net: _Network, clash: Clash, event: Recurrence | None = None) -> Outcome:
    """The outcome of a run that cannot work: of the right structure, its sizes unknown."""
    nothing = _tensors(call, [None for _ in net.states])
    return Outcome(Sequence((call.make(None, "float"), nothing)), event, clash)


# -- one step --------------------------------------------------------------------------------------


def cell(call: Call) -> Outcome:
    """RNNCell, LSTMCell, GRUCell: ``(B, input_size)``, ``(B, H)`` to ``(B, H)``.

    H is ``hidden_size``. Without a batch axis, B falls away. An LSTM's cell takes and gives a pair
    of states.
    """
    kind = call.text("kind") or ""
    event = Recurrence(kind, None, None, cell=True)
    states = _first_states(call, kind)
    rows = states if isinstance(states, Clash) else _cell_rows(call, kind, states)
    hidden = Axis(call.size("hidden_size"))
    count = 2 if kind == "lstm" else 1
    clash = rows if isinstance(rows, Clash) else None
    if isinstance(rows, Shape) and not isinstance(states, Clash) and rows.closed:
        batch = 0 if rows.lead else None
        event = replace(event, batch=batch)
        clash = _state_clash(call, states, [(*rows.lead, hidden)] * count, batch)
    if clash is not None or isinstance(rows, Clash):
        return Outcome(_tensors(call, [None] * count), event, clash)
    made = without_marks(expand(append(rows, (hidden,)), call.facts))
    return Outcome(_tensors(call, [made] * count), event)


def _cell_rows(call: Call, kind: str, states: list[Shape | None]) -> Shape | Clash:
    """The axes of a cell's input before its features, found by its states if need be."""
    shape = operand_shape(call, "x")
    rank = shared_rank([shape, *states], 2)
    clash = _pair_clash(call, kind) if rank == 2 else None
    if clash is not None:
        return clash
    if shape is None:
        known = next((state for state in states if state is not None and state.closed), None)
        if known is None or known.rank != rank:
            return Shape((), Row("state", born=False))
        return Shape(known.lead[:-1])
    if rank is not None:
        size = Axis(call.size("input_size"))
        made = rank_demanded(shape, rank, f"takes (B, {size}) or ({size},)", call.facts)
        if isinstance(made, Clash):
            return made
        shape = shape if made is None else made
    taken = split_trailing(shape, 1, call.facts)
    assert taken is not None
    rows, (last,) = taken
    return _input_clash(call, last) or rows
