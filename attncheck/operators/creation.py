"""Tensors made from sizes, from data, and after the model of other tensors."""

from __future__ import annotations

import re

from attncheck.algebra.bounds import never_negative
from attncheck.algebra.broadcast import broadcast_all
from attncheck.algebra.shape import SCALAR, Axis, Shape, expand
from attncheck.algebra.size import ONE, ZERO, Size, const
from attncheck.operators.call import Call
from attncheck.operators.elementwise import broadcast_clash, without_marks
from attncheck.operators.events import Clash, Creation, Elementwise, Fault, Outcome
from attncheck.operators.literals import literal_shape, ragged
from attncheck.operators.operands import dtype_of, operand_shape
from attncheck.operators.seats import rank_clash
from attncheck.operators.slicing import ceiling
from attncheck.record import replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import (
    NONE,
    Const,
    Int,
    Library,
    Parameter,
    Scalar,
    Sequence,
    Value,
    as_size,
    as_tensor,
    is_truth,
)

#: Names of arguments that are one number. Others (`size`, `img_size`, `out_shape`) are a number in
#: one program and a tuple in the next.
_NUMBER_NAME = re.compile(
    r".|(.*_)?(n|num|d|dim|len|length|max|count|hidden|units|steps|batch|vocab|seq|embed)(_.*)?"
)


# -- from sizes --------------------------------------------------------------------------------


def filled(call: Call) -> Outcome:
    """zeros, ones, empty, full, rand, randn: a tensor of the sizes in ``shape``.

    The table fixes ``dtype_is`` and the ``kind`` of the event. Clashes with a negative size.
    """
    shape, clash = _sizes(call)
    return Outcome(call.make(shape, _fill_dtype(call)), _event(call), clash)


def _sizes(call: Call) -> tuple[Shape | None, Clash | None]:
    value = call.value("shape")
    sizes = call.sizes("shape")
    if type(value) is Parameter and _NUMBER_NAME.fullmatch(value.name):
        sizes = [call.size("shape")]
    if sizes is None:
        return None, None
    for size in sizes:
        if size is not None and never_negative(-size - 1):
            return None, Clash(Fault.COUNT, f"makes an axis of size {size}", 0, size)
    return Shape(tuple(Axis(size) for size in sizes)), None


def _fill_dtype(call: Call) -> str | None:
    if call.given("dtype"):
        return _named_dtype(call.value("dtype"))
    fixed = call.text("dtype_is")
    return fixed if fixed is not None else dtype_of(call.arguments.get("value"))


#: Names that dtype arguments end in: ``torch.long``, ``np.float32``, ``int``, ``"bool"``.
_KINDS = (("bool", "bool"), ("uint", "int"), ("int", "int"), ("long", "int"), ("float", "float"))


def _named_dtype(value: Value | None) -> str | None:
    """The dtype category that a dtype argument names."""
    name = ""
    if type(value) is Library:
        name = value.path.rpartition(".")[2]
    elif type(value) is Const and isinstance(value.value, str):
        name = value.value
    if name in {"double", "half", "bfloat16"}:
        return "float"
    return next((kind for start, kind in _KINDS if name.startswith(start)), None)


def _event(call: Call) -> Creation:
    return Creation(call.text("kind") or call.spelling.rpartition(".")[2])


def square(call: Call) -> Outcome:
    """eye, identity, tri: (``rows``, ``columns``), square if there is one number only."""
    rows = call.size("rows")
    columns = call.size("columns") if call.given("columns") else rows
    dtype = _named_dtype(call.value("dtype")) if call.given("dtype") else "float"
    return Outcome(call.make(Shape((Axis(rows), Axis(columns))), dtype), _event(call))


def stacked_square(call: Call) -> Outcome:
    """tf.eye: like `square`, as often as ``batch_shape`` says."""
    outcome = square(call)
    if not call.given("batch_shape"):
        return outcome
    made, batch = outcome.value, call.sizes("batch_shape")
    assert type(made) is Tensor and made.shape is not None
    whole = None if batch is None else Shape((*map(Axis, batch), *made.shape.lead))
    return replace(outcome, value=made.with_shape(whole))


