"""Reductions: axes summed, averaged, maximised away.

One operator serves all of them, the table names the kind (``sum``); torch's ``max``, which with an
axis gives values and indices, and numpy's ``average``, which takes weights, are built on it.
"""

from __future__ import annotations

from attncheck.algebra.shape import SCALAR, Axis, Row, Shape, closed
from attncheck.algebra.size import ONE
from attncheck.operators.axes import Layout, is_bool, locate, shape_of_items, unknown_axis
from attncheck.operators.call import Call
from attncheck.operators.contraction import element_count
from attncheck.operators.elementwise import maximum, minimum
from attncheck.operators.events import Clash, Elementwise, Fault, Outcome, Reduction
from attncheck.operators.operands import dtype_of, is_number, operand_shape
from attncheck.values.tensor import Tensor
from attncheck.values.value import Scalar, Sequence, Value

_DTYPES = {
    "argmax": "int",
    "argmin": "int",
    "count_nonzero": "int",
    "all": "bool",
    "any": "bool",
}
#: Kinds that keep integers integers and booleans booleans.
_SELECTING = frozenset(
    ("max", "min", "median", "nanmedian", "nanmax", "nanmin", "cummax", "cummin")
)
#: Kinds that count booleans.
_ADDING = frozenset(("sum", "prod", "nansum", "cumsum", "cumprod"))


def reduce(call: Call) -> Outcome:
    """Reduce over ``axis`` (all axes if it is left out): ``(..., n, ...) -> (..., ...)``.

    With ``keepdims`` the axis stays, with size 1. An axis that the tensor does not have is a clash.
    """
    kind = call.text("kind") or "reduce"
    dtype = _dtype(call, kind)
    value = call.arguments.get("x")
    if value is not None and is_number(value):
        return Outcome(Scalar(dtype or "number"))
    shape, keepdims = operand_shape(call, "x"), call.flag("keepdims")
    if call.given("axis") and is_bool(call, "axis"):
        # torch: x.std(False) gives `unbiased`, not an axis.
        return Outcome(call.make(SCALAR, dtype), Reduction(kind, None, False))
    if keepdims is None or unknown_axis(call):
        return Outcome(call.make(None, dtype))
    axes = call.integers("axis")
    if axes is None or (axes == () and call.library == "torch"):
        return Outcome(
            call.make(_all_axes(shape, keepdims), dtype), Reduction(kind, None, keepdims)
        )
    if shape is None:
        return Outcome(call.make(None, dtype), Reduction(kind, axes, keepdims))
    if _one_element(shape, axes):
        # numpy takes some reductions of a number over axis 0 and refuses others.
        made = SCALAR if call.library == "torch" else None
        return Outcome(call.make(made, dtype), Reduction(kind, None, keepdims))
    found = locate(shape, axes, call.facts)
    if isinstance(found, Clash):
        return Outcome(call.make(None, dtype), None, found)
    layout, indices = found
    event = Reduction(kind, tuple(layout.number(index) for index in indices), keepdims)
    return Outcome(call.make(drop(layout, indices, keepdims), dtype), event)


def reduce_to_pair(call: Call) -> Outcome:
    """The max, min and median of torch: with ``axis`` the values and their indices, else the value.

    With a second tensor in its place ``max`` and ``min`` are elementwise.
    """
    for name in ("axis", "y"):
        second = call.value(name)
        if isinstance(second, Tensor):
            return _elementwise(call, second)
    outcome = reduce(call)
    if not call.given("axis"):
        return outcome
    if call.integer("axis") is None:
        return Outcome(call.make(None), outcome.event)  # it may as well be a tensor
    values = outcome.value
    indices = call.make(values.shape if isinstance(values, Tensor) else SCALAR, "int")
    return Outcome(Sequence((values, indices)), outcome.event, outcome.clash)


def _elementwise(call: Call, second: Tensor) -> Outcome:
    arguments: dict[str, Value] = {"x": call.arguments["x"], "y": second}
    kind = call.text("kind")
    inner = Call(call.facts, arguments, call.library, call.spelling, call.serial)
    if kind not in ("max", "min"):
        return Outcome(call.make(None))
    return maximum(inner) if kind == "max" else minimum(inner)


def moments(call: Call) -> Outcome:
    """The var_mean and std_mean of torch: two reductions at once."""
    outcome = reduce(call)
    return Outcome(Sequence((outcome.value, outcome.value)), outcome.event, outcome.clash)


def _dtype(call: Call, kind: str) -> str | None:
    if call.given("dtype"):
        return _DTYPES.get(kind)
    return dtype_after(kind, dtype_of(call.arguments.get("x")))


def dtype_after(kind: str, dtype: str | None) -> str | None:
    """The dtype that a reduction gives of elements of `dtype`."""
    if kind in _DTYPES:
        return _DTYPES[kind]
    if dtype == "float" or kind in _SELECTING:
        return dtype
    if kind in _ADDING:
        return "int" if dtype in ("int", "bool") else "number"
    return "float" if dtype is not None else None


