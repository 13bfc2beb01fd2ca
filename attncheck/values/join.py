"""The join: what is known of a value that comes from one of two branches.

Whatever the two sides agree on is kept; where they differ, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from attncheck.algebra.shape import Axis, Shape
from attncheck.record import replace
from attncheck.values.tensor import UNKNOWN_TENSOR, Evidence, Tensor, number_of
from attncheck.values.value import (
    ALIKE,
    NONE,
    UNKNOWN,
    Chain,
    Choice,
    Class,
    Const,
    Function,
    Instance,
    Int,
    Layer,
    Library,
    LibraryMethod,
    Mapping,
    Method,
    Parameter,
    Partial,
    Scalar,
    Sequence,
    Unknown,
    Value,
    as_tensor,
)


def join(left: Value, right: Value) -> Value:
    """The value that is `left` or `right`."""
    if left is right or left == right:
        return left
    kinds = type(left), type(right)
    if Unknown in kinds and ALIKE in (left, right):
        return _of_one_kind(right if left == ALIKE else left)
    if _is_member(left) or _is_member(right):
        other = right if _is_member(left) else left
        if type(other) is Tensor:
            return _of_one_kind(other)
    if Const in kinds and NONE in (left, right):
        other = right if left == NONE else left
        if type(other) is Parameter:
            return replace(other, tensor=replace(other.tensor, optional=True))
        return replace(other, optional=True) if type(other) is Tensor else choice(left, right)
    if type(left) in _NUMBERS and type(right) in _NUMBERS and type(left) is not type(right):
        return _join_numbers(left, right)
    if kinds in _TENSORS:
        # What is a tensor on one way is one on the other.
        first, second = as_tensor(left), as_tensor(right)
        assert first is not None and second is not None
        return _join_tensors(first, second)
    for root, other in ((left, right), (right, left)):
        if type(root) is Scalar and root.powers is not None and _is_other_number(root, other):
            return replace(root, perhaps=True)
    if type(left) is not type(right) and {type(left), type(right)} <= _PLAIN:
        return Scalar("number") if _is_real(left) and _is_real(right) else UNKNOWN
    if Tensor in (type(left), type(right)) and (_is_real(left) or _is_real(right)):
        return Choice((left, right))
    if type(left) is not type(right) and {type(left), type(right)} <= _EITHER:
        return choice(left, right)
    joiner = _JOINERS.get(type(left)) if type(left) is type(right) else None
    return UNKNOWN if joiner is None else joiner(left, right)


def alike(value: Value) -> Value:
    """What is like `value`: a tensor of as many axes, or the same callable."""
    if type(value) is Tensor and value.shape is not None:
        rank = value.shape.rank
        shape = None if rank is None else Shape((Axis(None),) * rank)
        return replace(value, shape=shape, operation=None, evidence=Evidence.NAME)
    return value if type(value) in _CALLABLE else UNKNOWN


def _of_one_kind(value: Value) -> Value:
    """What is like `value` and used in its place: a tensor of the same features as well.

    Cached keys meet the queries that new ones meet. How many features they have is fixed where the
    module is made, while other sizes are those of an input.
    """
    made = alike(value)
    if type(made) is not Tensor or type(value) is not Tensor or value.dtype in ("bool", "int"):
        return made
    axes = () if made.shape is None or value.shape is None else value.shape.lead
    size = axes[-1].size if len(axes) >= _STACK else None
    fixed = size is not None and not any(each.flexible or each.found for each in size.symbols())
    if made.shape is None or not fixed or made.role is not None:
        return made
    return made.with_shape(Shape((*made.shape.lead[:-1], Axis(size))))


def _is_member(value: Value) -> bool:
    """Whether a value was read from an object nobody has seen, and is no setting."""
    return type(value) is Parameter and "." in value.name and not value.setting


def choice(left: Value, right: Value) -> Value:
    """One of two values that have nothing in common, as long as there are only a few in all."""
    options: list[Value] = []
    for option in (*_options(left), *_options(right)):
        others = [known for known in options if known != NONE]
        if type(option) not in _CALLABLE and option != NONE:
            if type(option) not in _OPTIONAL:
                return UNKNOWN
            if any(kept(option) and all(map(kept, others)) for kept in _KEPT):
                _put(options, option)
                continue
            same = [known for known in others if type(known) is type(option)]
            if any(is_text(known) is not is_text(option) for known in same):
                return UNKNOWN
            if same:
                whole = Choice((*same, option))
                merged = join(same[0], option) if len(same) == 1 else one_list(whole)
                options[options.index(same[0])] = merged
                options = [known for known in options if known not in same[1:]]
                continue
            if others:
                return UNKNOWN
        elif any(type(known) in _OPTIONAL for known in others) and option != NONE:
            return UNKNOWN
        if not any(_are_twins(option, known) for known in options):
            options.append(option)
    if len(options) == 1:
        return options[0]
    if len(options) <= MOST_OPTIONS:
        return Choice(tuple(options))
    return one_list(Choice(tuple(options)))


def _put(options: list[Value], option: Value) -> None:
    """Put an alternative beside others of its kind; tuples of one length become one."""
    for index, known in enumerate(options):
        if _is_tuple(option) and _is_tuple(known) and _length(option) == _length(known):
            options[index] = join(known, option)
            return
    if option not in options:
        options.append(option)


def _length(value: Value) -> int:
    """How many items a sequence has that are all known."""
    return len(value.items or ()) if type(value) is Sequence else 0


def _are_twins(left: Value, right: Value) -> bool:
    """Whether two values are one, or objects made alike that nobody has looked into yet.

    A loop that stacks layers makes one such object each round, and may tell it its number.
    """
    if left is right or left == right:
        return True
    if type(left) is Int and type(right) is Int:
        return _have_one_name(left, right)
    if type(left) is Chain and type(right) is Chain:
        return left.repeated == right.repeated and _are_all_twins(left.items, right.items)
    if type(left) is not Instance or type(right) is not Instance or left.of is not right.of:
        return False
    untouched = left.pending is not None and right.pending is not None
    return untouched and _are_all_twins(left.given, right.given)


def _have_one_name(left: Int, right: Int) -> bool:
    """Whether two sizes are what one variable holds, of which nothing else is known."""
    one, other = (None if each.size is None else each.size.symbol for each in (left, right))
    if one is None or other is None or not (one.found and other.found):
        return False
    return one.name == other.name


def _are_all_twins(
    left: tuple[tuple[str, Value], ...], right: tuple[tuple[str, Value], ...]
) -> bool:
    return [name for name, _ in left] == [name for name, _ in right] and all(
        _are_twins(one, other) for (_, one), (_, other) in zip(left, right, strict=True)
    )


def _is_list(value: Value) -> bool:
    """Whether a value is a list of which every item is known."""
    return type(value) is Sequence and value.mutable and value.items is not None


def _is_tuple(value: Value) -> bool:
    """Whether a value is a tuple of which every item is known."""
    return type(value) is Sequence and not value.mutable and value.items is not None


def is_text(value: Value) -> bool:
    """Whether a value is a string that is known."""
    return type(value) is Const and isinstance(value.value, str)


def one_list(value: Value) -> Value:
    """Lists of unlike lengths as one of which only the items' kind is known; any text for texts."""
    if all(map(is_text, _options(value))):
        return Scalar("str")
    lists = [option for option in _options(value) if type(option) is Sequence]
    if len(lists) < len(_options(value)):
        return UNKNOWN
    elements = [element_of(option) for option in lists if option.items != ()]
    mutable = any(option.mutable for option in lists)
    return Sequence(None, mutable, join_all(elements) if elements else UNKNOWN)


