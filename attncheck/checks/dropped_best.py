"""Sparse attention that hides the best scores and keeps the rest.

A query that reads from its k best keys hides the scores below its own k-th largest (Zhao et al.
2019, "Explicit Sparse Transformer", equation 5). With the comparison the other way round those from
there up are hidden, and softmax shares the weight among keys that match worst. Where the scores
themselves go into a softmax as well, the best may be left out on purpose: a second look, elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.attention import behind
from attncheck.checks.entries import entry_of
from attncheck.checks.report import Culprit, Report
from attncheck.checks.runs import are_one
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.meaning.elements import MIRRORED
from attncheck.meaning.positions import is_moved
from attncheck.meaning.uses import Use, Way
from attncheck.operators.events import (
    COPYING,
    Contraction,
    Einsum,
    Elementwise,
    Reduction,
)
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.softmaxes import MOST_STEPS
from attncheck.values.tensor import Tensor
from attncheck.values.value import ELLIPSIS, NONE, Sequence, Slice, Value, as_integer, as_tensor

_PRODUCTS = (Contraction, Einsum)
_RANKING = frozenset({"topk", "sort", "sort_pair"})
_MIDDLE = frozenset({"mean", "median", "quantile"})
_LEAST = frozenset({"min", "amin"})
_AT_LEAST = frozenset({">", ">="})
#: What joins masks that hide each on its own, by the way in which the whole is used.
_JOINING = {Way.DROPS: frozenset({"|", "or"}), Way.KEEPS: frozenset({"&", "and"})}
_OTHER_WAY = {Way.DROPS: Way.KEEPS, Way.KEEPS: Way.DROPS}


@record
class Ranked:
    """A bound that was taken from scores: the operation that ranked them, and the scores."""

    operation: Operation
    scores: Tensor


def over_dropped_best(rule: Rule, use: Use, view: View) -> Iterator[Report]:
    """A report of `rule` where a mask hides the best of the scores that it is put on."""
    found, node = bound_of_best(use, view), use.operand.node
    if found is None or node is None or use.operation.elsewhere or found.operation.elsewhere:
        return
    made = found.operation
    yield Report(
        rule,
        use.operation,
        node,
        f"`{view.quote(use.operation.node)}` hides the scores above what"
        f" `{view.quote(made.node)}` ({view.place(made.node)}) has ranked of them: the keys that"
        " match best get no weight, and softmax shares it among the others",
        Culprit(node, use.tensor),
        view.sizes(use.tensor),
        "the same shape, hiding the scores below that, so that the best are left",
        named=True,
        local=made.place == use.operation.place,
    )


def bound_of_best(use: Use, view: View) -> Ranked | None:
    """What the best scores of an attention are compared with where a use hides them, or None."""
    if use.site is None or not use.site.sums or use.library or use.late:
        return None
    scores = [tensor for _, tensor in use.operation.tensors() if tensor is not use.tensor]
    for made, way in _comparisons(use, view):
        found = _bound_below(made, way, view)
        if found is None or not any(_rests_on(each, found.scores, view) for each in scores):
            continue
        return None if _is_attended_with(found.scores, use, view) else found
    return None


def _comparisons(use: Use, view: View) -> Iterator[tuple[Operation, Way]]:
    """The comparisons that a mask is, or is joined of; each with the way in which it is used."""
    waiting = [(use.tensor, use.way)]
    for _ in range(MOST_STEPS):
        if not waiting:
            return
        tensor, way = waiting.pop(0)
        made = view.graph.maker(tensor)
        if made is None or way not in _JOINING:
            continue
        symbol = made.event.symbol if isinstance(made.event, Elementwise) else None
        operands = [(each, way) for _, each in made.tensors()]
        if symbol in MIRRORED:
            yield made, way
        elif symbol in ("invert", "logical_not"):
            waiting += [(each, _OTHER_WAY[way]) for each, _ in operands]
        elif symbol in _JOINING[way]:
            waiting += operands
        elif is_moved(made):
            waiting += operands[:1]


def _bound_below(made: Operation, way: Way, view: View) -> Ranked | None:
    """What scores are compared with, where what is above it is hidden, if they were ranked for it.

    ``scores >= bound`` is hidden where it is true, ``scores < bound`` where it is false.
    """
    assert isinstance(made.event, Elementwise)
    sides = [tensor for _, tensor in made.tensors()]
    if len(sides) != 2:
        return None
    symbols = (made.event.symbol, MIRRORED[made.event.symbol])
    for symbol, (scores, bound) in zip(symbols, (sides, sides[::-1]), strict=True):
        if (symbol in _AT_LEAST) is not (way is Way.DROPS):
            continue
        found = _ranked(bound, view)
        if found is not None and are_one(_uncopied(scores, view), found.scores):
            return found
    return None


def _ranked(bound: Tensor, view: View) -> Ranked | None:
    """What has ranked the scores that a bound is one of; None also of the largest, and the least.

    Of those that are ranked, one is picked: ``values[..., -1:]``, ``values.min(-1)``.
    """
    picks: list[Value] = []
    least = False
    for _ in range(MOST_STEPS):
        made = view.graph.maker(bound)
        if made is None or made.source is None:
            return None
        picked = _picks(made)
        event = made.event
        kind = event.kind if isinstance(event, Reduction) else None
        if made.kind in _RANKING or kind in _MIDDLE:
            inner = least or kind is not None or _is_inside(made, picks)
            is_values = bound.dtype != "int"
            return Ranked(made, _uncopied(made.source, view)) if inner and is_values else None
        if kind in _LEAST:
            least = True
        elif not is_moved(made) and made.kind != "index":
            return None
        picks += picked
        bound = made.source
    return None


def _picks(made: Operation) -> list[Value]:
    """The items of an index that take a part of an axis."""
    key = next((each.value for each in made.operands if each.name == "key"), None)
    items = key.items if type(key) is Sequence else (key,)
    return [each for each in items or () if each is not None and not _is_whole(each)]


def _is_whole(item: Value) -> bool:
    if type(item) is Slice:
        return item.lower is None and item.upper is None
    return item in (ELLIPSIS, NONE)


def _is_inside(made: Operation, picks: list[Value]) -> bool:
    """Whether one of those that were ranked is picked, and it is not the first of all.

    Of the k largest that is the last one; of all of them any that is not the last either.
    """
    if len(picks) != 1:
        return False
    (item,) = picks
    first = item.lower if type(item) is Slice else item
    number = None if first is None else as_integer(first)
    if made.kind == "topk":
        return number == -1
    return number not in (0, -1)


def _uncopied(tensor: Tensor, view: View) -> Tensor:
    """What a tensor is a copy of."""
    for _ in range(MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None or made.source is None or made.kind not in COPYING:
            break
        tensor = made.source
    return tensor


def _rests_on(tensor: Tensor, scores: Tensor, view: View) -> bool:
    """Whether what is filled are certain scores, at most with others of them hidden.

    Of distances the least are the best scores, once their sign has changed.
    """
    for _ in range(MOST_STEPS):
        tensor = _uncopied(tensor, view)
        made = view.graph.maker(tensor)
        if are_one(tensor, scores) or made is None:
            break
        entry = entry_of(made, view)
        filled = None if entry is None or entry.how == "product" else as_tensor(entry.scores.value)
        if filled is None:
            break
        tensor = filled
    return are_one(tensor, scores)


def _is_attended_with(scores: Tensor, use: Use, view: View) -> bool:
    """Whether scores go into another softmax too, without the mask."""
    for site in view.sites:
        made = {each.number for each in behind(view.graph, site.scores_in, _PRODUCTS)}
        if site is not use.site and use.operation.number not in made and made & scores.made_by:
            return True
    return False
