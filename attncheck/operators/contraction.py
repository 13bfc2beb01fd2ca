"""Products that sum over axes: matmul and its relatives.

All of them pair axes with `algebra.contract`, which binds sizes that were open and reports those
that differ; what is left of both operands stands in the result, the right one's axes told apart
from the left one's.
Rules: numpy.matmul and numpy.dot "Notes"; torch.matmul.
"""

from __future__ import annotations

from attncheck.algebra.broadcast import Broadcast, broadcast
from attncheck.algebra.contract import Contracted, contract, tell_apart
from attncheck.algebra.shape import SCALAR, Axis, Shape, closed, expand
from attncheck.algebra.size import ONE, Size, product
from attncheck.operators.axes import (
    append,
    axes_text,
    least_rank,
    locate,
    split_trailing,
    with_rank,
)
from attncheck.operators.call import Call
from attncheck.operators.elementwise import multiply, without_marks
from attncheck.operators.events import Clash, Contraction, Fault, Outcome
from attncheck.operators.misfits import (
    batch_clash,
    contraction_clash,
    stretch_clash,
    unequal_batch,
)
from attncheck.operators.operands import dtype_of, factor_shape
from attncheck.record import record, replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import Sequence, as_integer


def product_dtype(call: Call, *names: str) -> str | None:
    """The dtype of a product: float if an operand is, else what all of them are."""
    kinds = {dtype_of(call.arguments.get(name)) for name in names}
    if "float" in kinds:
        return "float"
    return kinds.pop() if len(kinds) == 1 else None


def failed(call: Call, clash: Clash, event: Contraction | None = None) -> Outcome:
    """The outcome of a product that cannot work."""
    return Outcome(call.make(None), event, clash)


# -- matmul ----------------------------------------------------------------------------------------


def matmul(call: Call) -> Outcome:
    """``@``: ``(..., n, k) @ (..., k, m)``, a vector on either side, batch axes broadcast."""
    left, right = factor_shape(call, "x"), factor_shape(call, "y")
    for operand, shape in enumerate((left, right)):
        if shape is not None and shape.closed and not shape.lead:
            text = "multiplies a number as if it were a matrix"
            return failed(call, Clash(Fault.RANK, text, operand))
    if left is None or right is None:
        return Outcome(call.make(None))
    return _matmul(call, left, right)


def _matmul(call: Call, left: Shape, right: Shape) -> Outcome:
    if right.rank != 1 and least_rank(right) < 2:
        # A vector and a matrix are contracted over different axes.
        return Outcome(call.make(None))
    taken = split_trailing(left, 1, call.facts)
    width = 1 if right.rank == 1 else 2
    given = split_trailing(expand(right, call.facts), width, call.facts)
    assert taken is not None and given is not None
    (rows, (inner,)), (batch, columns) = taken, given
    pair = contract(inner, columns[0], call.facts, "contracted")
    left, right = expand(left, call.facts), expand(right, call.facts)
    clash = contraction_clash([pair])
    if clash is not None:
        return failed(call, clash, _matmul_event(left, right, pair, None))
    rows, batch = expand(rows, call.facts), expand(batch, call.facts)
    free = columns[1:]
    if left.rank == 1:
        shape: Shape | None = append(batch, free)
        return Outcome(_product(call, shape), _matmul_event(left, right, pair, None))
    if batch.closed and not batch.lead:
        known = rows.lead + rows.trail
        shape = append(rows, tell_apart(known, free))
        return Outcome(_product(call, shape), _matmul_event(left, right, pair, None))
    if left.rank is None and least_rank(left) < 2:
        return Outcome(_product(call, None), _matmul_event(left, right, pair, None))
    return _batched(call, (left, right), (rows, batch), free, pair)


def _batched(
    call: Call,
    whole: tuple[Shape, Shape],
    parts: tuple[Shape, Shape],
    free: tuple[Axis, ...],
    pair: Contracted,
) -> Outcome:
    """A product of stacks of matrices: their batch axes are broadcast."""
    split = split_trailing(parts[0], 1, call.facts)
    assert split is not None
    outer, rows = split
    spread = broadcast(outer, parts[1], call.facts)
    event = _matmul_event(*whole, pair, spread)
    clash = batch_clash(spread.clashes)
    if clash is not None:
        return failed(call, clash, event)
    shape = None
    if spread.shape is not None:
        known = spread.shape.lead + spread.shape.trail + rows
        shape = append(spread.shape, rows + tell_apart(known, free))
    return Outcome(_product(call, shape), event)