def arange(call: Call) -> Outcome:
    """arange: the numbers from ``start`` to ``stop``; with one argument, from 0.

    An axis of ``stop - start`` (divided by the step, rounded up) where these are integers.
    """
    start, stop = call.arguments.get("start"), call.arguments.get("stop")
    if stop is None or (type(stop) is Const and stop.value is None):
        start, stop = Int(ZERO), start
    step = call.arguments.get("step") or Int(ONE)
    bounds = [None if value is None else _resolved(value, call) for value in (start, stop, step)]
    size, clash = _steps(bounds[0], bounds[1], bounds[2], call)
    kinds = {dtype_of(value) for value in (start, stop, step)}
    dtype: str | None = "float" if "float" in kinds else "int" if kinds == {"int"} else "number"
    if call.given("dtype"):
        dtype = _named_dtype(call.value("dtype"))
    return Outcome(call.make(Shape((Axis(size),)), dtype), _event(call), clash)


def _resolved(value: Value, call: Call) -> Size | None:
    """A bound or a step as a size; ``2.0`` counts like 2."""
    number = value.value if type(value) is Const else None
    size = as_size(value)
    if isinstance(number, float) and number.is_integer():
        size = const(int(number))
    return None if size is None else call.facts.resolve(size)


def _steps(
    start: Size | None, stop: Size | None, step: Size | None, call: Call
) -> tuple[Size | None, Clash | None]:
    """How many steps lead from `start` to `stop`; torch refuses a range that runs backwards."""
    number = None if step is None else step.number
    if start is None or stop is None or not number:
        return None, None
    length = stop - start if number > 0 else start - stop
    if call.library == "torch":
        if never_negative(-length - 1):
            text = f"counts from {start} to {stop} in steps of {number}"
            return None, Clash(Fault.COUNT, text, 0, start, stop)
    elif not never_negative(length):
        return (ZERO if never_negative(-length) else None), None
    return length if abs(number) == 1 else ceiling(length, const(abs(number)), call.facts), None


def spaced(call: Call) -> Outcome:
    """linspace, logspace: ``count`` numbers; NumPy's need 50 if it is left out."""
    default = const(50) if call.like_numpy else None
    count = call.size("count") if call.given("count") else default
    ends = [operand_shape(call, name) for name in ("start", "stop")]
    if any(shape is not SCALAR for shape in ends if shape is not None):
        return Outcome(call.make(None, "float"), _event(call))
    dtype = "float" if not call.given("dtype") else _named_dtype(call.value("dtype"))
    return Outcome(call.make(Shape((Axis(count),)), dtype), _event(call))


def histogram(call: Call) -> Outcome:
    """histc: how many elements fall into each of ``count`` bins, 100 if that is left out."""
    count = call.size("count") if call.given("count") else const(100)
    return Outcome(call.make(Shape((Axis(count),)), dtype_of(call.arguments.get("x"))))


def index_pairs(call: Call) -> Outcome:
    """torch.tril_indices, triu_indices: (2, n), n unknown."""
    return Outcome(call.make(Shape((Axis(const(2)), Axis(None))), "int"), _event(call))


def index_vectors(call: Call) -> Outcome:
    """numpy.tril_indices and others: a pair of vectors of unknown length."""
    vector = call.make(Shape((Axis(None),)), "int")
    return Outcome(Sequence((vector, vector)), _event(call))


# -- random numbers ----------------------------------------------------------------------------


def sampled(call: Call) -> Outcome:
    """Samplers of numpy: of the sizes in ``shape``; without it, of the parameters' common shape."""
    dtype = call.text("dtype_is")
    if call.given("shape"):
        return filled(call)
    names = (call.text("parameters") or "").split()
    shapes = [operand_shape(call, name) for name in names if call.given(name)]
    known = [shape for shape in shapes if shape is not None and shape.closed]
    if len(known) < len(shapes):
        return Outcome(call.make(None, dtype), _event(call))
    if all(not shape.lead for shape in known):
        return Outcome(Scalar(dtype or "float"), _event(call))
    made = broadcast_all(known, call.facts)
    clash = broadcast_clash(made, "takes parameters of", known)
    if clash is not None:
        return Outcome(call.make(None, dtype), _event(call), clash)
    return Outcome(call.make(made.shape, dtype), _event(call))


