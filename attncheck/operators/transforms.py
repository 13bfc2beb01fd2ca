"""Fourier transforms, and complex tensors as pairs of real ones.

The dtype of a complex tensor is none of the three that are told apart, so it is not known.
"""

from __future__ import annotations

from collections.abc import Callable

from attncheck.algebra.shape import Axis, Shape, expand
from attncheck.algebra.size import Size, const
from attncheck.operators.axes import append, split_trailing
from attncheck.operators.call import Call
from attncheck.operators.elementwise import combine, without_marks
from attncheck.operators.events import Clash, Elementwise, Fault, Outcome
from attncheck.operators.operands import operand_shape
from attncheck.operators.seats import rank_clash, ranks_clash, resized, seat_of

_PAIR = const(2)


# -- Fourier ---------------------------------------------------------------------------------------


def transform(call: Call) -> Outcome:
    """fft, ifft: the shape of x, with ``count`` places on ``axis`` if that is given."""
    return _transform(call, lambda length: length)


def transform_real(call: Call) -> Outcome:
    """rfft: ``n//2 + 1`` frequencies of the n (or ``count``) places on ``axis``."""
    return _transform(call, lambda length: length // 2 + 1)


def restore_real(call: Call) -> Outcome:
    """irfft: ``count`` places on ``axis``, else ``2*(n - 1)`` of n frequencies."""
    if call.given("count"):
        return _transform(call, lambda length: length, "float")
    return _transform(call, lambda length: 2 * (length - 1), "float")


def _transform(call: Call, places: Callable[[Size], Size], dtype: str | None = None) -> Outcome:
    found, clash = seat_of(call, -1)
    if found is None:
        return Outcome(call.make(None, dtype), clash=clash)
    length = call.size("count") if call.given("count") else found.axis.size
    axis = resized(found.axis, None if length is None else places(length), call.facts)
    return Outcome(call.make(without_marks(found.put(axis)), dtype))


def short_time(call: Call) -> Outcome:
    """stft: ``(B, L)`` or ``(L,)`` to ``(B, window//2 + 1, frames)``, complex.

    There are ``1 + L//hop`` frames if the windows are centred, else ``1 + (L - window)//hop``; the
    hop is a quarter of the window if it is left out. As pairs of real numbers there is an axis of 2
    behind (torch.stft).
    """
    shape, window = operand_shape(call, "x"), call.size("window")
    clash = None if shape is None else ranks_clash(shape, (1, 2))
    taken = None if shape is None or clash is not None else split_trailing(shape, 1, call.facts)
    as_complex = call.flag("as_complex", False)
    if taken is None or as_complex is None:
        return Outcome(call.make(None), clash=clash)
    hop = call.size("hop") if call.given("hop") else None if window is None else window // 4
    sided = call.flag("onesided", True)
    frequencies = None
    if window is not None and sided is not None:
        frequencies = window // 2 + 1 if sided else window
    frames = _frames(call, taken[1][0].size, window, hop)
    axes = [Axis(frequencies), Axis(frames)]
    if not as_complex:
        axes.append(Axis(_PAIR))
    made = append(without_marks(taken[0]), axes)
    return Outcome(call.make(made, None if as_complex else "float"))


def _frames(call: Call, length: Size | None, window: Size | None, hop: Size | None) -> Size | None:
    centred = call.flag("center", True)
    if length is None or window is None or hop is None or centred is None or hop.number == 0:
        return None
    padded = length + 2 * (window // 2) if centred else length
    return (padded - window) // hop + 1


# -- complex numbers -------------------------------------------------------------------------------


def make_complex(call: Call) -> Outcome:
    """polar, complex: a complex number of two real ones, ``x`` and ``y`` broadcast."""
    shapes = [operand_shape(call, name) for name in ("x", "y")]
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return Outcome(call.make(None), Elementwise("complex", None))
    return combine(call, "complex", "combines", known, None, keep=False)


def as_pairs(call: Call) -> Outcome:
    """view_as_real: complex ``(...)`` to ``(..., 2)``."""
    shape = operand_shape(call, "x")
    made = None if shape is None else append(without_marks(shape), (Axis(_PAIR),))
    return Outcome(call.make(made, "float"))


def from_pairs(call: Call) -> Outcome:
    """view_as_complex: ``(..., 2)`` to complex ``(...)``; clashes if the last axis is no pair."""
    shape = operand_shape(call, "x")
    if shape is None:
        return Outcome(call.make(None))
    taken = split_trailing(shape, 1, call.facts)
    if taken is None:
        return Outcome(call.make(None), clash=rank_clash(shape, "pairs on the last axis"))
    rows, (pair,) = taken
    if pair.size is not None:
        verdict = call.facts.force(pair.size, _PAIR, "pairs of real and imaginary parts")
        if verdict.clashes:
            text = f"takes pairs on the last axis, not {pair}"
            clash = Clash(Fault.COUNT, text, 0, pair.size, _PAIR, verdict)
            return Outcome(call.make(None), clash=clash)
    return Outcome(call.make(expand(without_marks(rows), call.facts)))


def part(call: Call) -> Outcome:
    """The real or the imaginary part, the conjugate: the shape of x."""
    shape: Shape | None = operand_shape(call, "x")
    made = None if shape is None else without_marks(shape)
    return Outcome(call.make(made), Elementwise("part", None))
