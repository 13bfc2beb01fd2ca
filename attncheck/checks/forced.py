"""Products that only work if an axis of an unseen tensor happens to have another axis's size.

``q @ k`` of a query ``(T, d)`` and keys ``(S, d)`` contracts ``d`` with ``S``. Nobody has said that
the two differ, so the product may work; but the keys have ``d``, on their other axis, by what they
are, and a transpose makes the two agree whatever ``S`` is. The same goes for a tensor of which
prose says ``(S, d)``: whoever gives its axes two names does not take them to be one size.
"""

from __future__ import annotations

from attncheck.algebra.contract import Contracted
from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import Axis, Shape, listed
from attncheck.algebra.size import ONE, Size, Symbol, of
from attncheck.checks.report import Sizes
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Contraction
from attncheck.record import record
from attncheck.values.tensor import Evidence, Tensor

#: Keys of all heads: (batch, heads, positions, features).
_HEADS_RANK = 4


@record
class Forced:
    """An operand (0 or 1) whose axis, unseen or 1, was taken to be `wanted`, and its axis that is.

    ``tensor`` has the unseen size as a size of its own again.
    """

    operand: int
    tensor: Tensor
    unseen: Size
    wanted: Size
    contracted: int
    other: int


def forced(operation: Operation, view: View) -> Forced | None:
    """The operand of a working product that should stand the other way round, or None."""
    event = operation.event
    if operation.clash is not None or not isinstance(event, Contraction) or len(event.pairs) != 1:
        return None
    if operation.alternative:
        return None  # where it does not fit another one is taken
    (pair,) = event.pairs
    tensors = [tensor for _, tensor in operation.tensors()]
    if any(tensor.shape is None or not tensor.shape.closed for tensor in tensors):
        return None
    sides = (pair.left, pair.right), (pair.right, pair.left)
    for index, (own, opposite) in enumerate(sides[: len(tensors)]):
        axes = event.left_axes if index == 0 else event.right_axes
        symbol = _unseen(own, tensors[index], operation) or _named_apart(tensors[index], pair, own)
        if (symbol is None and not own.is_one) or not _is_seen(opposite) or len(axes) != 1:
            continue
        shape = tensors[index].shape
        found = None if shape is None else _found(shape, axes[0], symbol, opposite.size, view.facts)
        if found is not None and opposite.size is not None:
            tensor, unseen = _apart(tensors[index], symbol, own.size)
            return Forced(index, tensor, unseen, opposite.size, *found)
        if symbol is not None and len(tensors) == len(sides):
            turned = _on_the_other_side(symbol, opposite, tensors[1 - index], event, 1 - index)
            if turned is not None:
                return turned
    return None


def _on_the_other_side(
    symbol: Symbol, met: Axis, tensor: Tensor, event: Contraction, index: int
) -> Forced | None:
    """The operand of which another axis than the one that was met has the very size that met it.

    ``weights @ v`` of weights ``(T, T)`` and values ``(d, T)``: the values' T meets nothing.
    """
    axes = event.left_axes if index == 0 else event.right_axes
    shape, own = tensor.shape, of(symbol)
    if shape is None or met.size is None or not symbol.flexible or len(axes) != 1:
        return None
    if any(each.found for each in met.size.symbols()):
        return None  # it may well be the same size
    contracted = axes[0] % len(shape.axes)
    places = [at for at, axis in enumerate(shape.axes) if axis.size == own and at != contracted]
    if len(places) != 1:
        return None
    return Forced(index, tensor, met.size, own, contracted, places[0])


@record
class ForcedSplit:
    """A split along an unseen axis, which was taken to be `total`, though another axis is that."""

    tensor: Tensor
    axis: int
    unseen: Size
    total: Size
    other: int


def forced_split(operation: Operation, view: View) -> ForcedSplit | None:
    """The split of an axis whose size nothing has told but the parts, or None."""
    return _forced_axis(operation, view) if operation.kind == "split" else None


def forced_input(operation: Operation, view: View) -> Forced | None:
    """The input of a layer of which an unseen axis was taken to be its channels, or None.

    ``nn.Conv1d(d, f)`` of (B, T, d) takes T to be d, though the last axis is that by what it is.
    """
    if isinstance(operation.event, Contraction) or operation.clash is not None:
        return None
    found = _forced_axis(operation, view)
    if found is None:
        return None
    whole = None if found.tensor.shape is None else listed(found.tensor.shape, view.facts)
    if whole is None or not whole.closed:
        return None
    given = found.tensor.with_shape(whole)
    tensor, unseen = _apart(given, found.unseen.symbol, found.unseen)
    return Forced(0, tensor, unseen, found.total, found.axis, found.other)


