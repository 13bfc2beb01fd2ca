"""Scores of one number for each query, which only the mask gives an axis of keys.

``where(adjacency > 0, logits, -1e9)`` of logits ``(N, 1)`` and an adjacency ``(N, N)`` gives scores
of ``(N, N)``, and softmax over the keys gives all that may be seen the same weight: the keys are
nowhere in them.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.attention import Site
from attncheck.checks.entries import Entry, entries
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.rule import Rule
from attncheck.values.value import as_tensor

#: How masks are put on scores that can be nothing else.
_PUT_ON = frozenset({"fill", "choice"})


def stretched_scores(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of masks that spread one score over the axis that softmax normalises."""
    for _, entry in view.once(_spread):
        yield from _report(rule, entry, view)


def is_stretched(operation: Operation, view: View) -> bool:
    """Whether an operation is a mask put on scores that it gives their keys."""
    return any(entry.operation is operation for _, entry in view.once(_spread))


def _spread(view: View) -> list[tuple[Site, Entry]]:
    """The masks that spread scores over the keys, with what they are put on."""
    return [
        (site, entry)
        for site in view.sites
        for entry in entries(site, view)
        if entry.how in _PUT_ON and not entry.moved and _spreads(site, entry, view)
    ]


def _spreads(site: Site, entry: Entry, view: View) -> bool:
    """Whether a mask has keys on the axis that softmax normalises, where the scores have one."""
    scores = view.shape(as_tensor(entry.scores.value))
    mask, normalised = view.shape(entry.mask_tensor), view.shape(site.scores_in)
    shapes = [shape for shape in (scores, mask, normalised) if shape is not None and shape.closed]
    if len(shapes) < 3 or site.axis is None:
        return False
    rank = len(shapes[2].axes)
    places = [site.axis % rank - rank + len(shape.axes) for shape in shapes if rank > site.axis]
    if len(places) < 3 or min(places) < 0:
        return False
    one, keys, _ = (shape.axes[place] for shape, place in zip(shapes, places, strict=True))
    return one.is_one and keys.size is not None and not keys.is_one and len(shapes[0].axes) > 1


def _report(rule: Rule, entry: Entry, view: View) -> Iterator[Report]:
    scores, node = as_tensor(entry.scores.value), entry.scores.node
    if scores is None or node is None:
        return
    mask, name = view.text(entry.mask_tensor), view.quote(node)
    yield Report(
        rule,
        entry.operation,
        entry.operation.node,
        f"`{name}` is {view.text(scores)}, one score for each query, and only the mask {mask} gives"
        " it keys: softmax weighs all keys alike that may be seen",
        Culprit(node, scores),
        None,
        "with a score of its own for each query and key",
    )