def _product(call: Call, shape: Shape | None) -> Tensor:
    return call.make(shape, product_dtype(call, "x", "y"))


def _matmul_event(
    left: Shape, right: Shape, pair: Contracted, batch: Broadcast | None
) -> Contraction:
    if left.rank is None or right.rank is None:
        return Contraction("matmul", (-1,), (-2 if right.rank != 1 else -1,), (pair,), batch=batch)
    m, n = left.rank, right.rank
    summed = max(n - 2, 0)
    rank = m + n - 2 if min(m, n) == 1 else max(m, n)
    # Where neither is a vector, both are lined up at their last axes.
    right_moves = [i - (i > summed) if m == 1 else i + rank - n for i in range(n)]
    return Contraction(
        "matmul",
        (m - 1,),
        (summed,),
        (pair,),
        (*(i if n == 1 else i + rank - m for i in range(m - 1)), None),
        tuple(None if i == summed else to for i, to in enumerate(right_moves)),
        batch,
    )


# -- products of a fixed number of axes ------------------------------------------------------------


@record
class Pattern:
    """A product of fixed ranks, without broadcasting: ``bmm`` is ``bij,bjk->bik``."""

    style: str
    left: str
    right: str
    output: str


_MM = Pattern("mm", "ij", "jk", "ik")
_BMM = Pattern("bmm", "bij", "bjk", "bik")


def mm(call: Call) -> Outcome:
    """A product of two matrices: ``(n, k), (k, m) -> (n, m)``."""
    return _fixed(call, _MM)


def bmm(call: Call) -> Outcome:
    """A product of two stacks of matrices: ``(b, n, k), (b, k, m) -> (b, n, m)``."""
    return _fixed(call, _BMM)


def mv(call: Call) -> Outcome:
    """A matrix times a vector: ``(n, k), (k,) -> (n,)``."""
    return _fixed(call, Pattern("mv", "ij", "j", "i"))


def vector_dot(call: Call) -> Outcome:
    """The product of two vectors: ``(k,), (k,) -> ()``."""
    return _fixed(call, Pattern("dot", "i", "i", ""))


def vector_outer(call: Call) -> Outcome:
    """All products of the elements of two vectors: ``(n,), (m,) -> (n, m)``."""
    return _fixed(call, Pattern("outer", "i", "j", "ij"))


def addmm(call: Call) -> Outcome:
    """``bias + x @ y`` for matrices; the bias may be stretched to the product."""
    return _added(call, _MM)


def baddbmm(call: Call) -> Outcome:
    """``bias + x @ y`` for stacks of matrices; the bias may be stretched to the product."""
    return _added(call, _BMM)


def _half_known(pattern: Pattern, left: Shape | None, right: Shape | None) -> Shape | None:
    """The shape of a product of which one operand is known: the axes that this one gives."""
    if left is None and right is None:
        return None
    letters, shape = (pattern.left, left) if left is not None else (pattern.right, right)
    assert shape is not None
    given = dict(zip(letters, without_marks(shape).lead, strict=True))
    return closed(given.get(letter, Axis(None)) for letter in pattern.output)


def _fixed(call: Call, pattern: Pattern) -> Outcome:
    """A product whose operands have as many axes as the pattern has letters."""
    shapes = []
    for operand, (name, letters) in enumerate((("x", pattern.left), ("y", pattern.right))):
        shape = factor_shape(call, name)
        made = None if shape is None else with_rank(shape, len(letters), call.facts)
        if isinstance(made, Clash):
            text = f"takes {axes_text(len(letters))} here, not {shape}"
            return failed(call, Clash(Fault.RANK, text, operand))
        shapes.append(made)
    left, right = shapes
    if left is None or right is None:
        return Outcome(call.make(_half_known(pattern, left, right)))
    return by_pattern(call, pattern, left.axes, right.axes)