def _options(value: Value) -> tuple[Value, ...]:
    return value.options if type(value) is Choice else (value,)


def without_none(value: Value) -> Value:
    """A value of which it is known that it is not None."""
    if type(value) is Tensor:
        return replace(value, optional=False) if value.optional else value
    if type(value) is Parameter and value.tensor.optional:
        return replace(value, tensor=replace(value.tensor, optional=False))
    if type(value) is not Choice:
        return value
    options = tuple(option for option in value.options if option != NONE)
    return options[0] if len(options) == 1 else Choice(options)


def _join_numbers(left: Value, right: Value) -> Value:
    """A number and an argument that may be one, or two such arguments: still both, of no size."""
    named = left if type(left) is Parameter else right
    assert type(named) is Parameter
    setting = all(value.setting for value in (left, right) if type(value) is Parameter)
    return Parameter(named.name, UNKNOWN_TENSOR, Int(None), setting=setting)


def _is_other_number(root: Scalar, value: Value) -> bool:
    """Whether a value is a number of no known powers, or an argument that gives one."""
    if type(value) is Parameter:
        return not value.tensor.optional and value.tensor.shape is not None
    if type(value) is Const:
        return type(value.value) is float
    return type(value) is Scalar and value.kind == root.kind and value.powers is None


def join_all(values: list[Value]) -> Value:
    """The join of any number of values; NONE for none."""
    if not values:
        return NONE
    result = values[0]
    for value in values[1:]:
        result = join(result, value)
    return result


