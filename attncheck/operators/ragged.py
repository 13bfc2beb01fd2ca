"""Packing: sequences of unlike lengths as one tensor without padding, and back.

Rules: torch.nn.utils.rnn. How many steps there are altogether is not known, nor how many the
longest sequence has, which the padding it was packed from may exceed.
"""

from __future__ import annotations

from attncheck.algebra.contract import contract
from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Shape, closed, expand
from attncheck.algebra.size import Symbol, const, of
from attncheck.operators.call import Call
from attncheck.operators.demands import rank_demanded
from attncheck.operators.events import Clash, Fault, Outcome
from attncheck.operators.operands import dtype_of, operand_shape
from attncheck.operators.padding import pad_sequence
from attncheck.operators.seats import leading
from attncheck.record import replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import Packed, Sequence, as_tensor


def pack_padded(call: Call) -> Outcome:
    """pack_padded_sequence: ``(T, B, *)``, or ``(B, T, *)`` batch first, with B lengths.

    torch accepts fewer lengths than sequences if it has to sort them, and drops the others; that is
    a clash all the same.
    """
    shape, lengths = operand_shape(call, "x"), _lengths(call)
    first = call.flag("batch_first")
    clash = lengths if isinstance(lengths, Clash) else None
    count = Axis(None) if isinstance(lengths, Clash) else lengths
    if shape is not None and shape.closed and len(shape.lead) < 2:
        text = f"packs a padded batch of {'(B, T, ...)' if first else '(T, B, ...)'}, not {shape}"
        clash = Clash(Fault.RANK, text)
    shown = None if shape is None or clash else _two_leading(shape, call.facts)
    batch, rest, tag = count, None, None
    if shown is not None:
        rest = Shape(shown.lead[2:], shown.row, shown.trail)
        if first is not None:
            batch, tag = shown.lead[not first], shown.lead[first].tag
            pair = contract(batch, count, call.facts, "lengths")
            if pair.verdict.clashes:
                text = f"packs {batch} sequences with {count} lengths"
                sizes = batch.size, count.size
                clash = Clash(Fault.AGREEMENT, text, 1, *sizes, pair.verdict)
    numbers = call.integers("lengths")
    longest = replace(_longest() if not numbers else Axis(const(max(numbers))), tag=tag)
    made = None if clash else rest
    dtype = dtype_of(call.arguments.get("x"))
    return Outcome(_packed(call, made, batch, longest, dtype), clash=clash)


def _two_leading(shape: Shape, facts: Facts) -> Shape | None:
    shape = expand(shape, facts)
    return shape if shape.closed else leading(shape, 2, facts, rank=2)


def _lengths(call: Call) -> Axis | Clash:
    """The axis that counts the lengths, which are a vector or a list."""
    value = call.value("lengths")
    if type(value) is Sequence:
        return Axis(const(len(value.items)) if value.items is not None else value.length)
    shape = call.shape("lengths")
    if shape is None:
        return Axis(None)
    known = rank_demanded(shape, 1, "takes lengths of (B,)", call.facts, 1)
    if isinstance(known, Clash):
        return known
    return Axis(None) if known is None else known.lead[0]


def _longest() -> Axis:
    """The steps of the longest sequence: a size that operations may find out."""
    return Axis(of(Symbol("longest", flexible=True)))


def _packed(call: Call, rest: Shape | None, batch: Axis, time: Axis, dtype: str | None) -> Packed:
    """Packed sequences whose steps have the axes `rest`."""
    data = None if rest is None else Shape((Axis(None), *rest.lead), rest.row, rest.trail)
    return Packed(call.make(data, dtype), batch, time)


def pack(call: Call) -> Outcome:
    """pack_sequence: a list of ``(T_i, *)``."""
    padded = pad_sequence(call)
    tensor = as_tensor(padded.value)
    shape = None if tensor is None else tensor.shape
    if tensor is None or shape is None or len(shape.lead) < 2:
        made = _packed(call, None, Axis(None), _longest(), None)
        return Outcome(made, clash=padded.clash)
    time, batch = shape.lead[:2]
    rest = Shape(shape.lead[2:], shape.row, shape.trail)
    longest = replace(_longest(), tag=time.tag)
    return Outcome(_packed(call, rest, batch, longest, tensor.dtype))


def pad_packed(call: Call) -> Outcome:
    """pad_packed_sequence: ``(T, B, *)``, or ``(B, T, *)`` batch first, and the B lengths."""
    packed = call.arguments.get("x")
    if type(packed) is not Packed:
        lengths = call.make(closed([Axis(None)]), "int")
        return Outcome(Sequence((call.make(None), lengths)))
    lengths = call.make(closed([packed.batch]), "int")
    shape, first = packed.data.shape, call.flag("batch_first")
    if shape is None or not shape.lead:
        return Outcome(Sequence((call.make(None, packed.data.dtype), lengths)))
    time = packed.time
    if call.given("total_length"):
        time = replace(time, size=call.size("total_length"))
    pair = (packed.batch, time) if first else (time, packed.batch)
    if first is None:
        pair = (Axis(None), Axis(None))
    made = expand(Shape((*pair, *shape.lead[1:]), shape.row, shape.trail), call.facts)
    return Outcome(Sequence((call.make(made, packed.data.dtype), lengths)))


def packed_from(call: Call) -> Outcome:
    """PackedSequence: ``data`` and how many sequences have a first, a second, ... step."""
    data, steps = call.tensor("data"), call.shape("steps")
    time = steps.lead[0] if steps is not None and steps.rank == 1 else Axis(None)
    made = Tensor(None, call.library) if data is None else data
    return Outcome(Packed(made, Axis(None), time))


def packed_data(call: Call) -> Outcome:
    """The ``data`` of packed sequences."""
    packed = call.arguments.get("x")
    return Outcome(packed.data) if type(packed) is Packed else call.unknown()


def packed_steps(call: Call) -> Outcome:
    """The ``batch_sizes`` of packed sequences: one for each step of the longest."""
    packed = call.arguments.get("x")
    if type(packed) is not Packed:
        return call.unknown()
    return Outcome(call.make(closed([packed.time]), "int"))
