"""Python's own functions, and the constants and small functions of the standard library."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import libcst as cst

from attncheck.algebra.shape import Shape
from attncheck.algebra.size import Size, const
from attncheck.tracer import containers
from attncheck.tracer.arguments import Arguments
from attncheck.tracer.arithmetic import combine
from attncheck.tracer.machine import Machine
from attncheck.values.join import join_all
from attncheck.values.tensor import Tensor
from attncheck.values.value import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    Int,
    Mapping,
    Parameter,
    Partial,
    Scalar,
    Sequence,
    ShapeOf,
    Slice,
    Value,
    as_integer,
    as_powers,
    as_size,
)

Builtin: TypeAlias = Callable[[Machine, Arguments, cst.CSTNode], Value]


def _len(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    value = arguments.first()
    if type(value) is ShapeOf:
        return Int(containers.length_of(machine, value))
    if value == NONE:
        # None has none: what is done where there is something in it does not happen.
        return Int(const(0))
    if type(value) is Parameter:
        shape = value.tensor.shape
        known = shape is not None and _has_axes(machine, shape)
        return Int(containers.size_at(machine, shape, 0) if known and shape else None)
    return Int(containers.length_of(machine, value))


def _has_axes(machine: Machine, shape: Shape) -> bool:
    """Whether an operation has shown that an argument of this shape is a tensor with axes."""
    return shape.row is None or shape.row in machine.facts.rows


def _int(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    value = arguments.first()
    if type(value) is Const and isinstance(value.value, float | bool):
        return Int(const(int(value.value)) if math.isfinite(value.value) else None)
    if type(value) is Scalar and value.powers is not None and not value.perhaps:
        return Int(value.powers.whole)
    return Int(as_size(value))


def _range(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    bounds = [as_integer(value) for value in arguments.positional]
    known = [bound for bound in bounds if bound is not None]
    length = _range_length(arguments.positional)
    if len(known) == len(bounds) and 1 <= len(known) <= 3 and known[2:] != [0]:
        numbers = range(*known)
        if numbers and not numbers[containers.MOST_ITEMS :]:
            return Sequence(tuple(Int(const(number)) for number in numbers))
        # `len` of a range fails where it does not fit a machine word.
        length = const(max(0, -((numbers.start - numbers.stop) // numbers.step)))
    return Sequence(None, element=Int(None), length=length)


def _range_length(bounds: list[Value]) -> Size | None:
    sizes = [as_size(value) for value in bounds]
    if len(sizes) == 1:
        return sizes[0]
    if len(sizes) == 2 and sizes[0] is not None and sizes[1] is not None:
        return sizes[1] - sizes[0]
    return None


def _enumerate(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    value = arguments.first()
    items = containers.items_of(machine, value)
    if items is not None and len(arguments.positional) == 1:
        return Sequence(
            tuple(Sequence((Int(const(index)), item)) for index, item in enumerate(items))
        )
    element = Sequence((Int(None), containers.each(machine, value)))
    return Sequence(None, element=element, length=containers.length_of(machine, value))


def _zip(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    if not arguments.exact:
        return UNKNOWN
    lists = [containers.items_of(machine, value) for value in arguments.positional]
    counted = [len(items) for items in lists if items is not None]
    if counted:
        # What nobody has counted is as long as what it is put beside.
        columns = (
            [containers.each(machine, value)] * min(counted) if items is None else items
            for items, value in zip(lists, arguments.positional, strict=True)
        )
        return Sequence(tuple(Sequence(tuple(row)) for row in zip(*columns, strict=False)))
    element = Sequence(tuple(containers.each(machine, value) for value in arguments.positional))
    lengths = [containers.length_of(machine, value) for value in arguments.positional]
    one = bool(lengths) and all(length == lengths[0] for length in lengths)
    return Sequence(None, element=element, length=lengths[0] if one else None)


def _map(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """A function called on the items of one list or several, side by side."""
    from attncheck.tracer.calls import call

    if not arguments.exact or len(arguments.positional) < 2:
        return UNKNOWN
    function, *given = arguments.positional

    def called(items: list[Value]) -> Value:
        return call(machine, function, Arguments(items, {}, [None] * len(items), {}), node)

    lists = [containers.items_of(machine, value) for value in given]
    if all(items is not None for items in lists):
        rows = zip(*[items for items in lists if items is not None], strict=False)
        return Sequence(tuple(called(list(row)) for row in rows))
    element = called([containers.each(machine, value) for value in given])
    lengths = {containers.length_of(machine, value) for value in given}
    return Sequence(None, element=element, length=lengths.pop() if len(lengths) == 1 else None)


def _list(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    return _sequence(machine, arguments, mutable=True)


def _tuple(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    return _sequence(machine, arguments, mutable=False)


def _sequence(machine: Machine, arguments: Arguments, mutable: bool) -> Value:
    if not arguments.positional:
        return Sequence((), mutable)
    value = arguments.first()
    if type(value) is ShapeOf and not mutable:
        return value
    items = containers.items_of(machine, value)
    if items is not None:
        return Sequence(tuple(items), mutable)
    element = containers.each(machine, value)
    return Sequence(None, mutable, element, containers.length_of(machine, value))


def _sorted(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """A list of the same items: which of them comes first is not known."""
    value = arguments.first()
    element = containers.each(machine, value)
    return Sequence(None, True, element, containers.length_of(machine, value))


def _reversed(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    value = arguments.first()
    items = containers.items_of(machine, value)
    if items is not None:
        return Sequence(tuple(reversed(items)))
    return Sequence(None, element=containers.each(machine, value))


def _sum(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    value = arguments.first()
    if len(arguments.positional) != 1 or arguments.keywords:
        return UNKNOWN
    items = containers.items_of(machine, value)
    sizes = [as_size(item) for item in items] if items is not None else []
    if sizes and all(size is not None for size in sizes):
        total = const(0)
        for size in sizes:
            assert size is not None
            total = total + size
        return Int(total)
    element = containers.each(machine, value)
    if type(value) is Sequence and type(element) is Tensor:
        return Tensor(element.shape, element.library, element.dtype, evidence=element.evidence)
    return UNKNOWN


def _extreme(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    values = arguments.positional
    if len(values) == 1:
        values = containers.items_of(machine, values[0]) or [UNKNOWN]
    if all(type(value) is Int for value in values):
        return Int(None)
    joined = join_all(values)
    return joined if type(joined) is Scalar else UNKNOWN


def _dict(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    return containers.updated(Mapping(()), arguments)


def _float(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    value = arguments.first()
    size = as_size(value) if type(value) is Int else None
    if type(value) is Scalar:
        return value
    if type(value) is Const and value.value in _INFINITE:
        return Const(_INFINITE[value.value])
    return Scalar("float") if size is None else value


#: Infinity, by the texts that ``float`` takes for it.
_INFINITE = {"inf": math.inf, "+inf": math.inf, "Infinity": math.inf, "infinity": math.inf}
_INFINITE |= {"-inf": -math.inf, "-Infinity": -math.inf, "-infinity": -math.inf}
#: The bounds of a float of 32 bits: `finfo` is asked for some far number, whatever the dtype is.
_LARGEST = 3.4028234663852886e38
#: What `finfo` has next to 0: all of it is positive.
_NEXT_TO_ZERO = {
    "eps": 1.1920928955078125e-07,
    "epsneg": 5.960464477539063e-08,
    "resolution": 1e-06,
    "tiny": 1.1754943508222875e-38,
    "smallest_normal": 1.1754943508222875e-38,
    "smallest_subnormal": 1.401298464324817e-45,
}


def _slice(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """``slice(n)``, ``slice(m, n)`` and ``slice(m, n, step)``: ``:n``, ``m:n``, ``m:n:step``."""
    bounds = [None if value == NONE else value for value in arguments.positional]
    if not arguments.exact or arguments.keywords or not 1 <= len(bounds) <= _BOUNDS:
        return UNKNOWN
    lower, upper, step = [None, *bounds, None] if len(bounds) == 1 else [*bounds, None][:_BOUNDS]
    return Slice(lower, upper, step)


#: How many bounds a slice has.
_BOUNDS = 3


def _text(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    return Scalar("str")


def _bool(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    return Scalar("bool")


def _is_tensor(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    value = arguments.first()
    if type(value) is Tensor and not value.optional:
        return TRUE
    return FALSE if type(value) in _NO_TENSORS else Scalar("bool")


#: What certainly is no tensor.
_NO_TENSORS = (Const, Int, Mapping, Sequence)


def _nothing(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    return Const(None)


def _absolute(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    return UNKNOWN


def _square_root(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    powers = as_powers(arguments.first())
    return Scalar("float", None if powers is None else powers.to(0.5), node=machine.shown(node))


def _power(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    if len(arguments.nodes) != 2 or not arguments.exact:
        return UNKNOWN
    base, exponent = arguments.positional
    left, right = arguments.nodes
    if left is None or right is None:
        return UNKNOWN
    return combine(machine, "**", base, exponent, node, (left, right))


def _real(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    return Scalar("float")


def _whole(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    return Int(None)


def _product(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    items = containers.items_of(machine, arguments.first())
    total = const(1)
    for size in [as_size(item) for item in items] if items is not None else [None]:
        if size is None:
            return Int(None)
        total = total * size
    return Int(total)


def _partial(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    if not arguments.positional or not arguments.exact:
        return UNKNOWN
    callee, *rest = arguments.positional
    return Partial(callee, tuple(rest), tuple(arguments.keywords.items()))


def _field(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value:
    """The default of a field of a dataclass; what a function makes may be changed by then."""
    return arguments.keywords.get("default", UNKNOWN)


#: By name for Python's own, by full path for the standard library's.
BUILTINS: dict[str, Builtin] = {
    "len": _len,
    "int": _int,
    "range": _range,
    "enumerate": _enumerate,
    "zip": _zip,
    "map": _map,
    "list": _list,
    "tuple": _tuple,
    "reversed": _reversed,
    "sorted": _sorted,
    "sum": _sum,
    "min": _extreme,
    "max": _extreme,
    "dict": _dict,
    "slice": _slice,
    "float": _float,
    "str": _text,
    "repr": _text,
    "bool": _bool,
    "callable": _bool,
    "all": _bool,
    "any": _bool,
    "print": _nothing,
    "pow": _power,
    "abs": _absolute,
    "round": _absolute,
    "math.sqrt": _square_root,
    "math.log": _real,
    "math.exp": _real,
    "math.pow": _power,
    "math.cos": _real,
    "math.sin": _real,
    "math.ceil": _whole,
    "math.floor": _whole,
    "math.prod": _product,
    "torch.is_tensor": _is_tensor,
    "functools.partial": _partial,
    "dataclasses.field": _field,
}

CONSTANTS: dict[str, Value] = {
    "math.pi": Const(3.141592653589793),
    "math.inf": Const(math.inf),
    "math.e": Const(2.718281828459045),
    "numpy.pi": Const(3.141592653589793),
    "numpy.inf": Const(math.inf),
    "numpy.nan": Scalar("float"),
    "numpy.newaxis": Const(None),
    "jax.numpy.pi": Const(3.141592653589793),
    "jax.numpy.inf": Const(math.inf),
    "jax.numpy.nan": Scalar("float"),
    "jax.numpy.newaxis": Const(None),
    "torch.inf": Const(math.inf),
    **dict.fromkeys(
        ("torch.finfo.min", "numpy.finfo.min", "jax.numpy.finfo.min"), Const(-_LARGEST)
    ),
    **dict.fromkeys(("torch.finfo.max", "numpy.finfo.max", "jax.numpy.finfo.max"), Const(_LARGEST)),
    **{
        f"{library}.finfo.{name}": Const(number)
        for library in ("torch", "numpy", "jax.numpy")
        for name, number in _NEXT_TO_ZERO.items()
    },
    **{f"{library}.finfo.bits": Scalar("float") for library in ("torch", "numpy", "jax.numpy")},
    "sys.float_info.min": Const(2.2250738585072014e-308),
    "sys.float_info.epsilon": Const(2.220446049250313e-16),
    "sys.float_info.max": Const(1.7976931348623157e308),
    "torch.pi": Const(3.141592653589793),
    "tensorflow.newaxis": Const(None),
    **{
        f"tensorflow.{name}.{end}": Const(sign * _LARGEST)
        for name in ("float16", "float32", "float64", "bfloat16")
        for end, sign in (("min", -1), ("max", 1))
    },
}

#: Functions that make a random generator, and the class whose methods it then has.
GENERATORS: dict[str, str] = {
    "torch.finfo": "torch.finfo",
    "torch.iinfo": "torch.finfo",
    "numpy.iinfo": "numpy.finfo",
    "numpy.finfo": "numpy.finfo",
    "jax.numpy.finfo": "jax.numpy.finfo",
    "numpy.random.default_rng": "numpy.random.Generator",
    "numpy.random.RandomState": "numpy.random.RandomState",
    "numpy.random.Generator": "numpy.random.Generator",
}
