"""How the elements of torch's tensors lie in memory, followed from where they were made.

Only what was measured counts: operations that give a new tensor in the order of its axes, whatever
they are given (`_NEW`); those that read the axes in another order; those that work element by
element and keep the order that they find (`_KEEPING`). ``einsum`` may give its result transposed,
and so may attention and convolutions, by what is fastest: of what they give nothing is known.
"""

from __future__ import annotations

from typing import Final

import libcst as cst

from attncheck.algebra.facts import Facts
from attncheck.algebra.memory import (
    Apart,
    Memory,
    alike,
    expanded,
    has_sizes,
    in_order,
    permuted,
    resized,
    sliced,
    viewed,
    with_ones,
    without_ones,
)
from attncheck.algebra.size import ONE, Size, Symbol, of
from attncheck.checks.report import Sizes
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import (
    Expansion,
    NewAxis,
    Permutation,
    Reshaping,
    Selection,
    Squeeze,
)
from attncheck.record import replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import (
    Const,
    Int,
    Scalar,
    Slice,
    Value,
    as_integer,
    as_tensor,
    is_truth,
)
from attncheck.values.value import Sequence as Listed

#: What gives a new tensor whose elements lie in the order of its axes.
_NEW: Final = frozenset(
    [
        "@",
        *(f"torch.{name}" for name in ("matmul", "mm", "bmm", "mv", "addmm", "baddbmm")),
        *(f"torch.Tensor.{name}" for name in ("matmul", "mm", "bmm", "mv", "addmm", "baddbmm")),
        *("torch.linalg.matmul", "torch.nn.Linear", "torch.nn.LazyLinear"),
        *("torch.nn.functional.linear", "torch.nn.functional.embedding", "torch.nn.Embedding"),
        *("torch.softmax", "torch.Tensor.softmax", "torch.nn.functional.softmax"),
        *("torch.log_softmax", "torch.Tensor.log_softmax", "torch.nn.functional.log_softmax"),
        *("torch.nn.Softmax", "torch.nn.LogSoftmax"),
        *("torch.nn.LayerNorm", "torch.nn.functional.layer_norm"),
        *("torch.masked_fill", "torch.Tensor.masked_fill"),
        *(f"torch.{name}" for name in ("zeros", "ones", "empty", "full", "rand", "randn")),
        *("torch.randint", "torch.arange", "torch.eye", "torch.nn.functional.one_hot"),
        *(f"torch.Tensor.new_{name}" for name in ("zeros", "ones", "empty", "full")),
        *("torch.Tensor.repeat", "torch.Tensor.contiguous"),
    ]
)
#: The same of joined tensors, but for images, whose channels stay last if they are so in all.
_JOINED: Final = frozenset(["torch.cat", "torch.concat", "torch.concatenate", "torch.stack"])
_IMAGES: Final = (4, 5)
#: Operators that work element by element, on one tensor or on two.
_KEEPING: Final = frozenset(
    [
        *("unary", "negative", "positive", "sqrt", "dropout", "clip"),
        *("add", "subtract", "multiply", "divide", "power"),
    ]
)
#: Operators that give what they are given.
_SAME: Final = frozenset(["identity", "learned"])
#: Those of them that certainly give the tensor itself.
_ITSELF: Final = frozenset(
    [
        *("torch.detach", "torch.Tensor.detach", "torch.Tensor.data", "torch.nn.Identity"),
        *("torch.nn.Parameter", "torch.nn.parameter.Parameter"),
    ]
)
#: And those that certainly give another one.
_COPIES: Final = frozenset(["torch.clone", "torch.Tensor.clone"])
#: What else puts the elements into another order than those of its kind.
_OTHERWISE: Final = frozenset(
    [
        *("torch.nn.functional.logsigmoid", "torch.nn.LogSigmoid"),
        *("torch.nn.functional.rrelu", "torch.nn.RReLU"),
        *("torch.Tensor.numpy", "torch.Tensor.pin_memory"),
    ]
)
#: Arguments that say where a result is written, or in what order.
_PLACED: Final = frozenset(["out", "memory_format", "layout"])
#: The views that copy nothing.
_VIEWS: Final = frozenset(["torch.Tensor.view", "torch.Tensor.view_as"])
#: Those that read one element many times.
_STRETCHING: Final = frozenset(
    ["torch.Tensor.expand", "torch.Tensor.expand_as", "torch.broadcast_to"]
)
#: Flags by which an operation writes over what it is given.
_IN_PLACE: Final = frozenset(["inplace", "in_place"])
#: What a size is called of which nothing is known.
_NAMELESS: Final = "?"


