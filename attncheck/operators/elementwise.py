"""Elementwise operations: every element of the result comes from one element of each operand.

They differ in what they are called and in what becomes of marks and dtype, so they are made from
two tables; the shape rule is broadcasting for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Items

from attncheck.algebra.broadcast import Broadcast, Pairing, broadcast_all
from attncheck.algebra.shape import Axis, Shape
from attncheck.operators.call import Call, Operator
from attncheck.operators.events import Clash, Elementwise, Fault, Outcome
from attncheck.operators.masking import masked_shapes, takes_masks
from attncheck.operators.operands import dtype_of, is_number, operand_shape
from attncheck.record import replace
from attncheck.values.tensor import NUMERIC
from attncheck.values.value import UNKNOWN, Scalar, Sequence, Value, as_powers, as_tensor

_ORDINALS = ("the last axis", "the second to last axis", "the third to last axis")


# -- broadcasting with a complaint -----------------------------------------------------------------


def combine(
    call: Call, symbol: str, verb: str, shapes: Items[Shape], dtype: str | None, keep: bool
) -> Outcome:
    """Broadcast `shapes`; `keep` says that the result still sums to one where an operand did."""
    spread = broadcast_all(shapes, call.facts)
    event = Elementwise(symbol, spread)
    clash = broadcast_clash(spread, verb, shapes)
    if clash is None and call.flag("in_place"):
        clash = _growing(spread, shapes[0], verb)
    if clash is not None:
        return Outcome(call.make(None, dtype), event, clash)
    shape = spread.shape
    if shape is not None and not keep:
        shape = without_marks(shape)
    return Outcome(call.make(shape, dtype), event)


def broadcast_clash(
    spread: Broadcast, verb: str, shapes: Items[Shape], operand: int = 1
) -> Clash | None:
    """The clash of the first axes that cannot be broadcast, or None."""
    for pairing in spread.clashes:
        assert pairing.left is not None and pairing.right is not None
        text = (
            f"{verb} {' and '.join(str(shape) for shape in shapes)}: "
            f"{pairing.left} meets {pairing.right} {_place(spread, pairing, shapes)}"
        )
        left, right = pairing.left.size, pairing.right.size
        return Clash(Fault.BROADCAST, text, operand, left, right, pairing.verdict)
    return None


def _place(spread: Broadcast, pairing: Pairing, shapes: Items[Shape]) -> str:
    """Where a pair of axes stands; of several shapes each is paired with those before it."""
    index, rank, end = spread.pairings.index(pairing), shapes[0].at_least, 0
    for shape in shapes[1:]:
        rank = max(rank, shape.at_least)
        end += rank
        if index < end:
            break
    behind = (end if len(shapes) > 2 else len(spread.pairings)) - 1 - index
    return f"on {_ORDINALS[behind]}" if behind < len(_ORDINALS) else f"{behind} axes from the end"


def _growing(spread: Broadcast, target: Shape, verb: str) -> Clash | None:
    """Why a result does not fit into its first operand, which it is written to, or None."""
    for pairing in spread.pairings:
        right = pairing.right
        if right is None or right.size is None:
            continue
        if pairing.left is None or (pairing.left.is_one and right.size.number not in (1, None)):
            text = f"{verb} in place, and the result has {right} where {target} has no such axis"
            left = None if pairing.left is None else pairing.left.size
            return Clash(Fault.BROADCAST, text, 1, left, right.size)
    return None


def without_marks(shape: Shape) -> Shape:
    """The shape with its axes no longer known to sum to one."""
    if not any(axis.normalised for axis in shape.lead + shape.trail):
        return shape
    return Shape(_unmarked(shape.lead), shape.row, _unmarked(shape.trail))


def _unmarked(axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
    return tuple(replace(a, normalised=frozenset()) if a.normalised else a for a in axes)


# -- two operands ----------------------------------------------------------------------------------

_Dtype = Callable[[str | None, str | None], str | None]


def _bool(left: str | None, right: str | None) -> str | None:
    return "bool"


def _common(left: str | None, right: str | None) -> str | None:
    """What arithmetic gives: float wins, integers stay; of truth values each library has its own.

    Numbers of whatever kind stay numbers.
    """
    if "float" in (left, right):
        return "float"
    pair = {left, right}
    if pair in ({"int"}, {"int", "bool"}):
        return "int"
    return None if pair.isdisjoint(NUMERIC) else "number"


def _true_division(left: str | None, right: str | None) -> str | None:
    return None if left is None or right is None else "float"


def _bits(left: str | None, right: str | None) -> str | None:
    return left if left == right else _common(left, right)


def _combine_named(
    call: Call,
    symbol: str,
    verb: str,
    names: Items[str],
    dtype: str | None,
    *,
    keep: bool = False,
) -> Outcome:
    """Broadcast the arguments `names`; a mask among them fits into the others."""
    shapes = [operand_shape(call, name) for name in names]
    known = [shape for shape in shapes if shape is not None]
    masked = masked_shapes(call, names)
    if len(known) == len(shapes):
        outcome = combine(call, symbol, verb, known, dtype, keep)
        if masked is None or outcome.clash is not None:
            return outcome
        event = outcome.event
    else:
        event = Elementwise(symbol, None)
    if masked is None:
        return Outcome(call.make(None, dtype), event)
    return replace(combine(call, symbol, verb, masked, dtype, keep), event=event)


def _binary(
    name: str, symbol: str, verb: str, dtype: _Dtype = _common, *, keep: bool = False
) -> Operator:
    """An operator of two operands ``x`` and ``y``."""

    def operator(call: Call) -> Outcome:
        x, y = call.arguments.get("x"), call.arguments.get("y")
        kind = dtype_of(x) if call.flag("in_place") else dtype(dtype_of(x), dtype_of(y))
        if x is not None and y is not None and is_number(x) and is_number(y):
            return Outcome(Scalar(kind or "number"))
        for index, given in enumerate((x, y) if symbol in _ARITHMETIC else ()):
            if given is not None and (clash := _several(given, index)) is not None:
                return Outcome(call.make(None, kind), Elementwise(symbol, None), clash)
        return _combine_named(call, symbol, verb, ("x", "y"), kind, keep=keep)

    operator.__name__ = operator.__qualname__ = name
    operator.__doc__ = f"``x {symbol} y``, broadcast."
    return operator


def _several(given: Value, operand: int) -> Clash | None:
    """Why what is no tensor, but several of torch's in a tuple, cannot be calculated with."""
    if type(given) is not Sequence or given.mutable or not given.items:
        return None
    first = as_tensor(given.items[0])
    if first is None or first.library != "torch":
        return None
    return Clash(Fault.RANK, f"takes a tensor, not {len(given.items)} values in a tuple", operand)


