"""Sequences, dicts and shapes as containers: items, unpacking, iteration, changes in place."""

from __future__ import annotations

import re
from collections.abc import Sequence as AbstractSequence

from attncheck.algebra.shape import (
    Axis,
    Shape,
    close,
    expand,
    leading_axis,
    open_shape,
    with_trailing,
)
from attncheck.algebra.size import Size, Symbol, const, of
from attncheck.record import replace
from attncheck.tracer.arguments import Arguments
from attncheck.tracer.machine import Machine
from attncheck.values.join import element_of, join, join_all, one_list
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import (
    UNKNOWN,
    Chain,
    Choice,
    Const,
    Instance,
    Int,
    Library,
    Mapping,
    Parameter,
    Sequence,
    ShapeOf,
    Slice,
    Spread,
    Value,
    as_integer,
    as_tensor,
)

#: The base of classes whose objects are tuples of their fields.
_NAMED_TUPLE = Library("typing.NamedTuple")
#: What objects are called that hold settings.
_CONFIG = re.compile(r"(?:\w+_)?(?:config|cfg|conf|args|opts?|hparams|hps)")
#: Methods after which a tensor has other axes than before.
_RESHAPES_IN_PLACE = frozenset(
    [
        "resize",
        "resize_",
        "resize_as_",
        "set_",
        "squeeze_",
        "swapaxes_",
        "swapdims_",
        "t_",
        "transpose_",
        "unsqueeze_",
    ]
)
#: A loop or an unpacking over more items than this is not done one by one.
MOST_ITEMS = 16


def as_list(value: Value) -> Value:
    """Callables in a chain and the fields of a NamedTuple in order; any other value as it is."""
    if type(value) is Instance and _NAMED_TUPLE in value.of.bases:
        return Sequence(tuple(value.attributes.get(name, UNKNOWN) for name in value.of.fields))
    return as_sequence(value) if type(value) is Chain else value


def as_sequence(chain: Chain) -> Sequence:
    """The callables of a chain, in order."""
    if chain.repeated is not None:
        return Sequence(None, False, chain.repeated)
    return Sequence(tuple(each for _, each in chain.items))


def chained(value: Value) -> Value:
    """The chain of a list of callables."""
    items = value.items if type(value) is Sequence else None
    return UNKNOWN if items is None else Chain(tuple((str(i), x) for i, x in enumerate(items)))


def item(machine: Machine, base: Value, keys: list[Value]) -> Value | None:
    """``base[key]`` for a container; None if `base` is no container (a tensor, or unknown)."""
    if type(base) is Chain and len(keys) == 1 and type(keys[0]) is Slice:
        return chained(_sequence_item(as_sequence(base), keys[0]))
    base = as_list(base)
    if type(base) is Choice and holds_lists(base):
        # An index that is out of range on one way is not asked for on that way.
        inside = [option for option in base.options if not _is_too_short(option, keys)]
        items = (item(machine, option, keys) for option in inside)
        return join_all([UNKNOWN if each is None else each for each in items] or [UNKNOWN])
    if len(keys) != 1:
        return UNKNOWN if type(base) in (Sequence, Mapping, ShapeOf) else None
    key = keys[0]
    if type(base) is Sequence:
        return _sequence_item(base, key)
    if type(base) is ShapeOf:
        return _shape_item(machine, base, key)
    if type(base) is Mapping:
        constant = constant_key(key)
        if constant is None and not base.open and base.items:
            return join_all([value for _, value in base.items])
        found = None if constant is None else base.get(constant.value)
        return UNKNOWN if found is None else found
    return None


def holds_lists(value: Choice) -> bool:
    """Whether a value is one of several lists."""
    return all(type(option) is Sequence for option in value.options)


def _is_too_short(base: Value, keys: list[Value]) -> bool:
    """Whether a sequence certainly has no item under a number."""
    index, length = as_integer(keys[0]) if len(keys) == 1 else None, _length(base)
    return index is not None and length is not None and not -length <= index < length


def _sequence_item(base: Sequence, key: Value) -> Value:
    index = as_integer(key)
    if index is not None and base.items is not None:
        inside = -len(base.items) <= index < len(base.items)
        return base.items[index] if inside else UNKNOWN
    if type(key) is Slice:
        return _sequence_slice(base, key)
    return element_of(base)