def split_apart(operation: Operation, view: View) -> tuple[Memory, Apart] | None:
    """How what is viewed lies in memory, and why there is no such view; None if there may be."""
    tensor = operation.source
    if operation.spelling not in _VIEWS or tensor is None or operation.alternative:
        return None
    made = view.graph.maker(tensor)
    if made is None or made.spelling in _NEW:
        return None  # what has just been made lies in order: no need to look at the whole trace
    memory, sizes = _memory(tensor, view), view.sizes(as_tensor(operation.output))
    if memory is None or sizes is None:
        return None
    found = viewed(memory, sizes, view.facts)
    return (memory, found) if isinstance(found, Apart) else None


def unless_one(operation: Operation, memory: Memory, view: View) -> Symbol | None:
    """The size that has to be 1 for the view to work after all, if one that has a name has."""
    sizes = view.sizes(as_tensor(operation.output)) or ()
    for symbol in dict.fromkeys(size.symbol for size in memory.sizes):
        if symbol is None or symbol.name == _NAMELESS:
            continue
        one = {symbol: ONE}
        before = resized(memory, [size.replace(one.get) for size in memory.sizes])
        after = [None if size is None else size.replace(one.get) for size in sizes]
        if isinstance(viewed(before, after, view.facts), Memory):
            return symbol
    return None


def _memory(tensor: Tensor, view: View) -> Memory | None:
    """How the elements of a tensor lie, or None if that is not certain.

    A tensor that one of several branches has made may be one that lies in order.
    """
    return _of(tensor, view, view.once(_memories))


def _of(tensor: Tensor, view: View, known: dict[int, Memory]) -> Memory | None:
    """How a tensor lies by what its maker gave: a row of that, unpacked, lies in another way."""
    memory = None if tensor.operation is None else known.get(tensor.operation)
    sizes = view.sizes(tensor)
    return memory if memory is not None and has_sizes(memory, sizes, view.facts) else None


def _memories(view: View) -> dict[int, Memory]:
    """How the results of a trace lie in memory, by the number of the operation that made each."""
    known: dict[int, Memory] = {}
    for operation in view.graph.operations:
        made = operation.output
        names = {operand.name for operand in operation.operands}
        if type(made) is not Tensor or made.library != "torch" or operation.alternative:
            continue
        if operation.clash is None and names.isdisjoint(_PLACED):
            memory = _made(operation, made, view, known)
            if memory is not None:
                known[operation.number] = memory
    return known


def _made(
    operation: Operation, made: Tensor, view: View, known: dict[int, Memory]
) -> Memory | None:
    """How the result of one operation lies, of which `known` says how its operands do."""
    if operation.spelling in _NEW:
        return _new(made, view)
    if operation.spelling in _JOINED:
        memory = _new(made, view)
        images = memory is not None and len(memory.sizes) in _IMAGES
        return None if images else memory
    source = operation.source
    memory = None if source is None else _of(source, view, known)
    if memory is None or operation.spelling in _OTHERWISE:
        return None
    if operation.kind in _SAME and operation.spelling not in _COPIES:
        # Another device or dtype may be that of the tensor, which then is given back as it is.
        return memory if memory.is_dense or operation.spelling in _ITSELF else None
    if operation.kind in _KEEPING or operation.spelling in _COPIES:
        alone = _is_alone(operation, memory, view, known)
        return _filled(operation, memory) if alone else None
    return _seen_otherwise(operation, made, memory, view)


def _new(made: Tensor, view: View) -> Memory | None:
    """A new tensor, with a symbol for each size that nobody knows."""
    sizes = view.sizes(made)
    if sizes is None:
        return None
    return in_order([of(Symbol(_NAMELESS)) if size is None else size for size in sizes])