def normal(call: Call) -> Outcome:
    """torch.normal: of the sizes in ``shape``, or of the shape of its tensors."""
    return filled(call) if call.given("shape") else sampled(call)


def sampled_sizes(call: Call) -> Outcome:
    """numpy.random.rand, randn: the sizes are the arguments; a number without any."""
    first = call.value("first")
    if first is None:
        return Outcome(Scalar("float"), _event(call))
    if type(first) is Sequence:
        text = "takes its sizes as separate arguments, not as a tuple"
        return Outcome(call.make(None, "float"), _event(call), Clash(Fault.RANK, text))
    sizes = _with_rest(call, first)
    return Outcome(call.make(None, "float"), _event(call)) if sizes is None else filled(sizes)


_NO_MORE = Sequence(())


def _with_rest(call: Call, first: Value) -> Call | None:
    """The call with all sizes in ``shape``: one alone behind the first is ``rest`` itself."""
    rest = call.arguments.get("rest", _NO_MORE)
    items = rest.items if type(rest) is Sequence else (rest,)
    if items is None:
        return None
    return replace(call, arguments=call.arguments | {"shape": Sequence((first, *items))})


def integers(call: Call) -> Outcome:
    """randint: integers below ``high`` or from ``low`` on.

    torch.randint(high, size) and torch.randint(low, high, size) differ in where the sizes stand.
    """
    if not call.given("shape") and call.library == "torch":
        high = call.value("high")
        if type(high) is Int or high is None:
            return Outcome(call.make(None, "int"), _event(call))
        call = replace(call, arguments=call.arguments | {"shape": high})
    return sampled(call)


def permutation(call: Call) -> Outcome:
    """randperm, permutation: of n numbers, or of the rows of a tensor, which torch does not take.

    n may also be an array without axes, or a number that nobody knows: ``randperm(lengths[i])``.
    """
    value = call.value("x")
    if call.library == "torch":
        made = call.make(Shape((Axis(call.size("x")),)), _fill_dtype(call))
        return Outcome(made, _event(call))
    if value is None or type(value) is Parameter:
        return Outcome(call.make(None), _event(call))
    shape, dtype = literal_shape(value, call.facts)
    if shape == SCALAR:
        return Outcome(call.make(Shape((Axis(call.size("x")),)), "int"), _event(call))
    return Outcome(call.make(None if shape is None else without_marks(shape), dtype), _event(call))


def choice(call: Call) -> Outcome:
    """Choice: from the first axis of ``x`` (or from a range), of the sizes in ``shape``."""
    value = call.value("x")
    dtype = "int" if type(value) is Int else None
    inner: Shape | None = SCALAR
    if value is not None and type(value) is not Int:
        inner, dtype = literal_shape(value, call.facts)
        inner = None if inner is None or not inner.closed else Shape(inner.lead[1:])
    if inner is None or (inner.lead and call.given("axis")):
        return Outcome(call.make(None, dtype), _event(call))
    if not call.given("shape"):
        whole = Scalar(dtype or "number") if not inner.lead else call.make(inner, dtype)
        return Outcome(whole, _event(call))
    shape, clash = _sizes(call)
    made = None if shape is None else Shape(shape.lead + inner.lead)
    return Outcome(call.make(made, dtype), _event(call), clash)


def multinomial(call: Call) -> Outcome:
    """torch.multinomial: (n,) or (m, n) weights to ``count`` indices in place of the last axis."""
    shape = call.shape("x")
    if shape is None or shape.rank is None:
        return Outcome(call.make(None, "int"), _event(call))
    if shape.rank not in (1, 2):
        text = f"takes one or two axes, not {shape}"
        return Outcome(call.make(None, "int"), clash=Clash(Fault.RANK, text))
    count = Axis(call.size("count") if call.given("count") else ONE)
    return Outcome(call.make(Shape((*without_marks(shape).lead[:-1], count)), "int"), _event(call))


def generator(call: Call) -> Outcome:
    """default_rng, RandomState, Generator: the object whose methods draw; ``path`` is its class."""
    return Outcome(Library(call.text("path") or ""))