def _all_axes(shape: Shape | None, keepdims: bool) -> Shape | None:
    if not keepdims:
        return SCALAR
    if shape is None or not shape.closed:
        return None
    return closed(kept_axis() for _ in shape.lead)


def _one_element(shape: Shape, axes: tuple[int, ...]) -> bool:
    """Whether a tensor of no axes is treated like one of a single axis."""
    return shape == SCALAR and axes in ((0,), (-1,))


def kept_axis() -> Axis:
    """The axis of size 1 that ``keepdims`` leaves."""
    return Axis(ONE, made="keepdims")


def drop(layout: Layout, indices: tuple[int, ...], keepdims: bool) -> Shape:
    """The layout's shape without some of its axes, or with size 1 in their places."""
    items: list[Axis | Row] = []
    for index, item in enumerate(layout.items):
        if index not in indices:
            items.append(item)
        elif keepdims:
            items.append(kept_axis())
    return shape_of_items(items)


def norm(call: Call) -> Outcome:
    """A vector norm over ``axis``, or over all axes; over two axes a matrix norm."""
    shape, axes = operand_shape(call, "x"), call.integers("axis")
    # torch.norm takes a vector norm over any number of axes, if it is given a number for p.
    numbered = call.given("order") and call.text("order") is None
    flattens = numbered and call.library == "torch" and ".linalg." not in call.spelling
    if axes is not None and len(axes) > 2 and not flattens:
        text = f"takes the norm over {len(axes)} axes, which neither a vector nor a matrix has"
        return Outcome(call.make(None), None, Clash(Fault.RANK, text))
    # torch.norm, unlike both libraries' linalg.norm, flattens.
    bounded = call.given("order") and ".linalg." in call.spelling and not call.given("axis")
    if bounded and shape is not None and shape.closed and len(shape.lead) not in (1, 2):
        text = f"takes the norm of a vector or a matrix, not of {shape}"
        return Outcome(call.make(None), None, Clash(Fault.RANK, text))
    return reduce(call)


def average(call: Call) -> Outcome:
    """The average of numpy: a mean, with weights of x's shape or along its one reduced axis."""
    shape, weights = call.shape("x"), call.shape("weights")
    if not call.given("weights") or shape is None or not shape.closed:
        return reduce(call)
    axes = call.integers("axis")
    if weights is None or not weights.closed or unknown_axis(call):
        return reduce(call)
    clash = _weights_clash(call, shape, weights, axes)
    return reduce(call) if clash is None else Outcome(call.make(None), None, clash)


def _weights_clash(
    call: Call, shape: Shape, weights: Shape, axes: tuple[int, ...] | None
) -> Clash | None:
    if len(weights.lead) != len(shape.lead):
        fits = axes is not None and len(weights.lead) == len(axes)
        if not fits or axes is None:
            text = f"weights {shape} with {weights}, which says no axis"
            return Clash(Fault.RANK, text, 1)
        found = locate(shape, axes, call.facts)
        if isinstance(found, Clash):
            return found
        shape = closed(found[0].axis(index) for index in found[1])
    for axis, weight in zip(shape.lead, weights.lead, strict=True):
        if axis.size is None or weight.size is None:
            continue
        verdict = call.facts.force(axis.size, weight.size, "weights")
        if verdict.clashes:
            text = f"weights an axis of {axis} with {weight} weights"
            return Clash(Fault.BROADCAST, text, 1, axis.size, weight.size, verdict)
    return None


def scan(call: Call) -> Outcome:
    """Running sums and their like: the shape of x; without an axis numpy flattens first."""
    kind = call.text("kind") or "scan"
    shape, dtype = operand_shape(call, "x"), _dtype(call, kind)
    event = Elementwise(kind, None)
    if isinstance(call.arguments.get("x"), Scalar):
        # What a comparison of two unknown values gives is no number for certain.
        return Outcome(call.make(None, dtype), event)
    if not call.given("axis"):
        flat = shape if shape is not None and shape.rank == 1 else None
        return Outcome(call.make(flat or closed([Axis(element_count(shape))]), dtype), event)
    axes = call.integers("axis")
    if shape is None or not axes:
        return Outcome(call.make(shape if axes is None else None, dtype), event)
    if call.library != "jax" and _one_element(shape, axes):
        made = shape if call.library == "torch" else closed([Axis(ONE)])
        return Outcome(call.make(made, dtype), event)
    found = locate(shape, axes, call.facts)
    if isinstance(found, Clash):
        return Outcome(call.make(None, dtype), event, found)
    layout, (index,) = found
    event = Elementwise(kind, None, layout.number(index))
    return Outcome(call.make(shape_of_items(layout.items), dtype), event)


def scan_pair(call: Call) -> Outcome:
    """The cummax and cummin of torch: the running extremes and where they stand."""
    outcome = scan(call)
    values = outcome.value
    assert isinstance(values, Tensor)
    places = call.make(values.shape, "int")
    return Outcome(Sequence((values, places)), outcome.event, outcome.clash)