def join_shapes(left: Shape | None, right: Shape | None) -> Shape | None:
    """The shape that is `left` or `right`: axis by axis if the ranks agree, else unknown."""
    if left is None or right is None:
        return None
    if left == right:
        if all(map(_is_same, left.lead + left.trail, right.lead + right.trail)):
            return left
        lead, trail = (
            tuple(map(_join_axes, *axes))
            for axes in ((left.lead, right.lead), (left.trail, right.trail))
        )
        return Shape(lead, left.row, trail)
    if left.rank is None or left.rank != right.rank:
        return None
    return Shape(tuple(map(_join_axes, left.lead, right.lead)))


def _join_axes(left: Axis, right: Axis) -> Axis:
    if _is_same(left, right):
        return left
    if left == right:
        piece = left.piece if left.piece == right.piece else None
        return replace(left, parts=tuple(map(_join_axes, left.parts, right.parts)), piece=piece)
    return Axis(
        left.size if left.size == right.size else None,
        left.tag if left.tag == right.tag else None,
        left.normalised & right.normalised,
        tuple(map(_join_axes, left.parts, right.parts)) if left.parts == right.parts else (),
        piece=left.piece if left.piece == right.piece else None,
    )


def _is_same(left: Axis, right: Axis) -> bool:
    """Whether two axes are equal, and were cut from one axis if they are pieces of any."""
    if left is right:
        return True
    alike = left == right and left.piece == right.piece
    return alike and all(map(_is_same, left.parts, right.parts))


def _join_tensors(left: Tensor, right: Tensor) -> Tensor:
    return Tensor(
        join_shapes(left.shape, right.shape),
        left.library if left.library == right.library else None,
        number_of(left.dtype, right.dtype),
        left.role if left.role == right.role else None,
        max(left.evidence, right.evidence),
        left.decided if left.decided == right.decided else None,
        left.operation if left.operation == right.operation else None,
        left.optional or right.optional,
        _either(left, right),
    )


def _either(left: Tensor, right: Tensor) -> tuple[int | None, ...]:
    """The operations that have made one of two tensors, each once; none where it is one."""
    made = (*(left.either or (left.operation,)), *(right.either or (right.operation,)))
    distinct = sorted(set(made), key=lambda number: -1 if number is None else number)
    return tuple(distinct) if len(distinct) > 1 else ()