def nothing(call: Call) -> Outcome:
    """Functions called for their effect: they give None."""
    return Outcome(NONE)


# -- after a model -----------------------------------------------------------------------------


def like(call: Call) -> Outcome:
    """zeros_like and others: the shape of ``x``; NumPy's take another ``shape`` by keyword."""
    tensor, dtype = call.tensor("x"), call.text("dtype_is")
    if call.given("dtype"):
        dtype = _named_dtype(call.value("dtype"))
    elif dtype is None:
        dtype = dtype_of(call.arguments.get("x"))
    if call.given("shape"):
        shape, clash = _sizes(call)
        return Outcome(call.make(shape, dtype), _event(call), clash)
    if tensor is None:
        value = call.value("x")
        shape = None if value is None else literal_shape(value, call.facts)[0]
    else:
        shape = tensor.shape
    return Outcome(call.make(None if shape is None else without_marks(shape), dtype), _event(call))


def new(call: Call) -> Outcome:
    """x.new_zeros and others: of the sizes in ``shape``, of the dtype of ``x`` if none is given."""
    outcome = filled(call)
    value = outcome.value
    if type(value) is Tensor and value.dtype is None and not call.given("dtype"):
        return replace(outcome, value=replace(value, dtype=dtype_of(call.arguments.get("x"))))
    return outcome


def written_over(call: Call) -> Outcome:
    """x.fill_, x.normal_, init.xavier_uniform_: ``x`` itself, with new values."""
    tensor = call.tensor("x")
    if tensor is None or tensor.shape is None:
        return Outcome(call.make(None, None if tensor is None else tensor.dtype), _event(call))
    return Outcome(call.make(without_marks(tensor.shape), tensor.dtype), _event(call))


# -- from data ---------------------------------------------------------------------------------


def array(call: Call) -> Outcome:
    """tensor, array, asarray: the shape of nested lists, or the tensor that is given.

    TensorFlow's constant may be filled into a ``shape``. Clashes if the lists are ragged.
    """
    if call.given("shape"):
        return filled(call)
    value = call.value("x")
    if value is None:
        return Outcome(call.make(None))
    dtype = _named_dtype(call.value("dtype")) if call.given("dtype") else None
    if _may_be_several(value) or is_truth(value):
        # So may what compares something that nobody knows.
        return Outcome(call.make(None, dtype), _event(call))
    given = as_tensor(value)
    if given is not None:
        shape = None if given.shape is None else expand(given.shape, call.facts)
        return Outcome(call.make(shape, dtype if call.given("dtype") else given.dtype))
    parts = ragged(value, call.facts)
    if parts is not None:
        text = f"makes an array of items of shapes {parts[0]} and {parts[1]}"
        return Outcome(call.make(None), _event(call), Clash(Fault.JOIN, text))
    shape, kind = literal_shape(value, call.facts)
    if call.library == "torch" and _holds_tensors(value):
        return Outcome(call.make(None), _event(call))
    return Outcome(call.make(shape, dtype if call.given("dtype") else kind), _event(call))


def _may_be_several(value: Value) -> bool:
    """Whether a number is only called one by an argument's annotation or default.

    People write ``int`` where callers pass tuples of sizes as well; an array of these has an axis.
    """
    if type(value) is not Int or value.size is None:
        return False
    symbol = value.size.symbol
    return symbol is not None and symbol.value is None and not symbol.table


def new_array(call: Call) -> Outcome:
    """x.new_tensor: data of the dtype of ``model``."""
    outcome = array(call)
    if call.given("dtype") or type(outcome.value) is not Tensor:
        return outcome
    return replace(outcome, value=replace(outcome.value, dtype=dtype_of(call.value("model"))))


def _holds_tensors(value: Value) -> bool:
    """Whether a list holds tensors with axes, which torch makes no tensor of."""
    if type(value) is not Sequence:
        tensor = as_tensor(value)
        return tensor is not None and (tensor.shape is None or tensor.shape != SCALAR)
    items = (value.element,) if value.items is None else value.items
    return any(_holds_tensors(item) for item in items)


