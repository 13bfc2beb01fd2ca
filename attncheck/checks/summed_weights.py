"""Weights summed by themselves over the axis that softmax normalised: that gives 1, always.

How much each key has been attended to so far, its coverage, is the sum over the steps, or queries
(Wu et al. 2016, "Google's Neural Machine Translation System", equation 14; Xu et al. 2015, "Show,
Attend and Tell", section 4.2.1). Over the keys it is a constant, of which a logarithm is 0 and no
gradient comes. Only such a use tells: sums that divide, or are compared, check or keep weights.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.attention import Site, same_axis
from attncheck.checks.report import Culprit, Report
from attncheck.checks.runs import are_one
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import (
    COMPARISONS,
    COPYING,
    MOVES,
    Elementwise,
    Joining,
    Reduction,
    Softmax,
)
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import Sequence, as_tensor

_MOST_STEPS = 12
#: The axes of weights of a batch: sequences, queries, keys.
_BATCHED = 3


@record
class Constant:
    """A sum of weights that is 1: the operand, the axis of its keys, and that of its queries."""

    operand: Operand
    weights: Tensor
    keys: Axis
    over: int | None


def constant_sums(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of sums of weights that are 1 and go on as if they were not."""
    for operation in view.graph.operations:
        found = view.remembered(constant_sum, operation)
        if found is None:
            continue
        size = "" if found.keys.size is None else f" ({found.keys})"
        node = found.operand.node or operation.node
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` sums the weights over the axis that softmax"
            f" normalised{size}: that gives 1, whatever is attended to, and the logarithm or the"
            " penalty that is made of it is a constant",
            Culprit(node, found.weights),
            view.sizes(found.weights),
            "summed over the steps, so that a number is left for each key: how much it was"
            " attended to",
            axis=found.over,
        )


def constant_sum(operation: Operation, view: View) -> Constant | None:
    """The weights that an operation sums to 1, if what becomes of that takes it for a measure."""
    summed = summed_to_one(operation, view)
    if summed is None or not _is_measure(operation, view):
        return None
    place, keys, _ = summed
    operand, source = next(operation.tensors())
    rank = len(view.sizes(source) or ())
    over = place - 1 if rank >= _BATCHED and place > 1 else None
    return Constant(operand, source, keys, over)


def summed_to_one(operation: Operation, view: View) -> tuple[int, Axis, Site] | None:
    """The axis that weights are summed over to 1, its place from 0, and their softmax; or None."""
    event, source = operation.event, operation.source
    if not isinstance(event, Reduction) or event.kind != "sum" or operation.elsewhere:
        return None
    shape = None if source is None else view.shape(source)
    if source is None or shape is None or not shape.closed or len(event.axes or ()) != 1:
        return None
    (axis,) = event.axes or (0,)
    if not -len(shape.axes) <= axis < len(shape.axes):
        return None
    summed = shape.axes[axis]
    sites = (site for site in view.sites if _is_normalised(summed, site, source, view))
    site = next(sites, None)
    return None if site is None else (axis % len(shape.axes), summed, site)


def _is_normalised(summed: Axis, site: Site, source: Tensor, view: View) -> bool:
    """Whether an axis is the whole one that a softmax has normalised, with nothing done since."""
    weights = as_tensor(site.softmax.output)
    shape = view.shape(weights)
    if site.axis is None or shape is None or not shape.closed or not _sums_to_one(site, view):
        return False
    if weights is None or not -len(shape.axes) <= site.axis < len(shape.axes):
        return False
    keys = shape.axes[site.axis]
    own = same_axis(keys, summed) and view.equal(keys.size, summed.size) and not keys.is_one
    return bool(own) and _is_unchanged(source, site.softmax, view)


def _sums_to_one(site: Site, view: View) -> bool:
    """Whether what softmax gives sums to 1: by hand what is divided has to be what was summed."""
    event = site.softmax.event
    if isinstance(event, Softmax):
        return not event.log
    total, over = site.total, site.softmax.source
    if total is None or over is None or total.source is None:
        return False
    if isinstance(event, Elementwise) and event.symbol == "/":
        return are_one(over, total.source)
    less, inside = view.graph.maker(over), total.source
    if isinstance(total.event, Reduction) and total.event.kind != "logsumexp":
        exponential = view.graph.maker(inside)
        inside = inside if exponential is None else exponential.source or inside
    return less is not None and less.source is not None and are_one(less.source, inside)


def _is_unchanged(tensor: Tensor, softmax: Operation, view: View, left: int = _MOST_STEPS) -> bool:
    """Whether weights have only been moved, copied or stacked since their softmax.

    Those of the rounds of a loop come from the same expression, whichever round it was.
    """
    for made in view.graph.makers(tensor):
        if made is None:
            return False
        if made.node is softmax.node:
            continue
        before = _before(made)
        if before is None or left == 0 or not _is_unchanged(before, softmax, view, left - 1):
            return False
    return True


def _before(made: Operation) -> Tensor | None:
    """What an operation moves, copies or stacks."""
    if isinstance(made.event, MOVES) or made.kind in COPYING:
        return made.source
    if not isinstance(made.event, Joining):
        return None
    lists = [operand.value for operand in made.operands if type(operand.value) is Sequence]
    element = lists[0].element if len(lists) == 1 and lists[0].items is None else None
    return None if element is None else as_tensor(element)


def _is_measure(total: Operation, view: View) -> bool:
    """Whether a sum goes into a logarithm or a penalty, and never divides or is compared."""
    made, chain, symbols = {total.number}, {total.number}, set[str]()
    penalty = False
    for later in view.graph.derived(total):
        made.add(later.number)
        symbol = later.event.symbol if isinstance(later.event, Elementwise) else ""
        if symbol in COMPARISONS or later.kind in _COMPARING or _divides(later, symbol, made):
            return False
        if not later.read.isdisjoint(chain) and (
            symbol in _BOUNDING or isinstance(later.event, MOVES)
        ):
            chain.add(later.number)
            symbols.add(symbol)
        penalty = penalty or symbol == "+"
    squared = not symbols.isdisjoint(_SQUARING) and "-" in symbols
    return "log" in symbols or (squared and penalty)


def _divides(later: Operation, symbol: str, made: set[int]) -> bool:
    """Whether what was made of a sum divides something."""
    if symbol != "/":
        return symbol == "reciprocal"
    below = (tensor for operand, tensor in later.tensors() if operand.name == "y")
    return any(number in made for tensor in below for number in tensor.made_by)


_COMPARING = frozenset({"allclose", "isclose"})
_SQUARING = frozenset({"**", "square"})
#: What bounds a number, or makes a penalty of it.
_BOUNDING = _SQUARING | {"-", "+", "log", "maximum", "minimum", "clip", "clamp", "where", "abs"}