def _sequence_slice(base: Sequence, key: Slice) -> Value:
    bounds = []
    for bound in (key.lower, key.upper, key.step):
        number = None if bound is None else as_integer(bound)
        if bound is not None and number is None:
            return Sequence(None, base.mutable, element_of(base))
        bounds.append(number)
    if base.items is None or bounds[2] == 0:
        return Sequence(None, base.mutable, element_of(base))
    return Sequence(base.items[slice(*bounds)], base.mutable)


def _shape_item(machine: Machine, base: ShapeOf, key: Value) -> Value:
    """An item or a slice of an open shape: shows the axes it needs."""
    index = as_integer(key)
    if index is not None:
        return Int(size_at(machine, base.shape, index))
    if type(key) is not Slice or key.step is not None:
        return UNKNOWN
    lower = 0 if key.lower is None else as_integer(key.lower)
    upper = None if key.upper is None else as_integer(key.upper)
    if lower is None or lower < 0 or (key.upper is not None and upper is None):
        return _shape_tail(machine, base, key)
    if upper is not None and upper >= 0:
        axes = [leading_axis(base.shape, index, machine.facts) for index in range(lower, upper)]
        known = [axis for axis in axes if axis is not None]
        return sizes_of(known) if len(known) == len(axes) else UNKNOWN
    shown = expand(base.shape, machine.facts)
    if lower > len(shown.lead):
        return UNKNOWN
    left = Shape(shown.lead[lower:], shown.row, shown.trail)
    if upper is None:
        return ShapeOf(left)
    rest = with_trailing(left, -upper, machine.facts)
    if rest is None:
        return UNKNOWN
    if rest.closed:
        return sizes_of(rest.lead[:upper])
    return ShapeOf(Shape(rest.lead, rest.row, rest.trail[:upper]))


def _shape_tail(machine: Machine, base: ShapeOf, key: Slice) -> Value:
    """``shape[-2:]``: the last axes."""
    lower = None if key.lower is None else as_integer(key.lower)
    if lower is None or lower >= 0 or key.upper is not None:
        return UNKNOWN
    shown = with_trailing(base.shape, -lower, machine.facts)
    if shown is None:
        return UNKNOWN
    axes = shown.tail
    return sizes_of(axes[lower:])


def size_at(machine: Machine, shape: Shape, index: int) -> Size | None:
    """The size of axis `index` (negative: from the end), which the shape is made to show."""
    if index >= 0:
        axis = leading_axis(shape, index, machine.facts)
        return None if axis is None else axis.size
    shown = with_trailing(shape, -index, machine.facts)
    if shown is None:
        return None
    axes = shown.tail
    return axes[index].size


def sizes_of(axes: AbstractSequence[Axis]) -> Sequence:
    """The sizes of axes as a tuple value."""
    return Sequence(tuple(Int(axis.size) for axis in axes))


def constant_key(value: Value) -> Const | None:
    """A dict key that is known: a constant, or a literal integer as one."""
    if type(value) is Const:
        return value
    number = as_integer(value)
    return None if number is None else Const(number)


def unpack(machine: Machine, value: Value, count: int, starred: int | None) -> list[Value]:
    """`value` taken apart into `count` targets, of which number `starred` takes the rest."""
    if type(value) is Choice and holds_lists(value) and starred is None:
        value = _of_length(value, count)
    items = _exactly(machine, value, count) if starred is None else items_of(machine, value)
    if items is not None and starred is None and len(items) == count:
        return items
    if items is not None and starred is not None and len(items) >= count - 1:
        after = count - starred - 1
        middle = Sequence(tuple(items[starred : len(items) - after]), mutable=True)
        tail = items[len(items) - after :] if after else []
        return [*items[:starred], middle, *tail]
    if type(value) is Parameter and starred is None:
        return [member_of(machine, value, f"[{index}]") for index in range(count)]
    if starred is None:
        return [each(machine, value)] * count
    element = element_of(value) if type(value) is Sequence else UNKNOWN
    first, last = _ends(machine, value, starred, count - starred - 1)
    return [*first, Sequence(None, True, element), *last]