def legacy_tensor(call: Call) -> Outcome:
    """torch.Tensor, torch.FloatTensor: of the sizes that are given, or from a list of data."""
    first = call.arguments.get("x")
    dtype = call.text("dtype_is")
    if first is None:
        return Outcome(call.make(Shape((Axis(ZERO),)), dtype), _event(call))
    if type(first) is Parameter and call.arguments.get("rest", _NO_MORE) != _NO_MORE:
        first = first.number  # beside others only a size can stand
    if type(first) is Int:
        sizes = _with_rest(call, first)
        if sizes is None:
            return Outcome(call.make(None, dtype), _event(call))
        shape, clash = _sizes(sizes)
        return Outcome(call.make(shape, dtype), _event(call), clash)
    given = as_tensor(first)
    if given is not None and (given.shape is None or not given.shape.at_least):
        # A number that numpy made is a size here, not an array of no axes; an argument may be one.
        return Outcome(call.make(None, dtype))
    outcome = array(call)
    if type(outcome.value) is Tensor:
        return replace(outcome, value=replace(outcome.value, dtype=dtype))
    return outcome


# -- from tensors ------------------------------------------------------------------------------


def meshgrid(call: Call) -> Outcome:
    """meshgrid: vectors (a,), (b,), ... to grids (a, b, ...); indexing "xy" swaps the first two.

    With ``sparse`` each grid has size 1 on the others' axes.
    """
    value = call.arguments.get("xs")
    tensors = [call.tensor("xs")] if type(value) is Tensor else call.tensors("xs")
    default = "xy" if call.like_numpy else "ij"
    indexing = call.text("indexing") if call.given("indexing") else default
    sparse = call.flag("sparse")
    if tensors is None or indexing is None or sparse is None:
        return Outcome(Sequence(None, element=call.make(None)), _event(call))
    unknown = Sequence((call.make(None),) * len(tensors))
    axes: list[Axis] = []
    for operand, tensor in enumerate(tensors):
        shape = None if tensor is None else tensor.shape
        if shape is None or shape.rank is None or (shape.rank > 1 and call.library == "numpy"):
            return Outcome(unknown, _event(call))
        if shape.rank > 1 or (shape.rank == 0 and call.library == "jax"):
            clash = rank_clash(shape, "vectors", operand)
            return Outcome(unknown, _event(call), clash)
        axes.append(without_marks(shape).lead[0] if shape.lead else Axis(ONE))
    order = list(range(len(axes)))
    if indexing == "xy":
        order[:2] = reversed(order[:2])
    grids = []
    for own, tensor in enumerate(tensors):
        shown = (axes[at] if at == own or not sparse else Axis(ONE, made="new") for at in order)
        grids.append(call.make(Shape(tuple(shown)), None if tensor is None else tensor.dtype))
    return Outcome(Sequence(tuple(grids)), _event(call))


def one_hot(call: Call) -> Outcome:
    """(...,) to (..., classes), of integers unless the table or the call names a dtype."""
    dtype = _named_dtype(call.value("dtype")) if call.given("dtype") else call.text("dtype_is")
    dtype = dtype or ("int" if not call.given("dtype") else None)
    shape = call.shape("x") if call.integer("axis") in (None, -1) else None
    count = call.size("count") if call.given("count") else None
    if count is not None and count.number is not None and count.number < 0:
        count = None
    if shape is None:
        return Outcome(call.make(None, dtype))
    return Outcome(call.make(_behind(without_marks(shape), Axis(count)), dtype))


def sequence_mask(call: Call) -> Outcome:
    """tf.sequence_mask: ``(...)`` lengths to ``(..., count)``, true up to each."""
    dtype = _named_dtype(call.value("dtype")) if call.given("dtype") else "bool"
    shape = None if (value := call.value("x")) is None else literal_shape(value, call.facts)[0]
    count = call.size("count") if call.given("count") else None
    made = None if shape is None else _behind(without_marks(shape), Axis(count))
    return Outcome(call.make(made, dtype), Elementwise("sequence_mask", None))


def _behind(shape: Shape, axis: Axis) -> Shape:
    if shape.row is None:
        return Shape((*shape.lead, axis))
    return Shape(shape.lead, shape.row, (*shape.trail, axis))