def by_pattern(
    call: Call, pattern: Pattern, left: tuple[Axis, ...], right: tuple[Axis, ...]
) -> Outcome:
    """The product of two tensors with as many axes as the pattern has letters."""
    shared = [letter for letter in pattern.left if letter in pattern.right]
    at = [(pattern.left.index(letter), pattern.right.index(letter)) for letter in shared]
    pairs = {
        letter: contract(left[i], right[j], call.facts, pattern.style)
        for letter, (i, j) in zip(shared, at, strict=True)
    }
    summed = [letter for letter in shared if letter not in pattern.output]
    event = Contraction(
        pattern.style,
        tuple(pattern.left.index(letter) for letter in summed),
        tuple(pattern.right.index(letter) for letter in summed),
        tuple(pairs[letter] for letter in summed),
        tuple(_position(pattern.output, letter) for letter in pattern.left),
        tuple(_position(pattern.output, letter) for letter in pattern.right),
    )
    clash = contraction_clash([pairs[letter] for letter in summed])
    if clash is None:
        clash = unequal_batch([pairs[letter] for letter in shared if letter not in summed])
    if clash is not None:
        return failed(call, clash, event)
    axes = dict(zip(pattern.left, expand(closed(left), call.facts).axes, strict=True))
    for letter, (_, j) in zip(shared, at, strict=True):
        # What a shared axis was merged from is remembered, whichever side knows it.
        if right[j].parts and not axes[letter].parts:
            axes[letter] = replace(axes[letter], parts=right[j].parts)
    free = [letter for letter in pattern.right if letter not in axes]
    columns = [axis for axis, letter in zip(right, pattern.right, strict=True) if letter in free]
    rows = [axis for letter, axis in axes.items() if letter in pattern.output]
    axes.update(zip(free, tell_apart(rows, columns), strict=True))
    shape = expand(closed(axes[letter] for letter in pattern.output), call.facts)
    return Outcome(_product(call, shape), event)


def _position(output: str, letter: str) -> int | None:
    return output.index(letter) if letter in output else None


def _added(call: Call, pattern: Pattern) -> Outcome:
    outcome = _fixed(call, pattern)
    bias, made = call.shape("bias"), outcome.value
    if outcome.clash is not None or bias is None or not isinstance(made, Tensor):
        return outcome
    if made.shape is None:
        return outcome
    spread = broadcast(made.shape, bias, call.facts)
    clash = stretch_clash(spread, made.shape, bias)
    return outcome if clash is None else Outcome(call.make(None), outcome.event, clash)


# -- products over the last axes -------------------------------------------------------------------


def dot(call: Call) -> Outcome:
    """The dot of numpy: the last axis of x with the last but one of y, without broadcasting.

    ``(..., k) . (..., k, m) -> (..., ..., m)``; a number on either side multiplies.
    """
    left, right = factor_shape(call, "x"), factor_shape(call, "y")
    if SCALAR in (left, right):
        return multiply(call)
    if left is None or right is None or (right.rank != 1 and least_rank(right) < 2):
        return Outcome(call.make(None))
    if right.rank == 1 or (right.closed and right.rank == 2):
        return _matmul(call, left, right)
    return _all_pairs(call, left, right, -2, "dot")


def inner(call: Call) -> Outcome:
    """The last axis of x with the last axis of y: ``(..., k), (..., k) -> (..., ...)``."""
    left, right = factor_shape(call, "x"), factor_shape(call, "y")
    if SCALAR in (left, right):
        return multiply(call)
    if left is None or right is None:
        return Outcome(call.make(None))
    return _all_pairs(call, left, right, -1, "inner")


def _all_pairs(call: Call, left: Shape, right: Shape, axis: int, style: str) -> Outcome:
    """The last axis of `left` with one of `right`; every other pair of axes in the result."""
    taken = split_trailing(left, 1, call.facts)
    given = split_trailing(right, -axis, call.facts)
    assert taken is not None and given is not None
    (rows, (inner_axis,)), (rest, tail) = taken, given
    pair = contract(inner_axis, tail[0], call.facts, style)
    clash = contraction_clash([pair])
    left_rank, right_rank = left.rank, right.rank
    if left_rank is None or right_rank is None:
        event = Contraction(style, (-1,), (axis,), (pair,))
    else:
        at = right_rank + axis
        kept = iter(range(left_rank - 1, left_rank + right_rank - 2))
        event = Contraction(
            style,
            (left_rank - 1,),
            (at,),
            (pair,),
            (*range(left_rank - 1), None),
            tuple(None if i == at else next(kept) for i in range(right_rank)),
        )
    if clash is not None:
        return failed(call, clash, event)
    shape = None
    if rest.closed:
        rows = expand(rows, call.facts)
        free = tell_apart(rows.lead + rows.trail, rest.lead + tail[1:])
        shape = append(rows, free)
    elif rows.closed:
        shape = Shape(rows.lead + rest.lead, rest.row, rest.trail + tail[1:])
    return Outcome(_product(call, shape), event)


