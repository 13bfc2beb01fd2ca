"""Products whose axes the call numbers: jax.lax.dot_general and batch_matmul.

Rule: jax.lax.dot_general. The result has the batch axes, then what is left of the left operand,
then what is left of the right one.
"""

from __future__ import annotations

from string import ascii_letters

from attncheck.algebra.shape import Shape
from attncheck.operators.axes import axes_text, out_of_range
from attncheck.operators.call import Call
from attncheck.operators.contraction import Pattern, by_pattern, matmul
from attncheck.operators.events import Clash, Fault, Outcome
from attncheck.operators.operands import operand_shape
from attncheck.record import replace
from attncheck.values.value import Sequence, Value

_Numbers = tuple[int, ...]


def dot_general(call: Call) -> Outcome:
    """A product of ``x`` and ``y`` over ``numbers``: ((left, right), (left batch, right batch))."""
    left, right = operand_shape(call, "x"), operand_shape(call, "y")
    numbers = _numbers(call)
    if left is None or right is None or numbers is None or not (left.closed and right.closed):
        return Outcome(call.make(None))
    (summed, batch) = numbers
    for operand, shape in enumerate((left, right)):
        named = (*summed[operand], *batch[operand])
        if any(not 0 <= axis < len(shape.lead) for axis in named):
            clash = out_of_range(named, shape)
            return Outcome(call.make(None), clash=replace(clash, operand=operand))
    for pair in numbers:
        if len(pair[0]) != len(pair[1]):
            text = f"pairs {axes_text(len(pair[0]))} with {len(pair[1])}"
            return Outcome(call.make(None), clash=Clash(Fault.RANK, text, 1))
    return by_pattern(call, _pattern(left, right, summed, batch), left.lead, right.lead)


def _pattern(
    left: Shape,
    right: Shape,
    summed: tuple[_Numbers, _Numbers],
    batch: tuple[_Numbers, _Numbers],
) -> Pattern:
    """A letter for each axis, one for both of a pair."""
    count = len(left.lead)
    x = list(ascii_letters[:count])
    y = list(ascii_letters[count : count + len(right.lead)])
    for mine, other in (*zip(*summed, strict=True), *zip(*batch, strict=True)):
        y[other] = x[mine]
    kept = [x[axis] for axis in batch[0]]
    gone = {x[axis] for axis in summed[0]}
    rows = [letter for letter in x if letter not in gone and letter not in kept]
    columns = [letter for letter in y if letter not in x]
    return Pattern("dot_general", "".join(x), "".join(y), "".join(kept + rows + columns))


def _numbers(call: Call) -> tuple[tuple[_Numbers, _Numbers], tuple[_Numbers, _Numbers]] | None:
    """((summed left, right), (batch left, right)), or None if not all of it is known."""
    pairs = _items(call.value("numbers"))
    sides = None if pairs is None else [_items(pair) for pair in pairs]
    if sides is None or len(sides) != 2:
        return None
    found: list[_Numbers] = []
    for side in sides:
        for item in side or ():
            numbers = _axes(call, item)
            if numbers is None:
                return None
            found.append(numbers)
    if len(found) != 4:
        return None
    return (found[0], found[1]), (found[2], found[3])


def _axes(call: Call, value: Value) -> _Numbers | None:
    if type(value) is Sequence and value.items == ():
        return ()
    return replace(call, arguments={"axes": value}).integers("axes")


def _items(value: Value | None) -> tuple[Value, ...] | None:
    return value.items if type(value) is Sequence else None


def batch_matmul(call: Call) -> Outcome:
    """A product of stacks of matrices of one rank, whose batch axes are not stretched."""
    left, right = operand_shape(call, "x"), operand_shape(call, "y")
    if left is None or right is None or not (left.closed and right.closed):
        return matmul(call)
    if len(left.lead) != len(right.lead) or len(left.lead) < 2:
        text = f"multiplies stacks of one rank, not {left} and {right}"
        return Outcome(call.make(None), clash=Clash(Fault.RANK, text, 1))
    batch = ascii_letters[: len(left.lead) - 2]
    pattern = Pattern("batch_matmul", f"{batch}XY", f"{batch}YZ", f"{batch}XZ")
    return by_pattern(call, pattern, left.lead, right.lead)
