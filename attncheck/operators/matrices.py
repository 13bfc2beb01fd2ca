"""Linear algebra on the last two axes: inverses, factors, determinants, systems of equations."""

from __future__ import annotations

from collections.abc import Callable

from attncheck.algebra.broadcast import broadcast
from attncheck.algebra.shape import Axis, Shape, expand
from attncheck.operators.axes import append, split_trailing
from attncheck.operators.call import Call
from attncheck.operators.elementwise import broadcast_clash, without_marks
from attncheck.operators.events import Clash, Fault, Outcome
from attncheck.operators.operands import factor_shape
from attncheck.operators.seats import rank_clash
from attncheck.values.value import Sequence


def square(call: Call) -> Outcome:
    """inverse, cholesky, matrix_exp: ``(..., n, n)`` to the same shape."""
    return _of_square(call, lambda rows, axis: append(rows, (axis, axis)))


def determinant(call: Call) -> Outcome:
    """det, logdet: ``(..., n, n)`` to ``(...)``."""
    return _of_square(call, lambda rows, axis: rows)


def eigen(call: Call) -> Outcome:
    """eigh: ``(..., n, n)`` to eigenvalues ``(..., n)`` and eigenvectors ``(..., n, n)``."""
    values = _of_square(call, lambda rows, axis: append(rows, (axis,)))
    vectors = square(call)
    return Outcome(Sequence((values.value, vectors.value)), clash=values.clash)


def pseudo_inverse(call: Call) -> Outcome:
    """pinv: ``(..., m, n)`` to ``(..., n, m)``."""
    taken = _matrix(call, "x")
    if not isinstance(taken, tuple):
        return Outcome(call.make(None, "float"), clash=taken)
    rows, (left, right) = taken
    return Outcome(call.make(append(rows, (right, left)), "float"))


def solve(call: Call) -> Outcome:
    """solve, solve_triangular: ``(..., n, n)`` and ``(..., n, k)`` to ``(..., n, k)``."""
    one, other = _matrix(call, "x"), _matrix(call, "y")
    for found in (one, other):
        if isinstance(found, Clash):
            return Outcome(call.make(None, "float"), clash=found)
    if not isinstance(one, tuple) or not isinstance(other, tuple):
        return Outcome(call.make(None, "float"))
    left, right = one[1]
    clash = _unequal(call, left, right, "solves a system with a matrix of {} by {}")
    clash = clash or _unequal(call, right, other[1][0], "solves {} equations for {} values")
    if clash is not None:
        return Outcome(call.make(None, "float"), clash=clash)
    spread = broadcast(one[0], other[0], call.facts)
    clash = broadcast_clash(spread, "solves for batches of", (one[0], other[0]))
    made = None if spread.shape is None else append(spread.shape, other[1])
    made = None if made is None else expand(made, call.facts)
    return Outcome(call.make(None if clash is not None else made, "float"), clash=clash)


def _matrix(call: Call, name: str) -> tuple[Shape, tuple[Axis, ...]] | Clash | None:
    """The batch and the two last axes of an argument."""
    shape = factor_shape(call, name)
    if shape is None:
        return None
    taken = split_trailing(without_marks(shape), 2, call.facts)
    return rank_clash(shape, "matrices", 0 if name == "x" else 1) if taken is None else taken


def _of_square(call: Call, made: Callable[[Shape, Axis], Shape]) -> Outcome:
    taken = _matrix(call, "x")
    if not isinstance(taken, tuple):
        return Outcome(call.make(None, "float"), clash=taken)
    rows, (left, right) = taken
    clash = _unequal(call, left, right, "takes square matrices, not {} by {}")
    if clash is not None:
        return Outcome(call.make(None, "float"), clash=clash)
    return Outcome(call.make(expand(made(rows, left), call.facts), "float"))


def _unequal(call: Call, left: Axis, right: Axis, text: str) -> Clash | None:
    """The clash of two sizes that must be the same, or None."""
    if left.size is None or right.size is None:
        return None
    text = text.format(left, right)
    verdict = call.facts.force(left.size, right.size, text)
    if not verdict.clashes:
        return None
    return Clash(Fault.CONTRACTION, text, 0, left.size, right.size, verdict)
