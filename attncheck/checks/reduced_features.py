"""Features that were averaged, cut or pooled away in front of the layer that wants them.

``nn.Linear(d, n)(states.mean(-1))`` of states (B, T, d) is given a number for each of T positions,
and works where T happens to be d. The mean over the positions, (B, d), is what it was made for.
"""

from __future__ import annotations

from attncheck.algebra.shape import Shape
from attncheck.algebra.size import Size, Symbol, of
from attncheck.checks.constructed import layer_of
from attncheck.checks.report import Sizes
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Contraction, Elementwise, Reduction, Selection, Squeeze
from attncheck.record import record

_POOLING = "adaptive_pool"
_PASSING = frozenset({"identity", "contiguous", "dropout"})
#: How many operations may stand between a reduction and the layer.
_MOST_STEPS = 6


@record
class ReducedFeatures:
    """The operation that has reduced axis ``lost`` of its input, and the axis that was meant.

    ``sizes`` are those of its input, in which ``unseen`` is the size of axis ``meant``, and
    ``expected`` those of the layer's input if that one had been reduced.
    """

    made: Operation
    sizes: Sizes
    lost: int
    meant: int
    unseen: Size
    wanted: Size
    expected: Sizes


def reduced_features(operation: Operation, view: View) -> ReducedFeatures | None:
    """What has taken away the features that a layer was made for, or None."""
    own = _taken_for_features(operation)
    made = None if own is None else _reduction(operation, view)
    source = None if made is None or made.source is None else made.source.shape
    if own is None or made is None or source is None or not source.closed:
        return None
    wanted = view.facts.resolve(of(own))
    lost = _lost(made, source)
    places = [at for at, axis in enumerate(source.axes) if axis.size == of(own)]
    if lost is None or len(places) != 1:
        return None
    features = source.axes[lost].size
    if features is None or not view.equal(features, wanted) or own in features.symbols():
        return None
    unseen = of(Symbol(own.name))
    sizes = tuple(
        unseen if at == places[0] else axis.size and view.facts.resolve(axis.size)
        for at, axis in enumerate(source.axes)
    )
    expected = tuple(size for at, size in enumerate(sizes) if at != places[0])
    return ReducedFeatures(made, sizes, lost, places[0], unseen, wanted, expected)


def _taken_for_features(operation: Operation) -> Symbol | None:
    """The symbol of an unseen axis that only a layer's call has given the layer's size."""
    tensor = operation.source
    if layer_of(operation) is None or not operation.bound or operation.clash is not None:
        return None
    if not isinstance(operation.event, Contraction) or tensor is None or tensor.shape is None:
        return None
    if not tensor.shape.closed or not tensor.shape.axes:
        return None
    size = tensor.shape.axes[-1].size
    symbol = None if size is None else size.symbol
    flexible = symbol is not None and symbol.flexible and symbol in operation.bound
    return symbol if flexible else None


def _reduction(operation: Operation, view: View) -> Operation | None:
    """The nearest operation before a layer that leaves an axis of its input out."""
    made = None if operation.source is None else view.graph.maker(operation.source)
    for _ in range(_MOST_STEPS):
        if made is None or made.elsewhere:
            return None
        if isinstance(made.event, Reduction | Selection) or made.kind == _POOLING:
            return made
        alone = len(list(made.tensors())) == 1
        passing = isinstance(made.event, Elementwise | Squeeze) or made.kind in _PASSING
        if not alone or not passing or made.source is None:
            return None
        made = view.graph.maker(made.source)
    return None


def _lost(made: Operation, source: Shape) -> int | None:
    """The axis that an operation reduces, or of which it takes one element."""
    event, rank = made.event, len(source.axes)
    if isinstance(event, Reduction):
        axes = event.axes or ()
        return axes[0] % rank if len(axes) == 1 else None
    if isinstance(event, Selection):
        left = set(range(rank)) - {place for place in event.kept if place is not None}
        return left.pop() if len(left) == 1 and None not in event.kept else None
    return rank - 1