def _of_length(value: Choice, count: int) -> Value:
    """Those of several lists that can be taken apart into `count` items, as one value."""
    fitting = [option for option in value.options if _length(option) in (None, count)]
    return join_all(fitting) if fitting else UNKNOWN


def _length(value: Value) -> int | None:
    """How many items a sequence has, or None if that is not known."""
    return len(value.items) if type(value) is Sequence and value.items is not None else None


def _spread(value: Value) -> Spread | None:
    """A value as items around those of an open shape, or None."""
    if type(value) is ShapeOf:
        return Spread((), value.shape, ())
    return value if type(value) is Spread else None


def _exactly(machine: Machine, value: Value, count: int) -> list[Value] | None:
    """The items of a value that must have `count` of them; an open shape is closed to that rank."""
    found = _spread(value)
    if found is None:
        return items_of(machine, value, count)
    rank = count - len(found.before) - len(found.after)
    shape = close(found.shape, rank, machine.facts) if rank >= 0 else None
    if shape is None:
        return None
    return [*found.before, *(Int(axis.size) for axis in shape.axes), *found.after]


def _ends(machine: Machine, value: Value, first: int, last: int) -> tuple[list[Value], list[Value]]:
    """The first and the last items of a value of which the rest is not known."""
    found = _spread(value)
    if found is None:
        element = element_of(value) if type(value) is Sequence else UNKNOWN
        return [element] * first, [element] * last

    def size(index: int) -> Value:
        return Int(size_at(machine, found.shape, index))

    before, after = found.before[:first], found.after[max(0, len(found.after) - last) :]
    leading = [size(index) for index in range(first - len(before))]
    trailing = [size(index) for index in range(len(after) - last, 0)]
    return [*before, *leading], [*trailing, *after]


def items_of(machine: Machine, value: Value, most: int = MOST_ITEMS) -> list[Value] | None:
    """The items of a sequence, a text, a closed shape, or a tensor with few rows; else None."""
    value = as_list(value)
    if type(value) is Sequence:
        return None if value.items is None else list(value.items)
    if type(value) is Const and isinstance(value.value, str) and len(value.value) <= most:
        return [Const(character) for character in value.value]
    if type(value) is Mapping:
        return None if value.open else [Const(key) for key, _ in value.items]
    if type(value) is ShapeOf:
        shape = expand(value.shape, machine.facts)
        return [Int(axis.size) for axis in shape.axes] if shape.closed else None
    tensor = as_tensor(value)
    if tensor is None or tensor.shape is None:
        return None
    row = row_of(machine, value)
    length = length_of(machine, value)
    number = None if length is None else length.number
    return [row] * number if number is not None and number <= most else None


def is_config(value: Parameter) -> bool:
    """Whether an argument is called what holds settings, and no tensor is."""
    return _CONFIG.fullmatch(value.name) is not None


def member_of(machine: Machine, base: Parameter, name: str) -> Parameter:
    """An attribute or an item of something unseen: as unseen, but the same each time."""
    known = machine.evidence.members.get((base, name))
    if known is None:
        path = f"{base.name}{name}" if name.startswith("[") else f"{base.name}.{name}"
        tensor = Tensor(open_shape(path), evidence=Evidence.FORCED)
        setting = base.setting or is_config(base)
        number = Int(of(Symbol(path, positive=False)))
        known = Parameter(path, tensor, number, setting=setting)
        machine.evidence.members[base, name] = known
    return known


def row_of(machine: Machine, value: Value) -> Value:
    """What iterating over a tensor gives: the tensor without its first axis."""
    tensor = as_tensor(value)
    if tensor is None or tensor.shape is None:
        return UNKNOWN
    shape = expand(tensor.shape, machine.facts)
    if not shape.lead:
        # A parameter that is iterated over is as likely a list.
        return UNKNOWN if type(value) is Parameter else replace(tensor, shape=None)
    return replace(tensor, shape=Shape(shape.lead[1:], shape.row, shape.trail), optional=False)


def each(machine: Machine, value: Value) -> Value:
    """What one item is like when a value is iterated over."""
    value = as_list(value)
    if type(value) is Choice:
        value = one_list(value)
    if type(value) is Sequence:
        return element_of(value)
    if type(value) is Tensor or type(value) is Parameter:
        return row_of(machine, value)
    return UNKNOWN