#: What torch does not do with tuples.
_ARITHMETIC = frozenset(["+", "-", "*", "/"])

add = _binary("add", "+", "adds", keep=True)
subtract = _binary("subtract", "-", "subtracts", keep=True)
multiply = _binary("multiply", "*", "multiplies", keep=True)
divide = _binary("divide", "/", "divides", _true_division, keep=True)
floor_divide = _binary("floor_divide", "//", "divides")
remainder = _binary("remainder", "%", "takes the remainder of")
power = _binary("power", "**", "raises to a power")
maximum = _binary("maximum", "maximum", "takes the larger of", _bits)
minimum = _binary("minimum", "minimum", "takes the smaller of", _bits)
arctan2 = _binary("arctan2", "arctan2", "takes the angle of", _true_division)

log_add = _binary("log_add", "logaddexp", "adds", _true_division)
multiply_log = _binary("multiply_log", "xlogy", "multiplies", _true_division)

equal = _binary("equal", "==", "compares", _bool)
not_equal = _binary("not_equal", "!=", "compares", _bool)
less = _binary("less", "<", "compares", _bool)
less_equal = _binary("less_equal", "<=", "compares", _bool)
greater = _binary("greater", ">", "compares", _bool)
greater_equal = _binary("greater_equal", ">=", "compares", _bool)
isclose = _binary("isclose", "isclose", "compares", _bool)

logical_and = _binary("logical_and", "and", "combines", _bool)
logical_or = _binary("logical_or", "or", "combines", _bool)
logical_xor = _binary("logical_xor", "xor", "combines", _bool)
bit_and = _binary("bit_and", "&", "combines", _bits)
bit_or = _binary("bit_or", "|", "combines", _bits)
bit_xor = _binary("bit_xor", "^", "combines", _bits)
shift_left = _binary("shift_left", "<<", "shifts")
shift_right = _binary("shift_right", ">>", "shifts")


def allclose(call: Call) -> Outcome:
    """Whether two tensors are nearly equal: one bool, but their shapes must broadcast."""
    outcome = isclose(call)
    return Outcome(Scalar("bool"), outcome.event, outcome.clash)


def same_array(call: Call) -> Outcome:
    """Whether two tensors have equal shapes and elements: one bool, whatever the shapes."""
    return Outcome(Scalar("bool"))


# -- one operand -----------------------------------------------------------------------------------

#: Functions of one operand whose result dtype is that of the operand.
_SAME_DTYPE = frozenset(
    (
        "negative",
        "positive",
        "absolute",
        "invert",
        "relu",
        "sign",
        "floor",
        "ceil",
        "round",
        "trunc",
        "square",
        "nan_to_num",
    )
)
_GIVES_BOOL = frozenset(("isnan", "isinf", "isfinite", "logical_not"))


