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
from attncheck.record import record
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor


@record
class Misplaced:
    """A mask, the shape with which each of its axes meets its own, and two that meet and do not.

    Of a mask of more axes than the scores ``own`` is one that meets none (``met`` is None).
    """

    mask: Operand
    tensor: Tensor
    scores: Operand
    expected: Sizes
    own: Axis
    met: Axis | None


def misplaced(operation: Operation, view: View) -> Misplaced | None:
    """How the mask of an operation on scores lies across their axes, or None."""
    if operation.number not in view.once(_put_on_scores):
        return None
    entry = entry_of(operation, view)
    if entry is None or entry.mask.node is None:
        return None
    mask, scores = view.shape(entry.mask_tensor), view.shape(as_tensor(entry.scores.value))
    if mask is None or scores is None or not mask.closed or not scores.closed:
        return None
    if scores.axes and scores.axes[-1].is_one:
        return None  # the scores have an axis too many, which is not the mask's fault
    crossing = _crossing(mask, scores, view.facts) or _in_front(mask, scores, view.facts)
    expected = None if crossing is None else _placed(mask, scores, view.facts)
    if crossing is None or expected is None or expected == mask.sizes():
        return None
    return Misplaced(entry.mask, entry.mask_tensor, entry.scores, expected, *crossing)


def _put_on_scores(view: View) -> set[int]:
    """The operations that put masks on the scores of some site."""
    return {entry.operation.number for site in view.sites for entry in entries(site, view)}


def _crossing(mask: Shape, scores: Shape, facts: Facts) -> tuple[Axis, Axis] | None:
    """The first axes, from the last one on, that meet and are not the same."""
    for own, met in zip(reversed(mask.axes), reversed(scores.axes), strict=False):
        if own.is_one or met.is_one or own.size is None or met.size is None:
            continue
        verdict = facts.compare(own.size, met.size)
        if verdict.clashes:
            return own, met
        if verdict is Verdict.UNKNOWN and any(are_one(own, axis) for axis in scores.axes):
            return (own, met) if not are_one(own, met) else None
    return None


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
