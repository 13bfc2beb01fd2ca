"""Questions about a tensor: its shape, its rank, its length, its one element."""

from __future__ import annotations

from attncheck.algebra.bounds import at_least
from attncheck.algebra.broadcast import broadcast
from attncheck.algebra.shape import SCALAR, Axis, Shape, leading_axis
from attncheck.algebra.size import ONE, Size, const
from attncheck.operators.call import Call
from attncheck.operators.elementwise import broadcast_clash
from attncheck.operators.events import Clash, Fault, Outcome
from attncheck.operators.literals import literal_shape
from attncheck.operators.operands import dtype_of
from attncheck.operators.seats import axis_clash, seat
from attncheck.record import replace
from attncheck.values.value import UNKNOWN, Int, Scalar, Sequence, ShapeOf, Value, as_tensor


def _shape(call: Call) -> Shape | None:
    """The shape of ``x``, which may be a nested list."""
    value = call.value("x")
    if value is None or as_tensor(value) is not None:
        return call.shape("x")
    return literal_shape(value, call.facts)[0]


def shape(call: Call) -> Outcome:
    """``x.shape``: the tuple of its sizes; of an open shape, what there is to find out.

    Whatever the tensor is, the items are integers.
    """
    found = _shape(call)
    if found is None:
        return Outcome(Sequence(None, element=Int(None)))
    if not found.closed:
        return Outcome(ShapeOf(found))
    return Outcome(Sequence(tuple(Int(size) for size in found.sizes())))


def size(call: Call) -> Outcome:
    """``x.size()``, ``x.size(1)``: all sizes, or one. Clashes if there is no such axis."""
    if not call.given("axis"):
        return shape(call)
    found, axis = _shape(call), call.integer("axis")
    if found is None or axis is None:
        return Outcome(Int(None))
    if axis >= 0:
        known = leading_axis(found, axis, call.facts)
    else:
        place = seat(found, axis, call.facts)
        known = None if place is None else place.axis
    if known is None:
        return Outcome(Int(None), clash=axis_clash(found, axis, call.facts))
    return Outcome(Int(known.size))


def count(call: Call) -> Outcome:
    """``x.numel()``, numpy's ``x.size``: the number of elements; along one ``axis`` if given."""
    if call.given("axis"):
        return size(call)
    found = _shape(call)
    return Outcome(Int(None if found is None else elements(found)))


def elements(shape: Shape) -> Size | None:
    """The number of elements of a shape; None where not every size is known."""
    if not shape.closed:
        return None
    total = ONE
    for axis in shape.lead:
        if axis.size is None:
            return None
        total = total * axis.size
    return total


def rank(call: Call) -> Outcome:
    """``x.dim()``, ``x.ndim``: the number of axes."""
    found = _shape(call)
    known = None if found is None else found.rank
    return Outcome(Int(None if known is None else const(known)))


def length(call: Call) -> Outcome:
    """``len(x)``: the size of the first axis. Clashes if there is none."""
    found = call.shape("x")
    if found is None:
        return Outcome(Int(None))
    first = leading_axis(found, 0, call.facts)
    if first is None:
        text = f"takes the length of {found}, which has no axis"
        return Outcome(Int(None), clash=Clash(Fault.RANK, text))
    return Outcome(Int(first.size))


def item(call: Call) -> Outcome:
    """``x.item()``: the one element. Clashes if there are provably more; numpy's takes an index."""
    dtype = dtype_of(call.arguments.get("x"))
    value = _number(dtype)
    total = None if call.shape("x") is None else elements(call.shape("x") or SCALAR)
    index = call.value("index")
    if type(index) is Sequence and index.items == ():
        index = None
    if total is None or index is not None or not at_least(total, const(2)):
        return Outcome(value)
    text = f"takes the one element of {call.shape('x')}"
    return Outcome(value, clash=Clash(Fault.COUNT, text, 0, total, ONE))


def _number(dtype: str | None) -> Value:
    return Int(None) if dtype == "int" else Scalar(dtype or "number")


def listed(call: Call) -> Outcome:
    """``x.tolist()``: nested lists of numbers."""
    found = call.shape("x")
    number = _number(dtype_of(call.arguments.get("x")))
    if found is None or not found.closed:
        return call.unknown()
    value: Value = number
    for axis in reversed(found.lead):
        value = Sequence(None, mutable=True, element=value, length=axis.size)
    return Outcome(value)


def common_shape(call: Call) -> Outcome:
    """numpy.broadcast_shapes, torch.broadcast_shapes: what tuples of sizes broadcast to."""
    value = call.value("shapes")
    if type(value) is not Sequence or value.items is None:
        return call.unknown()
    made = SCALAR
    for entry in value.items:
        sizes = Call(call.facts, {"s": entry}, call.library, "").sizes("s")
        if sizes is None:
            return call.unknown()
        entry_shape = Shape(tuple(Axis(size) for size in sizes))
        step = broadcast(made, entry_shape, call.facts)
        clash = broadcast_clash(step, "broadcasts", (made, entry_shape))
        if clash is not None:
            return Outcome(UNKNOWN, clash=clash)
        if step.shape is None:
            return call.unknown()
        made = step.shape
    return Outcome(Sequence(tuple(Int(axis.size) for axis in made.lead)))


def sizes(call: Call) -> Outcome:
    """torch.Size: the tuple of sizes that it is made of."""
    value = call.arguments["sizes"]
    if type(value) is not Sequence:
        return Outcome(value if type(value) is ShapeOf else UNKNOWN)
    return Outcome(replace(value, mutable=False))


def answer(call: Call) -> Outcome:
    """A question that no shape answers: true or false, or what it is ``always``."""
    return Outcome(call.arguments.get("always", Scalar("bool")))