def _is_alone(operation: Operation, memory: Memory, view: View, known: dict[int, Memory]) -> bool:
    """Whether a tensor meets numbers only, or tensors that lie just as it does."""
    for operand in operation.operands:
        value = operand.value
        if type(value) is Tensor:
            other = _of(value, view, known)
            if view.sizes(value) != () and (other is None or not alike(memory, other, view.facts)):
                return False
        elif type(value) not in (Int, Const, Scalar) or is_truth(value):
            return False
    return True


def _filled(operation: Operation, memory: Memory) -> Memory | None:
    """What is computed of each element: a new tensor has no gaps; None if it may be the old one."""
    if memory.is_dense:
        return memory
    perhaps = {operand.name for operand in operation.operands} & _IN_PLACE
    same = perhaps or operation.kind == "dropout" or isinstance(operation.node, cst.AugAssign)
    return None if same or memory.copies else replace(memory, gaps=frozenset())


def _seen_otherwise(
    operation: Operation, made: Tensor, memory: Memory, view: View
) -> Memory | None:
    """What shows the same elements in other axes, or a copy of them that lies in order."""
    event = operation.event
    if isinstance(event, Permutation):
        return permuted(memory, event.order)
    if isinstance(event, NewAxis):
        return with_ones(memory, event.axes)
    if isinstance(event, Squeeze):
        return without_ones(memory, event.axes)
    sizes = view.sizes(made)
    if isinstance(event, Selection):
        return _selected(operation, event.kept, sizes, memory, view.facts)
    if isinstance(event, Expansion):
        stretched = operation.spelling in _STRETCHING
        return _stretched(sizes, memory, view.facts) if stretched else None
    if not isinstance(event, Reshaping):
        return None
    if memory.is_in_order:
        return _new(made, view)
    found = None if sizes is None else viewed(memory, sizes, view.facts)
    if isinstance(found, Apart):
        return None if operation.spelling in _VIEWS else _new(made, view)
    return found


def _selected(
    operation: Operation,
    kept: tuple[int | None, ...],
    sizes: Sizes | None,
    memory: Memory,
    facts: Facts,
) -> Memory | None:
    """What slices and numbers select, which copy nothing; None for other indices."""
    key = next((each.value for each in operation.operands if each.name == "key"), None)
    if type(key) is not Listed or key.items is None or not all(map(_is_plain, key.items)):
        return None
    if sizes is None or len(sizes) != len(kept):
        return None
    rank = len(memory.sizes)
    places = {axis % rank: place for place, axis in enumerate(kept) if axis is not None}
    for axis, before in enumerate(memory.sizes):
        size = sizes[places[axis]] if axis in places else ONE
        if size is None:
            return None
        if axis not in places or not facts.equal(size, before):
            if axis in places and not facts.compare(size, before).clashes:
                return None  # it may be all of them
            memory = sliced(memory, axis, size)
    rest = without_ones(memory, [axis for axis in range(rank) if axis not in places])
    new = [place for place, axis in enumerate(kept) if axis is None]
    return None if rest is None else with_ones(rest, new)


def _is_plain(item: Value) -> bool:
    """Whether an item of an index copies nothing and leaves no gaps inside."""
    if type(item) is Slice:
        return item.step is None or as_integer(item.step) == 1
    number = type(item) is Int or (type(item) is Scalar and item.kind == "int")
    return number or (type(item) is Const and item.value in (None, ...))


def _stretched(sizes: Sizes | None, memory: Memory, facts: Facts) -> Memory | None:
    """What axes of 1 are stretched to, which copies nothing."""
    front = 0 if sizes is None else len(sizes) - len(memory.sizes)
    if sizes is None or front < 0:
        return None
    copies: list[int] = []
    known: list[Size] = []
    for axis, size in enumerate(sizes):
        before = ONE if axis < front else memory.sizes[axis - front]
        if size is None:
            return None
        if before.evaluate() == 1 != size.evaluate():
            copies.append(axis)
        elif not facts.equal(before, size):
            return None
        known.append(size)
    return expanded(memory, known, copies)