def length_of(machine: Machine, value: Value) -> Size | None:
    """How many items there are, as a size, or None."""
    value = as_list(value)
    if type(value) is Sequence:
        return value.length if value.items is None else const(len(value.items))
    if type(value) is Mapping:
        return None if value.open else const(len(value.items))
    if type(value) is Const and isinstance(value.value, str):
        return const(len(value.value))
    if type(value) is ShapeOf:
        shape = expand(value.shape, machine.facts)
        return const(len(shape.lead)) if shape.closed else None
    if type(value) is Tensor and value.shape is not None:
        shape = expand(value.shape, machine.facts)
        return shape.lead[0].size if shape.lead else None
    return None


def changed(base: Value, method: str, arguments: Arguments) -> Value | None:
    """What a method call makes of a list, dict or tensor; None if it changes nothing known."""
    if type(base) is Choice and holds_lists(base):
        options = [changed(option, method, arguments) for option in base.options]
        made = [option for option in options if option is not None]
        return join_all(made) if len(made) == len(options) else None
    if type(base) is Sequence and base.mutable:
        return _changed_list(base, method, arguments.positional)
    if type(base) is Chain:
        return _changed_chain(base, method, arguments)
    if type(base) is Mapping and method == "update":
        return updated(base, arguments)
    if type(base) is Mapping and method in ("pop", "setdefault", "clear", "popitem"):
        return Mapping((), open=True)
    if type(base) is Tensor and method in _RESHAPES_IN_PLACE:
        return base.with_shape(None)
    return None


def _changed_chain(base: Chain, method: str, arguments: Arguments) -> Value | None:
    """A chain with one callable more: ``append``, or ``add_module`` with its name."""
    given = [*arguments.positional, *arguments.keywords.values()]
    if len(given) != {"append": 1, "add_module": 2}.get(method) or not arguments.exact:
        return UNKNOWN if method in ("append", "add_module", "insert", "extend", "pop") else None
    if base.repeated is not None:
        return Chain((), join(base.repeated, given[-1]))
    return Chain((*base.items, (str(len(base.items)), given[-1])))


def updated(base: Mapping, arguments: Arguments) -> Mapping:
    """A dict after ``update``, and what ``dict`` makes of its arguments from an empty one.

    What may have been replaced is forgotten.
    """
    items: dict[object, Value] = dict(base.items)
    for given in arguments.positional:
        entries = _entries(given)
        if entries is None:
            return Mapping((), open=True)
        items |= entries
    if not arguments.exact:
        return Mapping((), open=True)
    return Mapping(tuple((items | arguments.keywords).items()), base.open)


def _entries(value: Value) -> dict[object, Value] | None:
    """What a dict, or a list of keys and values, gives for each key; None if not all are known."""
    if type(value) is Mapping:
        return None if value.open else dict(value.items)
    if type(value) is not Sequence or value.items is None:
        return None
    entries: dict[object, Value] = {}
    for pair in value.items:
        items = pair.items if type(pair) is Sequence else None
        key = constant_key(items[0]) if items is not None and len(items) == 2 else None
        if key is None or items is None:
            return None
        entries[key.value] = items[1]
    return entries


def _changed_list(base: Sequence, method: str, arguments: list[Value]) -> Value | None:
    if method == "append" and len(arguments) == 1:
        if base.items is not None:
            return replace(base, items=(*base.items, arguments[0]))
        length = None if base.length is None else base.length + 1
        return replace(base, element=join(base.element, arguments[0]), length=length)
    if method == "insert" and len(arguments) == 2 and base.items is not None:
        index = as_integer(arguments[0])
        if index is not None:
            items = list(base.items)
            items.insert(index, arguments[1])
            return replace(base, items=tuple(items))
    if method == "extend" and len(arguments) == 1 and base.items is not None:
        other = arguments[0]
        if type(other) is Sequence and other.items is not None:
            return replace(base, items=base.items + other.items)
    if method == "reverse" and base.items is not None:
        return replace(base, items=base.items[::-1])
    if method in ("append", "insert", "extend", "pop", "remove", "clear", "sort", "reverse"):
        return Sequence(None, mutable=True)
    return None