# -- products over everything, and over chosen axes ------------------------------------------------


def flat_dot(call: Call) -> Outcome:
    """The vdot of numpy: both operands flattened, as many elements in each: ``-> ()``."""
    counts = [element_count(factor_shape(call, name)) for name in ("x", "y")]
    if counts[0] is not None and counts[1] is not None:
        verdict = call.facts.compare(counts[0], counts[1])
        if verdict.clashes:
            text = f"multiplies {counts[0]} elements with {counts[1]}"
            clash = Clash(Fault.CONTRACTION, text, 1, counts[0], counts[1], verdict)
            return failed(call, clash)
    return Outcome(_product(call, SCALAR), Contraction("vdot", (), (), ()))


def flat_outer(call: Call) -> Outcome:
    """The outer of numpy: all products of the elements of both operands: ``-> (n, m)``."""
    axes: list[Axis] = []
    for name in ("x", "y"):
        shape = factor_shape(call, name)
        if shape is not None and shape.rank == 1:
            axes += tell_apart(axes, shape.lead)
        else:
            axes.append(Axis(element_count(shape)))
    event = Contraction("outer", (), (), (), (0,), (1,))
    return Outcome(_product(call, closed(axes)), event)


def element_count(shape: Shape | None) -> Size | None:
    """The number of elements of a shape, or None if it is not known."""
    if shape is None or not shape.closed:
        return None
    sizes = shape.sizes()
    known = [size for size in sizes if size is not None]
    return product(known) if len(known) == len(sizes) else None


def tensordot(call: Call) -> Outcome:
    """A sum over chosen axes of each operand, or over the last n of x and the first n of y."""
    left, right = factor_shape(call, "x"), factor_shape(call, "y")
    axes = _tensordot_axes(call)
    if left is None or right is None or axes is None:
        return Outcome(call.make(None))
    sides = []
    for operand, (shape, numbers) in enumerate(zip((left, right), axes, strict=True)):
        found = locate(shape, numbers, call.facts)
        if isinstance(found, Clash):
            return failed(call, Clash(found.fault, found.text, operand))
        sides.append((expand(shape, call.facts), found[1]))
    if len(axes[0]) != len(axes[1]):
        text = f"pairs {axes_text(len(axes[0]))} with {len(axes[1])}"
        return failed(call, Clash(Fault.RANK, text, 1))
    return _over_axes(call, *sides[0], *sides[1])


def _tensordot_axes(call: Call) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    value = call.value("axes")
    count = 2 if value is None else as_integer(value)
    if count is not None:
        return tuple(range(-count, 0)), tuple(range(count))
    if not isinstance(value, Sequence) or value.items is None or len(value.items) != 2:
        return None
    sides = []
    for item in value.items:
        numbers = Call(call.facts, {"axes": item}, call.library, "").integers("axes")
        if numbers is None:
            return None
        sides.append(numbers)
    return sides[0], sides[1]


def _over_axes(
    call: Call, left: Shape, at_left: tuple[int, ...], right: Shape, at_right: tuple[int, ...]
) -> Outcome:
    if not left.closed or not right.closed:
        return Outcome(call.make(None))
    x, y = left.lead, right.lead
    pairs = [
        contract(x[i], y[j], call.facts, "tensordot")
        for i, j in zip(at_left, at_right, strict=True)
    ]
    rows = [i for i in range(len(x)) if i not in at_left]
    columns = [j for j in range(len(y)) if j not in at_right]
    event = Contraction(
        "tensordot",
        at_left,
        at_right,
        tuple(pairs),
        tuple(rows.index(i) if i in rows else None for i in range(len(x))),
        tuple(len(rows) + columns.index(j) if j in columns else None for j in range(len(y))),
    )
    # torch sums an axis of size 1 against any other; numpy does not.
    checked = [pair for pair in pairs if call.library != "torch" or not _has_one(pair)]
    clash = contraction_clash(checked)
    if clash is not None:
        return failed(call, clash, event)
    kept = [x[i] for i in rows]
    shape = closed([*kept, *tell_apart(kept, [y[j] for j in columns])])
    return Outcome(_product(call, expand(shape, call.facts)), event)


def _has_one(pair: Contracted) -> bool:
    return ONE in (pair.left.size, pair.right.size)