def unary(call: Call) -> Outcome:
    """A function of each element, named by the argument ``symbol``."""
    return _unary(call, call.text("symbol") or "unary")


def negative(call: Call) -> Outcome:
    """``-x``."""
    return _unary(call, "negative")


def positive(call: Call) -> Outcome:
    """``+x``."""
    return _unary(call, "positive")


def invert(call: Call) -> Outcome:
    """``~x``."""
    return _unary(call, "invert")


def dropout(call: Call) -> Outcome:
    """Dropout: a tensor like x, whose weights are still the weights for rules that follow them."""
    tensor = call.tensor("x")
    shape = None if tensor is None else tensor.shape
    return Outcome(call.make(shape, dtype_of(tensor)), Elementwise("dropout", None))


def sqrt(call: Call) -> Outcome:
    """The square root; of a size, a number that remembers whose root it is."""
    value = call.arguments.get("x")
    powers = None if value is None or not is_number(value) else as_powers(value)
    if powers is not None:
        return Outcome(Scalar("float", powers.to(0.5)))
    return _unary(call, "sqrt")


def _unary(call: Call, symbol: str) -> Outcome:
    value = call.arguments.get("x")
    dtype = dtype_of(value)
    if not call.flag("in_place"):
        dtype = _unary_dtype(symbol, dtype)
    if value is not None and is_number(value):
        return Outcome(Scalar(dtype or "number"))
    shape = operand_shape(call, "x")
    made = None if shape is None else without_marks(shape)
    return Outcome(call.make(made, dtype), Elementwise(symbol, None))


def _unary_dtype(symbol: str, dtype: str | None) -> str | None:
    if symbol in _GIVES_BOOL:
        return "bool"
    if symbol in _SAME_DTYPE or dtype == "float":
        return dtype
    # numpy's reciprocal of an integer is an integer, torch's is none.
    return "float" if dtype is not None and symbol != "reciprocal" else None


# -- three operands --------------------------------------------------------------------------------


def where(call: Call) -> Outcome:
    """``x`` where the condition holds, else ``y``; all three broadcast.

    With the condition alone: one vector of indices for each of its axes, of unknown length.
    """
    condition = operand_shape(call, "condition")
    if not call.given("x") and not call.given("y"):
        return Outcome(_indices(call, condition))
    dtypes = dtype_of(call.arguments.get("x")), dtype_of(call.arguments.get("y"))
    return _combine_named(call, "where", "chooses from", ("condition", "x", "y"), _bits(*dtypes))


def _indices(call: Call, condition: Shape | None) -> Value:
    if call.library == "tensorflow":
        # A matrix of them in TensorFlow, a vector for each axis in Keras.
        return UNKNOWN
    vector = call.make(Shape((Axis(None),)), "int")
    if condition is None or not condition.closed:
        return Sequence(None, element=vector)
    return Sequence((vector,) * len(condition.lead))


def masked_fill(call: Call) -> Outcome:
    """``x`` with a number where the mask is true; mask and x broadcast, in place only the mask.

    The mask is taken to fit into x, as torch's documentation asks of it; one that certainly has
    more axes adds some, and an axis of 1 may be stretched.
    """
    tensor = call.tensor("x")
    dtype = dtype_of(tensor)
    filled, mask = operand_shape(call, "x"), operand_shape(call, "mask")
    if filled is None:
        return Outcome(call.make(None, dtype), Elementwise("masked_fill", None))
    if mask is None:
        shape = without_marks(filled) if takes_masks(filled) else None
        return Outcome(call.make(shape, dtype), Elementwise("masked_fill", None))
    outcome = combine(call, "masked_fill", "fills", (filled, mask), dtype, keep=False)
    if outcome.clash is not None or not takes_masks(filled):
        return outcome
    if mask.at_least > len(filled.lead):
        return outcome
    return replace(outcome, value=call.make(without_marks(filled), dtype))


def clip(call: Call) -> Outcome:
    """``x`` held between two bounds, which broadcast with it."""
    return _with_others(call, "clip", "clips", "low", "high")


def blend(call: Call) -> Outcome:
    """lerp, addcmul, addcdiv: ``x`` and a mix of ``y`` and ``z``, all broadcast."""
    return _with_others(call, "blend", "blends", "y", "z")


def _with_others(call: Call, symbol: str, verb: str, *others: str) -> Outcome:
    names = ["x", *(name for name in others if call.given(name))]
    shapes = [operand_shape(call, name) for name in names]
    known = [shape for shape in shapes if shape is not None]
    kinds = {dtype_of(call.arguments.get(name)) for name in names}
    dtype = kinds.pop() if len(kinds) == 1 else None
    if len(known) < len(shapes):
        return Outcome(call.make(None, dtype), Elementwise(symbol, None))
    return combine(call, symbol, verb, known, dtype, keep=False)
