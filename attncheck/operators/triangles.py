"""Triangles and diagonals: tril, triu, diag, diagonal, trace."""

from __future__ import annotations

from attncheck.algebra.bounds import at_least, smaller_of
from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import Axis, Shape, with_trailing
from attncheck.algebra.size import Size, const
from attncheck.operators.axes import with_rank
from attncheck.operators.call import Call
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Clash, Fault, Outcome, Selection, Triangle
from attncheck.operators.operands import dtype_of
from attncheck.operators.seats import axis_clash, rank_clash, resized, seat
from attncheck.record import replace
from attncheck.values.tensor import Tensor


def triangle(call: Call) -> Outcome:
    """tril, triu: the shape of ``x``, which must have two axes (NumPy makes a vector square)."""
    tensor = call.tensor("x")
    diagonal = call.integer("diagonal") if call.given("diagonal") else 0
    event = Triangle(call.text("kind") or "", diagonal)
    if tensor is None or tensor.shape is None:
        return Outcome(call.make(None, None if tensor is None else tensor.dtype), event)
    shape = tensor.shape
    if call.library == "numpy" and shape.rank == 1:
        square = without_marks(Shape(shape.lead * 2))
        return Outcome(call.make(square, tensor.dtype), event)
    if call.library == "numpy" and shape.rank is None and shape.at_least < 2:
        return Outcome(call.make(None, tensor.dtype), event)
    matrix = with_trailing(shape, 2, call.facts)
    if matrix is None:
        return Outcome(call.make(None), event, rank_clash(shape, "at least two axes"))
    return Outcome(call.make(without_marks(matrix), tensor.dtype), event)


def band(call: Call) -> Outcome:
    """band_part: the elements up to ``lower`` below the diagonal and ``upper`` above; -1 is all.

    With all on one side it is a triangle.
    """
    lower, upper = call.integer("lower"), call.integer("upper")
    kind, diagonal = ("tril", upper) if lower == -1 else ("triu", lower and -lower)
    outcome = triangle(call)
    half = lower == -1 or upper == -1
    known = half and lower is not None and upper is not None and lower != upper
    return replace(outcome, event=Triangle(kind, diagonal) if known else None)


def diagonal(call: Call) -> Outcome:
    """The diagonal over two axes, as a new last axis: (a, n, n) over 1 and 2 to (a, n)."""
    tensor = call.tensor("x")
    dtype = None if tensor is None else tensor.dtype
    pair = [call.integer(name) if call.given(name) else at for name, at in _DIAGONAL_AXES]
    first, second = pair
    if tensor is None or tensor.shape is None or first is None or second is None:
        return Outcome(call.make(None, dtype))
    shape = tensor.shape
    if shape.rank is None:
        return Outcome(call.make(None, dtype))
    clash = axis_clash(shape, first, call.facts) or axis_clash(shape, second, call.facts)
    if clash is None and first % len(shape.lead) == second % len(shape.lead):
        clash = Clash(Fault.AXIS, f"takes the diagonal over axis {first} twice")
    if clash is not None:
        return Outcome(call.make(None), clash=clash)
    places = first % len(shape.lead), second % len(shape.lead)
    rows, columns = (shape.lead[place] for place in places)
    size = _diagonal_size(rows.size, columns.size, call)
    rest = [place for place in range(len(shape.lead)) if place not in places]
    axes = (*(shape.lead[place] for place in rest), Axis(size, rows.tag))
    return Outcome(call.make(Shape(axes), dtype), Selection((*rest, None)))


_DIAGONAL_AXES = (("axis1", 0), ("axis2", 1))


def _diagonal_size(rows: Size | None, columns: Size | None, call: Call) -> Size | None:
    offset = call.integer("offset") if call.given("offset") else 0
    if rows is None or columns is None or offset is None:
        return None
    if offset > 0:
        columns = columns - offset
    else:
        rows = rows + offset
    if call.facts.compare(rows, columns) is Verdict.EQUAL:
        smaller: Size | None = rows
    else:
        smaller = smaller_of(rows, columns)
    if smaller is None:
        return None
    if at_least(smaller, const(0)):
        return smaller
    return const(0) if at_least(const(0), smaller) else None


def diag(call: Call) -> Outcome:
    """diag: a vector to a square matrix, a matrix to its diagonal; other ranks clash."""
    tensor = call.tensor("x")
    dtype = None if tensor is None else tensor.dtype
    if tensor is None or tensor.shape is None or tensor.shape.rank is None:
        return Outcome(call.make(None, dtype))
    shape = tensor.shape
    if shape.rank == 2:
        return diagonal(call)
    offset = call.integer("offset") if call.given("offset") else 0
    if shape.rank != 1:
        return Outcome(call.make(None), clash=rank_clash(shape, "a vector or a matrix"))
    side = _grown(shape.lead[0], offset, call.facts)
    return Outcome(call.make(Shape((side, side)), dtype))


def diag_embed(call: Call) -> Outcome:
    """torch.diag_embed: (a, n) to (a, n, n), the last axis on the diagonal."""
    tensor = call.tensor("x")
    dtype = None if tensor is None else tensor.dtype
    offset = call.integer("offset") if call.given("offset") else 0
    default = not call.given("axis1") and not call.given("axis2")
    if tensor is None or tensor.shape is None or not default:
        return Outcome(call.make(None, dtype))
    matrix = with_trailing(tensor.shape, 1, call.facts)
    found = None if matrix is None else seat(matrix, -1, call.facts)
    if found is None:
        return Outcome(call.make(None), clash=rank_clash(tensor.shape, "at least one axis"))
    side = _grown(found.axis, offset, call.facts)
    return Outcome(call.make(without_marks(found.put(side, side)), dtype))


def _grown(axis: Axis, offset: int | None, facts: Facts) -> Axis:
    axis = replace(axis, normalised=frozenset())
    if not offset:
        return axis if offset == 0 else replace(axis, size=None, parts=())
    size = None if axis.size is None else axis.size + abs(offset)
    return resized(axis, size, facts)


def trace(call: Call) -> Outcome:
    """The sum of the diagonal: two axes less."""
    inner = diagonal(call)
    value = inner.value
    if type(value) is not Tensor or value.shape is None:
        return inner
    shape = Shape(value.shape.lead[:-1])
    event = inner.event
    kept = event.kept[:-1] if type(event) is Selection else ()
    return Outcome(call.make(shape, value.dtype), Selection(kept), inner.clash)


def matrix_trace(call: Call) -> Outcome:
    """torch.trace: a matrix to a scalar."""
    shape = call.shape("x")
    if shape is not None and isinstance(with_rank(shape, 2, call.facts), Clash):
        return Outcome(call.make(None), clash=rank_clash(shape, "a matrix"))
    return Outcome(call.make(Shape(()), dtype_of(call.arguments.get("x"))))
