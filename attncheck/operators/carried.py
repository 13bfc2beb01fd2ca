"""Recurrent cells and networks of flax: what is carried comes first, in the call and in the result.

Rules: flax.linen.LSTMCell, GRUCell, RNN. A cell takes ``(carry, x)`` and gives ``(carry, y)``; the
carry of an LSTM is the pair (cell state, hidden state), each ``(..., features)``.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.contract import contract
from attncheck.algebra.shape import Axis, Shape, expand
from attncheck.algebra.size import Size
from attncheck.operators.axes import append, split_trailing
from attncheck.operators.call import Call
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Clash, Fault, Outcome, Recurrence
from attncheck.operators.operands import operand_shape
from attncheck.values.tensor import Tensor
from attncheck.values.value import Layer, Sequence, Value, expanded


def cell(call: Call) -> Outcome:
    """One step: ``(carry, x (..., in))`` to ``(carry, y (..., features))``.

    A cell that is made without ``in_features`` takes any carry and goes on with its features.
    """
    kind, size = call.text("kind") or "", call.size("features")
    event = Recurrence(kind, None, None, cell=True)
    clash = _input_clash(call, "in_features")
    if call.given("in_features"):
        clash = clash or _carry_clash(call, size)
    else:
        size = next(_carried_sizes(call), size)
    if clash is not None:
        nothing = call.make(None, "float")
        return Outcome(Sequence((_carry(nothing, kind), nothing)), event, clash)
    shape = operand_shape(call, "x")
    taken = None if shape is None else split_trailing(shape, 1, call.facts)
    made = None if taken is None else append(taken[0], (Axis(size),))
    state = call.make(None if made is None else without_marks(expand(made, call.facts)), "float")
    return Outcome(Sequence((_carry(state, kind), state)), event)


def _carry(state: Tensor, kind: str) -> Value:
    return Sequence((state, state)) if kind == "lstm" else state


def _input_clash(call: Call, name: str) -> Clash | None:
    shape = operand_shape(call, "x")
    taken = None if shape is None else split_trailing(shape, 1, call.facts)
    if taken is None:
        return None
    pair = contract(taken[1][0], Axis(call.size(name)), call.facts, "features")
    if not pair.verdict.clashes:
        return None
    text = f"takes {pair.right} features, not {pair.left}"
    return Clash(Fault.FEATURES, text, 1, pair.left.size, pair.right.size, pair.verdict)


def _carry_clash(call: Call, size: Size | None) -> Clash | None:
    """The clash of a carried state of other features than the cell has, or None."""
    for found in _carried_sizes(call):
        pair = contract(Axis(found), Axis(size), call.facts, "state")
        if pair.verdict.clashes:
            text = f"carries a state of {pair.right} features, not {pair.left}"
            return Clash(Fault.FEATURES, text, 0, pair.left.size, pair.right.size, pair.verdict)
    return None


def _carried_sizes(call: Call) -> Iterator[Size | None]:
    """The numbers of features of what is carried, as far as they can be seen."""
    carry = call.value("carry")
    states = carry.items if type(carry) is Sequence and carry.items is not None else (carry,)
    for state in states:
        shape = expanded(state, call.facts)
        taken = None if shape is None else split_trailing(shape, 1, call.facts)
        if taken is not None:
            yield taken[1][0].size


def network(call: Call) -> Outcome:
    """RNN: ``(B, T, in)`` to ``(B, T, features)``, the features those of its ``cell``.

    With ``return_carry`` the last carry comes before it.
    """
    made = call.value("cell")
    settings = made.settings if type(made) is Layer else {}
    inner = Call(call.facts, dict(settings), call.library, call.spelling)
    shape = operand_shape(call, "x")
    known = type(made) is Layer and shape is not None
    taken = split_trailing(shape, 1, call.facts) if known and shape is not None else None
    output = None if taken is None else append(taken[0], (Axis(inner.size("features")),))
    steps = call.make(_unmarked(output, call), "float")
    event = Recurrence(_kind(made), *_axes(call, shape))
    both = call.flag("asked" if call.given("asked") else "return_carry")
    if both is None:
        return Outcome(call.unknown().value, event)
    if not both:
        return Outcome(steps, event)
    return Outcome(Sequence((_carry(call.make(None, "float"), _kind(made)), steps)), event)


def _kind(made: Value | None) -> str:
    name = made.path.rpartition(".")[2].lower() if type(made) is Layer else ""
    return next((kind for kind in ("lstm", "gru") if kind in name), "rnn")


def _axes(call: Call, shape: Shape | None) -> tuple[int | None, int | None]:
    """The axes of time and batch, of an input of three axes."""
    first = call.flag("time_major")
    if shape is None or shape.rank != 3 or first is None:
        return None, None
    return (0, 1) if first else (1, 0)


def _unmarked(shape: Shape | None, call: Call) -> Shape | None:
    return None if shape is None else without_marks(expand(shape, call.facts))
