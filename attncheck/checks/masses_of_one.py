"""Masses of clusters that are 1, whatever was assigned: softmax over what is assigned.

Soft assignment shares each frame among the clusters (Arandjelović et al. 2016, "NetVLAD", equation
4), so that the sum over the frames is how much a cluster has got. Normalised over the frames it is
1 for every cluster, and what is multiplied with it stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.size import Size
from attncheck.attention import LEARNED, Site, role_behind
from attncheck.checks.report import Culprit, Report
from attncheck.checks.summed_weights import summed_to_one
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import COPYING, MOVES, Elementwise
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

#: Weights of a batch: sequences, what is assigned, and what it is assigned to.
_RANK = 3


@record
class MassOfOne:
    """A softmax, the sum of what it gives over its own axis, and the product that this goes into.

    ``place`` is the axis of the softmax, ``other`` the one that was meant, of size ``clusters``.
    """

    site: Site
    total: Operation
    product: Operation
    place: int
    other: int
    clusters: Size


def masses_of_one(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each softmax whose weights are summed to 1 where a mass is meant."""
    for found in view.once(_masses):
        softmax = found.site.softmax
        weights = as_tensor(softmax.output)
        if weights is None:
            continue
        total = view.quote(found.total.node)
        yield Report(
            rule,
            softmax,
            softmax.node,
            f"`{view.quote(softmax.node)}` normalises axis {found.place}, and `{total}`"
            f" ({view.place(found.total.node)}) sums over the same axis: that is 1 for each of"
            f" {found.clusters}, whatever the scores are, and"
            f" `{view.quote(found.product.node)}` ({view.place(found.product.node)}) multiplies"
            " with nothing",
            Culprit(softmax.node, weights),
            view.sizes(weights),
            f"the same shape, normalised over axis {found.other}, so that the sum over axis"
            f" {found.place} says how much each of {found.clusters} has got",
            axis=found.other,
            local=softmax.place == found.total.place,
        )


def _masses(view: View) -> list[MassOfOne]:
    found: dict[object, MassOfOne] = {}
    for total in view.graph.operations if view.sites else ():
        summed = None if total.elsewhere else summed_to_one(total, view)
        if summed is None or summed[2].softmax.elsewhere:
            continue
        place, _, site = summed
        sizes = view.sizes(total.source)
        own = view.sizes(as_tensor(site.softmax.output))
        if sizes is None or len(sizes) != _RANK or own != sizes or place == 0:
            continue  # the batch is no axis to be normalised over
        other = _RANK - place
        clusters = sizes[other]
        product = None if clusters is None else _multiplied(total, clusters, view)
        if product is not None and clusters is not None:
            each = MassOfOne(site, total, product, place, other, clusters)
            found.setdefault(site.softmax.node, each)
    return list(found.values())


def _multiplied(total: Operation, clusters: Size, view: View) -> Operation | None:
    """The product of a sum with what has something for each cluster; None if it is used otherwise.

    What divides by a sum, or compares it, knows that it may be 1.
    """
    chain, product = {total.number}, None
    for later in view.graph.after(total):
        if later.read.isdisjoint(chain):
            continue
        if isinstance(later.event, MOVES) or later.kind in COPYING:
            chain.add(later.number)
            continue
        symbol = later.event.symbol if isinstance(later.event, Elementwise) else ""
        if symbol != "*":
            return None
        beside = [tensor for _, tensor in later.tensors() if not tensor.made_by & chain]
        if len(beside) == 1 and _has(beside[0], clusters, view) and product is None:
            product = later
    return product


def _has(tensor: Tensor, clusters: Size, view: View) -> bool:
    """Whether a tensor is learned, and has something for each cluster."""
    if role_behind(view.graph, tensor) not in LEARNED:
        return False
    sizes = view.sizes(tensor)
    return sizes is not None and any(view.equal(size, clusters) for size in sizes)
