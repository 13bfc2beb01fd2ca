"""Softmax over the keys of all heads at once: the heads were merged with them.

Each head shares out one weight of its own (Vaswani et al. 2017, section 3.2.2). Where the heads'
axis was flattened into that of the keys, all heads together sum to one, and what one of them gets
the others lose.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis, Shape
from attncheck.attention import Site
from attncheck.checks.heads import counts_heads
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.operators.events import Reshaping
from attncheck.rule import Rule


def over_merged_heads(rule: Rule, site: Site, shape: Shape, view: View) -> Iterator[Report]:
    """The report of a softmax over an axis that holds the heads and something else."""
    merged = heads_merged(site, shape)
    operand = next((operand for operand, _ in site.softmax.tensors()), None)
    if merged is None or operand is None or operand.node is None:
        return
    axis, place = merged
    heads = axis.parts[place].size
    others = [part.size for at, part in enumerate(axis.parts) if at != place]
    yield Report(
        rule,
        site.softmax,
        site.softmax.node,
        f"`{view.quote(site.softmax.node)}` normalises an axis that merges {heads} with"
        f" {text_of(tuple(others))}: the weights of all heads together sum to one, so that those of"
        " one head do not, and nothing raises",
        Culprit(operand.node, site.scores_in),
        None,
        "weights that sum to one for each head: the heads' axis left out of what is normalised",
        named=True,
    )


def heads_merged(site: Site, shape: Shape) -> tuple[Axis, int] | None:
    """The axis that softmax normalises and where the heads are in it, if they are one of several.

    The scores are those of a product, which the heads went into side by side.
    """
    rank = len(shape.axes)
    if site.axis is None or site.scores is None or not -rank <= site.axis < rank:
        return None
    axis = shape.axes[site.axis]
    heads = [place for place, part in enumerate(axis.parts) if counts_heads(part)]
    others = [part for part in axis.parts if not counts_heads(part) and not part.is_one]
    return (axis, heads[0]) if len(heads) == 1 and others else None


def starts_with_heads(site: Site, shape: Shape, view: View) -> bool:
    """Whether the merge itself is what softmax is given, with the heads first in it."""
    merged, made = heads_merged(site, shape), view.graph.maker(site.scores_in)
    is_merge = made is not None and isinstance(made.event, Reshaping)
    return is_merge and merged is not None and merged[1] == 0