def _join_sequences(left: Sequence, right: Sequence) -> Value:
    if left.items is not None and right.items is not None and len(left.items) == len(right.items):
        items = tuple(map(join, left.items, right.items))
        return Sequence(items, left.mutable)
    if any(kept(left) and kept(right) for kept in _KEPT):
        # ``(output, weights) if wanted else (output,)``: each item is what it is on its way.
        return Choice((left, right))
    return Sequence(None, left.mutable, any_element(left, right))


def any_element(left: Sequence, right: Sequence) -> Value:
    """What any item of either of two sequences is like; an empty one has none to differ."""
    if left.items == ():
        return element_of(right)
    return element_of(left) if right.items == () else join(element_of(left), element_of(right))


def element_of(sequence: Sequence) -> Value:
    """What any item of a sequence is like."""
    if sequence.items is None:
        return sequence.element
    return join_all(list(sequence.items)) if sequence.items else UNKNOWN


def _join_mappings(left: Mapping, right: Mapping) -> Mapping:
    both = [
        (key, join(value, other))
        for key, value in left.items
        if (other := right.get(key)) is not None
    ]
    return Mapping(tuple(both), open=True)


def _join_scalars(left: Scalar, right: Scalar) -> Value:
    if left.kind != right.kind:
        return UNKNOWN
    if left.powers is not None and left.powers == right.powers:
        return replace(left, perhaps=left.perhaps or right.perhaps)
    return Scalar(left.kind)


def _is_real(value: Value) -> bool:
    """Whether a plain value is a number."""
    if type(value) is Const:
        return isinstance(value.value, float)
    return type(value) is Int or (
        type(value) is Scalar and value.kind in ("float", "int", "number")
    )


def _join_constants(left: Const, right: Const) -> Value:
    if is_text(left) and is_text(right):
        return Choice((left, right))
    kind = type(left.value).__name__
    return Scalar(kind) if kind == type(right.value).__name__ else UNKNOWN


#: Tensors of so many axes have their features on the last one.
_STACK: Final = 3
#: What is kept beside others of its kind.
_KEPT: Final = (_is_list, _is_tuple, is_text)
#: More alternatives than these are not kept apart.
MOST_OPTIONS = 4
#: Values that are kept as alternatives where a branch decides between them.
_CALLABLE: Final = frozenset(
    [Layer, Chain, Function, Method, Partial, Library, LibraryMethod, Class, Instance]
)
#: Values that are kept beside None.
_OPTIONAL: Final = frozenset([Sequence, Mapping, Int, Scalar, Const])
#: What may stand on both sides of a join with another kind of value.
_EITHER: Final = _CALLABLE | _OPTIONAL | {Choice}
#: Plain values that may be numbers and are no sizes where they are not whole.
_PLAIN: Final = frozenset([Int, Scalar, Const])
#: Tensors of different kinds.
_TENSORS: Final = frozenset([(Parameter, Tensor), (Tensor, Parameter)])
#: What may be a number.
_NUMBERS: Final = frozenset([Int, Parameter])

_JOINERS: dict[type, Callable[[Any, Any], Value]] = {
    **dict.fromkeys((Layer, Chain, Function, Method, Partial, Library), choice),
    **dict.fromkeys((LibraryMethod, Class, Instance, Choice), choice),
    Parameter: _join_numbers,
    Tensor: _join_tensors,
    Int: lambda left, right: Int(None),
    Sequence: _join_sequences,
    Mapping: _join_mappings,
    Scalar: _join_scalars,
    Const: _join_constants,
}


def is_no_more(before: Value, after: Value) -> bool:
    """Whether a value is what it was, or the like of it of which less is known."""
    if before is after or type(after) is Unknown:
        return True
    old, new = as_tensor(before), as_tensor(after)
    if old is not None and new is not None:
        had = None if old.shape is None else old.shape.rank
        return new.shape is None or new.shape.rank in (None, had)
    if type(before) is not type(after):
        return False
    return type(before) is Sequence or before == after
