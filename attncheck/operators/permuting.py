"""Axes in another order: transposes, permutations, moved axes. Axes keep their identity."""

from __future__ import annotations

from attncheck.algebra.shape import Row, Shape, closed
from attncheck.operators.axes import (
    Layout,
    axes_text,
    expose,
    least_rank,
    locate,
    out_of_range,
    shape_of_items,
    with_rank,
)
from attncheck.operators.call import Call
from attncheck.operators.events import Clash, Fault, Outcome, Permutation
from attncheck.operators.operands import dtype_of, operand_shape
from attncheck.values.value import Sequence


def _result(call: Call, shape: Shape | None, order: tuple[int, ...] | None) -> Outcome:
    name = call.spelling.rpartition(".")[2]
    event = None if order is None else Permutation(order, name)
    return Outcome(call.make(shape, dtype_of(call.tensor("x"))), event)


def _refused(call: Call, clash: Clash) -> Outcome:
    return Outcome(call.make(None, dtype_of(call.tensor("x"))), None, clash)


def permute(call: Call) -> Outcome:
    """The transpose of numpy: axis i of the result is axis ``axes[i]`` of x.

    As many axes must be named as x has, each once; without ``axes`` they are reversed.
    """
    if call.value("axes") in (None, Sequence(())):
        return reverse(call)
    x, axes = call.tensor("x"), call.integers("axes")
    if x is not None and x.library is None and axes and {*axes} != {*range(len(axes))}:
        # ``x.transpose(1, 2)`` of what nobody knows to be NumPy's is another library's.
        return Outcome(call.make(None, dtype_of(x)))
    return permute_all(call)


def permute_all(call: Call) -> Outcome:
    """The permute of torch: every axis must be named."""
    shape = operand_shape(call, "x")
    axes = call.integers("axes")
    if axes is None:
        return Outcome(call.make(None, dtype_of(call.tensor("x"))))
    if shape is None:
        return _result(call, None, None)
    made = with_rank(shape, len(axes), call.facts)
    if isinstance(made, Clash):
        text = f"orders {axes_text(len(axes))}, but {shape} has another number of them"
        return _refused(call, Clash(Fault.RANK, text))
    if made is None:
        return _result(call, None, None)
    found = locate(made, axes, call.facts)
    if isinstance(found, Clash):
        return _refused(call, found)
    layout, order = found
    return _result(call, closed(layout.axis(index) for index in order), order)


def reverse(call: Call) -> Outcome:
    """``x.T``: all axes in reverse order."""
    shape = operand_shape(call, "x")
    if shape is None:
        return _result(call, None, None)
    if shape.row is not None:
        # What stands between the known ends is reversed too: another unknown middle.
        turned = Row(f"{shape.row.name}_T")
        return _result(call, Shape(shape.trail[::-1], turned, shape.lead[::-1]), None)
    order = tuple(reversed(range(len(shape.lead))))
    return _result(call, closed(shape.lead[index] for index in order), order)


def matrix_transpose(call: Call) -> Outcome:
    """``x.mT``: the last two axes swapped; x must have two, in torch it may also have none."""
    shape = operand_shape(call, "x")
    if shape is not None and shape.rank == 0 and call.library == "torch":
        return _result(call, shape, ())
    return _swapped(call, -2, -1)


def transpose_two(call: Call) -> Outcome:
    """The ``H`` of torch: a matrix transposed; a tensor of no axes stays, others are refused."""
    shape = operand_shape(call, "x")
    if shape is None or shape.rank == 0:
        return _result(call, shape, None)
    made = with_rank(shape, 2, call.facts)
    if isinstance(made, Clash):
        return _refused(call, made)
    return _swapped(call, 0, 1)


def transpose_matrix(call: Call) -> Outcome:
    """The ``t()`` of torch: a matrix transposed; with fewer axes as it was, with more refused."""
    shape = operand_shape(call, "x")
    if shape is not None and least_rank(shape) > 2:
        return _refused(call, Clash(Fault.RANK, f"takes at most 2 axes, not {shape}"))
    return reverse(call)


def swap(call: Call) -> Outcome:
    """Two axes swapped: torch's transpose, numpy's swapaxes."""
    first, second = call.integer("first"), call.integer("second")
    if first is None or second is None:
        return _result(call, None, None)
    return _swapped(call, first, second)


def _swapped(call: Call, first: int, second: int) -> Outcome:
    shape = operand_shape(call, "x")
    if shape is None:
        return _result(call, None, None)
    if shape.rank == 0 and call.library == "torch" and {first, second} <= {0, -1}:
        return _result(call, shape, ())
    shown = expose(shape, (first, second), call.facts)
    if shown is None:
        return _refused(call, out_of_range((first, second), shape))
    layout = Layout.of(shown)
    i, j = layout.find(first), layout.find(second)
    if i is None or j is None:
        return _refused(call, out_of_range((first, second), shape))
    items = list(layout.items)
    items[i], items[j] = items[j], items[i]
    order = None
    if shape.closed:
        numbers = list(range(len(items)))
        numbers[i], numbers[j] = j, i
        order = tuple(numbers)
    return _result(call, shape_of_items(items), order)


def move(call: Call) -> Outcome:
    """Move axes: the axes ``source`` put at ``target``, the others closing up."""
    source, target = call.integers("source"), call.integers("target")
    shape = operand_shape(call, "x")
    if source is None or target is None or shape is None:
        return _result(call, None, None)
    if len(source) != len(target):
        text = f"moves {axes_text(len(source))} to {len(target)} places"
        return _refused(call, Clash(Fault.AXIS, text))
    return _moved(call, shape, source, target)


def _moved(call: Call, shape: Shape, source: tuple[int, ...], target: tuple[int, ...]) -> Outcome:
    if not shape.closed:
        return _result(call, _moved_open(call, shape, source, target), None)
    if shape.rank == 0 and call.library == "torch" and {*source, *target} <= {0, -1}:
        return _result(call, shape, ())
    numbers = []
    for axes in (source, target):
        found = locate(shape, axes, call.facts)
        if isinstance(found, Clash):
            return _refused(call, found)
        numbers.append(found[1])
    rest = iter(i for i in range(len(shape.lead)) if i not in numbers[0])
    to = dict(zip(numbers[1], numbers[0], strict=True))
    order = tuple(to[i] if i in to else next(rest) for i in range(len(shape.lead)))
    return _result(call, closed(shape.lead[i] for i in order), order)


def _moved_open(
    call: Call, shape: Shape, source: tuple[int, ...], target: tuple[int, ...]
) -> Shape | None:
    """One axis moved to an end of an open shape; None for what else is asked."""
    if len(source) != 1 or target[0] not in (0, -1):
        return None
    found = locate(shape, source, call.facts)
    assert not isinstance(found, Clash)
    layout, (index,) = found
    moved = layout.axis(index)
    items = [*layout.items[:index], *layout.items[index + 1 :]]
    return shape_of_items([moved, *items] if target[0] == 0 else [*items, moved])
