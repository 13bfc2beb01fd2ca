"""Masks whose axes meet others of the scores than those they are: a head axis is missing.

A mask of ``(B, T)`` meets scores of ``(B, H, T, T)`` from the last axis on, so that B lies along
the queries. Whatever the sizes are, each axis of a mask belongs to one axis of the scores: the
last one to the keys, the first one to the batch.
"""

from __future__ import annotations

import itertools

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.reshape import same_size
from attncheck.algebra.shape import Axis, Shape
from attncheck.algebra.size import ONE
from attncheck.checks.entries import entries, entry_of
from attncheck.checks.report import Sizes
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Attention, Fault
from attncheck.record import record
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

#: Attention as a function, whose scores have the leading axes of the query.
FUNCTION = "scaled_dot_product_attention"
#: Attention of the library that puts a mask on scores of all its heads: Keras', Flax's, JAX's.
_LAYERS = frozenset({"value_first_attention", "projected", "attention"})


@record
class Misplaced:
    """A mask, the shape with which each of its axes meets its own, and two that meet and do not.

    Of a mask of more axes than the scores ``own`` is one that meets none (``met`` is None).
    """

    mask: Operand
    tensor: Tensor
    scores: Shape
    expected: Sizes
    own: Axis
    met: Axis | None
    #: whether its place is right, and it is the mask of the queries' sequence where the keys are
    #: those of another one
    of_queries: bool = False


def misplaced(operation: Operation, view: View) -> Misplaced | None:
    """How the mask of an operation on scores lies across their axes, or None."""
    given = _given_to_layer(operation, view) or _put_by_hand(operation, view)
    mask = None if given is None else view.shape(as_tensor(given[0].value))
    if given is None or mask is None or not mask.closed or not given[1].closed:
        return None
    operand, scores = given
    if scores.axes and scores.axes[-1].is_one:
        return None  # the scores have an axis too many, which is not the mask's fault
    crossing = _crossing(mask, scores, view.facts) or _in_front(mask, scores, view.facts)
    expected = None if crossing is None else _placed(mask, scores, view.facts)
    tensor = as_tensor(operand.value)
    if crossing is None or expected is None or expected == mask.sizes() or tensor is None:
        return None
    of_queries = _is_of_queries(mask, scores, crossing)
    if of_queries:
        expected = (*mask.sizes()[:-1], scores.axes[-1].size)
    own, met = crossing
    return Misplaced(operand, tensor, scores, expected, own, met, of_queries)


def _is_of_queries(mask: Shape, scores: Shape, crossing: tuple[Axis, Axis | None]) -> bool:
    """Whether a mask was laid along the keys, with 1 for all queries, and has as many as these."""
    if len(mask.axes) != len(scores.axes) or len(scores.axes) < 3 or not mask.axes[-2].is_one:
        return False
    own, met = crossing
    return met is scores.axes[-1] and own.size == scores.axes[-2].size


def is_of_mask(operation: Operation) -> bool:
    """Whether it is the mask that a library's attention cannot work with."""
    clash = operation.clash
    return (operation.kind == FUNCTION or operation.kind in _LAYERS) and (
        clash is not None and clash.operand == 3 and clash.fault is Fault.BROADCAST
    )


def _put_by_hand(operation: Operation, view: View) -> tuple[Operand, Shape] | None:
    """The mask that an operation puts on the scores of some site, and these."""
    if operation.number not in view.once(_put_on_scores):
        return None
    entry = entry_of(operation, view)
    scores = None if entry is None else view.shape(as_tensor(entry.scores.value))
    if entry is None or entry.mask.node is None or scores is None:
        return None
    return entry.mask, scores


def _given_to_layer(operation: Operation, view: View) -> tuple[Operand, Shape] | None:
    """The mask of a library's attention on queries, keys and values, and the scores' shape."""
    event = operation.event
    if not isinstance(event, Attention) or event.mask is None or operation.kind != FUNCTION:
        return None
    operands = {operand.name: operand for operand, _ in operation.tensors()}
    mask, query = operands.get("mask"), operands.get("query")
    shape = None if query is None else view.shape(as_tensor(query.value))
    if mask is None or mask.node is None or shape is None or not shape.closed:
        return None
    return mask, Shape((*shape.axes[:-2], event.query, event.key))


def _put_on_scores(view: View) -> set[int]:
    """The operations that put masks on the scores of some site."""
    return {entry.operation.number for site in view.sites for entry in entries(site, view)}


def _crossing(mask: Shape, scores: Shape, facts: Facts) -> tuple[Axis, Axis] | None:
    """The first axes, from the last one on, that meet and are not the same."""
    pairs = list(zip(reversed(mask.axes), reversed(scores.axes), strict=False))
    for place, (own, met) in enumerate(pairs):
        if own.is_one or own.size is None or met.size is None:
            continue
        if met.is_one:
            # Scores have one axis for all heads, or one query: what the mask has there is another
            # axis of theirs. One number may be two sizes, but hardly where only that axis is short.
            before = scores.axes[: -1 - place]
            first = own is mask.axes[0] and len(mask.axes) + 1 == len(scores.axes)
            if any(_is_own(own, axis, facts) for axis in before) or (
                first and same_size(own, scores.axes[0], facts)
            ):
                return own, met
            continue
        verdict = facts.compare(own.size, met.size)
        if verdict.clashes:
            return own, met
        if verdict is Verdict.UNKNOWN and any(_is_own(own, axis, facts) for axis in scores.axes):
            return (own, met) if not are_one(own, met) else None
    return None


def _is_own(axis: Axis, other: Axis, facts: Facts) -> bool:
    """Whether two axes come from one, or are of one size that is no number."""
    if are_one(axis, other):
        return True
    return axis.size is not None and axis.size.number is None and same_size(axis, other, facts)


def _in_front(mask: Shape, scores: Shape, facts: Facts) -> tuple[Axis, None] | None:
    """The batch of a mask that has one axis more than the scores, with 1 where their batch is."""
    if len(mask.axes) != len(scores.axes) + 1 or len(scores.axes) < 3:
        return None
    first, second = mask.axes[:2]
    if first.is_one or not second.is_one or scores.axes[0].is_one:
        return None
    return (first, None) if same_size(first, scores.axes[0], facts) else None


def are_one(left: Axis, right: Axis) -> bool:
    """Whether two axes come from one axis of one tensor."""
    if left.tag is None or right.tag is None:
        return False
    return (left.tag.root, left.tag.index) == (right.tag.root, right.tag.index)


def _placed(mask: Shape, scores: Shape, facts: Facts) -> Sizes | None:
    """A mask's sizes, each under its own of the scores: the last at the end, the first in front."""
    own = [axis for axis in mask.axes if not axis.is_one]
    fitting = [
        places
        for places in itertools.combinations(range(len(scores.axes)), len(own))
        if all(
            same_size(axis, scores.axes[place], facts)
            for axis, place in zip(own, places, strict=True)
        )
    ]
    if not own or not fitting:
        return None
    best = max(fitting, key=lambda places: (places[-1], -places[0], places))
    under = dict(zip(best, own, strict=True))
    return tuple(under[at].size if at in under else ONE for at in range(len(scores.axes)))