def _forced_axis(operation: Operation, view: View) -> ForcedSplit | None:
    source = operation.source if operation.bound else None
    shape = None if source is None or source.shape is None else listed(source.shape, view.facts)
    if source is None or shape is None or not shape.closed:
        return None
    for place, axis in enumerate(shape.axes):
        symbol = None if axis.size is None else axis.size.symbol
        if symbol is None or not symbol.flexible or symbol not in operation.bound:
            continue
        total = view.facts.resolve(of(symbol))
        found = None if total.number else _found(shape, place, symbol, total, view.facts)
        if found is not None:
            return ForcedSplit(source, place, of(symbol), total, found[1])
    return None


def exchanged(sizes: Sizes, first: int, second: int) -> Sizes:
    """Sizes with those of two axes in each other's place."""
    order = list(range(len(sizes)))
    order[first], order[second] = second, first
    return tuple(sizes[place] for place in order)


def may_overlap(shape: Shape | None) -> bool:
    """Whether an axis of an open shape may have been seen twice, from the front and from the end.

    What was then done to the one has not been done to the other.
    """
    return shape is not None and shape.row is not None and bool(shape.lead)


def _unseen(axis: Axis, tensor: Tensor, operation: Operation) -> Symbol | None:
    """The symbol of an axis whose size only the product has told.

    That of one that has only got its variable's name may be any, but not with a batch and heads in
    front: there are no square matrices for each head but the weights of attention to oneself.
    """
    symbol = None if axis.size is None else axis.size.symbol
    if symbol is None:
        # What a convolution leaves of the positions: ``T + 2 * padding - kernel + 1``.
        every = [] if axis.size is None else list(axis.size.symbols())
        within = [each for each in every if each.flexible]
        if len(within) > 1 and within == every:
            return within[0]  # places of an image, which are no size of the code's
        return within[0] if len(within) == 1 and within[0] in operation.bound else None
    if symbol.flexible:
        return None if symbol.found else symbol
    rank = 0 if tensor.shape is None or axis.normalised else tensor.shape.at_least
    return symbol if symbol.found and rank >= _HEADS_RANK and symbol in operation.bound else None


def _named_apart(tensor: Tensor, pair: Contracted, own: Axis) -> Symbol | None:
    """The name that prose gives an axis, where nothing says that it is the size it met."""
    if tensor.evidence is not Evidence.PROSE or pair.verdict is not Verdict.UNKNOWN:
        return None
    symbols = [] if own.size is None else list(own.size.symbols())
    if any(symbol.table or symbol.found or symbol.value is not None for symbol in symbols):
        return None
    return symbols[0] if symbols else None


def _is_seen(axis: Axis) -> bool:
    """Whether a size is one that the code has fixed: no axis of an unseen tensor, and not 1."""
    size = axis.size
    return size is not None and size.number != 1 and not any(s.flexible for s in size.symbols())


def _found(
    shape: Shape, contracted: int, symbol: Symbol | None, wanted: Size | None, facts: Facts
) -> tuple[int, int] | None:
    """The contracted axis of a shape, and the axis that has the wanted size by what it is."""
    if not shape.closed or wanted is None:
        return None
    places = [
        place
        for place, axis in enumerate(shape.axes)
        if place != contracted % len(shape.axes)
        and axis.size is not None
        and (symbol is None or symbol not in axis.size.symbols())
        and not any(each.flexible for each in axis.size.symbols())
        and facts.compare(axis.size, wanted) is Verdict.EQUAL
    ]
    return (contracted % len(shape.axes), places[0]) if len(places) == 1 else None


def _apart(tensor: Tensor, symbol: Symbol | None, size: Size | None) -> tuple[Tensor, Size]:
    """A tensor in which the size of an unseen axis is not what it was taken to be; 1 stays 1.

    Of sizes that prose names none is what another was taken to be.
    """
    if symbol is None:
        return tensor, ONE
    apart = {symbol} if symbol.flexible or symbol.found else set()
    assert tensor.shape is not None
    if not apart and size is not None and size.symbol is None:
        apart = set(size.symbols())
    elif not apart:
        apart = {each for size in tensor.shape.sizes() if size for each in size.symbols()}
    own = {each: of(Symbol(each.name)) for each in apart}
    axes = tuple(
        Axis(None if axis.size is None else axis.size.replace(own.get), axis.tag)
        for axis in tensor.shape.axes
    )
    unseen = own[symbol] if size is None else size.replace(own.get)
    return tensor.with_shape(Shape(axes)), unseen
