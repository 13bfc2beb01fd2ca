"""Softmax over any axis other than the keys normalises the wrong thing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attncheck.algebra.shape import Shape
from attncheck.algebra.size import ONE, Size
from attncheck.attention import Site, WeightedSum, behind
from attncheck.checks.attended_heads import of_heads
from attncheck.checks.class_axis import off_the_classes
from attncheck.checks.constructed import layer_of, output_size
from attncheck.checks.heads import counts_heads
from attncheck.checks.masses_of_one import masses_of_one
from attncheck.checks.merged_heads import over_merged_heads
from attncheck.checks.report import Culprit, Report, Sizes, sizes_of, text_of
from attncheck.checks.sources import Trio, trios
from attncheck.checks.summed_across import summed_across
from attncheck.checks.turned_tables import turned_tables
from attncheck.checks.unshaped import places
from attncheck.checks.vector_weights import over_channels
from attncheck.checks.view import View
from attncheck.checks.weights import is_called_attention, is_chosen, key_position, mismatch
from attncheck.evidence.identifiers import spoken
from attncheck.graph import Operation
from attncheck.operators.events import (
    Contraction,
    Einsum,
    Elementwise,
    Permutation,
    Reduction,
    Softmax,
)
from attncheck.rule import Rule
from attncheck.table import Role, roles_of
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

if TYPE_CHECKING:
    import libcst as cst

RULE = Rule("ATN301", "softmax-axis", "softmax over an axis that is not the key axis")
ON = (Softmax, Elementwise)
#: Matrices of a batch have so many axes.
_STACK = 3


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a softmax whose axis is not the one that the weighted sum uses up."""
    site = view.site_of(operation.number)
    if site is None:
        return
    if not site.sums:
        yield from off_the_classes(RULE, operation, view)
    shape = view.shape(as_tensor(operation.output))
    if shape is None or not shape.closed:
        yield from _alone(site, shape, view) if _ends_in_one(shape) else _unshaped(site, view)
        return
    if site.over_all:
        yield from _over_all(site, shape, view)
        return
    for sum_ in site.sums:
        found = mismatch(site, sum_, view)
        if found is not None and found.keys != found.normalised:
            report = _report(site, shape, found.normalised, found.contracted, view)
            report.named = found.named
            yield report
            return
    yield from _of_one_score(site, shape, view)
    yield from _among_heads(site, shape, view)
    yield from over_merged_heads(RULE, site, shape, view)


def check_trace(view: View) -> Iterator[Report]:
    """Report scores with the queries last, where softmax and sum take them for the keys."""
    yield from turned_tables(RULE, view)
    yield from over_channels(RULE, view)
    yield from summed_across(RULE, view)
    yield from masses_of_one(RULE, view)
    for trio in trios(view):
        product, total = trio.operation, trio.sum
        if product.clash is not None or product.elsewhere or not is_turned(trio, view):
            continue
        sites = [site for site in view.sites if site.scores is product]
        if len(sites) != 1 or not _stay(product, sites[0]):
            continue  # what came between may have the axes of a mask
        if any(mismatch(sites[0], each, view) for each in sites[0].sums):
            continue  # softmax is over another axis than the sum, which is told as that
        output = as_tensor(product.output)
        assert output is not None
        query, key = (spoken(_node(product, part)) for part in (trio.key, trio.query))
        message = (
            f"`{view.quote(product.node)}` puts the positions of `{query}` where"
            f" `{view.quote(total.node)}` expects those of `{key}`: softmax shares out each key"
            " among the queries, and values are summed over the queries; the shapes agree, so"
            " nothing raises"
        )
        yield Report(
            RULE,
            product,
            product.node,
            message,
            Culprit(product.node, output),
            view.sizes(output),
            f"the same shape, with the positions of `{query}` before those of `{key}`: each query"
            " shares its weight among the keys",
            named=True,
        )


def is_turned(trio: Trio, view: View) -> bool:
    """Whether values are summed over the positions of what is called the query.

    One sequence attends to itself, so that no size tells; both have to be called by their names.
    """
    if not trio.told or not _is_table(trio.operation):
        return False
    names = [spoken(_node(trio.operation, part)) or "" for part in (trio.query, trio.key)]
    roles = roles_of(names)
    return [roles.get(name) for name in names] == [Role.KEY, Role.QUERY]


def _is_table(product: Operation) -> bool:
    """Whether an einsum sums features, and has one axis of either side that the other has not."""
    event = product.event
    if not isinstance(event, Einsum) or len(event.inputs) != 2:
        return False
    left, right = (set(letters) for letters in event.inputs)
    output = set(event.output)
    sides = len(output & left - right), len(output & right - left)
    return sides == (1, 1) and bool(left & right - output)


def _stay(product: Operation, site: Site) -> bool:
    """Whether the axes of scores are still those of the product where softmax takes them."""
    shapes = [as_tensor(each.output) for each in (product, site.softmax)]
    tags = [
        None
        if each is None or each.shape is None or not each.shape.closed
        else [axis.tag for axis in each.shape.axes[-2:]]
        for each in shapes
    ]
    return tags[0] is not None and None not in tags[0] and tags[0] == tags[1]


def _node(product: Operation, part: Tensor) -> cst.CSTNode | None:
    return next((operand.node for operand, tensor in product.tensors() if tensor is part), None)


def where(site: Site, view: View) -> cst.CSTNode:
    """Where the axis was chosen: the call of a helper that takes it, or the softmax."""
    calls = site.softmax.place.calls
    if calls and getattr(calls[-1].node, "args", ()) and axis_parameter(site) is not None:
        return calls[-1].node
    return site.softmax.node


def axis_parameter(site: Site) -> str | None:
    """The argument of the function that the softmax is written in which its axis is, by name."""
    parameters = getattr(site.softmax.place.node, "params", None)
    if parameters is None:
        return None
    listed = (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
    names = {parameter.name.value for parameter in listed}
    nodes = [site.softmax.node, *([] if site.total is None else [site.total.node])]
    written = [argument.value for node in nodes for argument in getattr(node, "args", ())]
    tensors = {operand.node for operand, _ in site.softmax.tensors()}
    given = (getattr(node, "value", None) for node in written if node not in tensors)
    return next((name for name in given if name in names), None)


def argument(call: cst.CSTNode) -> cst.CSTNode | None:
    """The first argument of a call: what is normalised."""
    arguments = getattr(call, "args", ())
    return arguments[0].value if arguments else None


def _report(site: Site, shape: Shape, normalised: int, wanted: int, view: View) -> Report:
    sizes = shape.sizes()
    wrong, right = sizes[normalised], sizes[wanted]
    message = (
        f"`{view.quote(where(site, view))}` normalises axis {normalised} ({wrong}), but the"
        f" weighted sum runs over axis {wanted} ({right})"
    )
    if shape.axes[normalised].is_one:
        message += ": one share of one is 1, so every weight is 1 and nothing is attended to"
    message += _reversed(site, normalised, view)
    if wrong == right:
        message += "; the shapes agree, so nothing raises"
    derivation = (
        f"the same shape, with axis {wanted} summing to one: the axis that softmax normalises is"
        " the axis that the weighted sum contracts"
    )
    return _finding(site, view, message, derivation, wanted)


def _reversed(site: Site, normalised: int, view: View) -> str:
    """How the first axis came to be the last: by a transpose of all axes; else nothing."""
    made = view.maker(site.scores_in)
    event = None if made is None else made.event
    if made is None or not isinstance(event, Permutation) or len(event.order) < _STACK:
        return ""
    turned = tuple(range(len(event.order)))[::-1]
    rank = len(event.order)
    if tuple(place % rank for place in event.order) != turned or normalised != rank - 1:
        return ""
    return (
        f"; `{view.quote(made.node)}` reverses all {rank} axes, so that what was the first one, the"
        " batch, is shared out"
    )


def _ends_in_one(shape: Shape | None) -> bool:
    """Whether all that is known of a shape is that its last axis has one element."""
    return shape is not None and bool(shape.trail) and shape.trail[-1].is_one


def _alone(site: Site, shape: Shape | None, view: View) -> Iterator[Report]:
    """A softmax over a last axis of one element, before a sum over another axis."""
    for sum_ in site.sums:
        event = sum_.operation.event
        axes = event.axes if isinstance(event, Reduction) else None
        if site.axis != -1 or axes is None or len(axes) != 1 or axes[0] == -1:
            continue
        if is_chosen(site, view):
            continue
        message = (
            f"`{view.quote(where(site, view))}` normalises the last axis, which has size 1, but the"
            f" weighted sum runs over axis {axes[0]}: one share of one is 1, so every weight is 1"
            " and nothing is attended to"
        )
        derivation = "the axis that softmax normalises is the axis that the weighted sum contracts"
        yield _finding(site, view, message, derivation, axes[0])
        return


def _unshaped(site: Site, view: View) -> Iterator[Report]:
    """A softmax over another axis than the last, which a sum uses up; no shape is known."""
    for sum_ in site.sums:
        found = places(site, sum_, view)
        by_hand = isinstance(sum_.operation.event, Reduction)
        if found is None or (found[1] != -1 and not by_hand) or is_chosen(site, view):
            continue
        shared = _turns_features(site, view)
        if shared and not is_called_attention(site, view):
            continue
        if by_hand:
            yield _beside_sum(site, sum_, found, view)
            return
        message = (
            f"`{view.quote(where(site, view))}` normalises axis {site.axis}, but"
            f" `{view.quote(sum_.operation.node)}` sums over the last axis of the weights"
        )
        derivation = "the axis that softmax normalises is the axis that the weighted sum contracts"
        report = _finding(site, view, message, derivation, found[1])
        report.named = shared
        yield report
        return


def _turns_features(site: Site, view: View) -> bool:
    """Whether scores are what a layer puts out, turned: softmax may share positions among them."""
    between = behind(view.graph, site.scores_in, (Contraction,))
    made = site.scores
    layer = made is not None and layer_of(made) is not None
    return layer and any(isinstance(each.event, Permutation) for each in between)


def _of_one_score(site: Site, shape: Shape, view: View) -> Iterator[Report]:
    """A softmax over the one number that a layer gives each position.

    However the weights are reshaped before they are used, all of them are 1.
    """
    rank = len(shape.axes)
    if site.axis is None or not -rank <= site.axis < rank:
        return
    axis = shape.axes[site.axis]
    if not axis.is_one or axis.tag is None or rank < 2 or is_chosen(site, view):
        return
    made = [each for each in view.graph.operations if axis.tag.root == f"#{each.number}"]
    sizes = [output_size(view, each) for each in made]
    if not any(size is not None and view.code(size.node) == "1" for size in sizes):
        return  # a size that is given from outside may well be 1 for once
    message = (
        f"`{view.quote(where(site, view))}` normalises axis {site.axis % rank} of"
        f" {text_of(shape.sizes())}, which has size 1: one share of one is 1, so every weight is 1"
        " and nothing is attended to"
    )
    derivation = "scores with the axis that softmax normalises counting the keys"
    report = _finding(site, view, message, derivation, 0)
    report.axis, report.expected = None, None
    yield report


def _beside_sum(site: Site, sum_: WeightedSum, found: tuple[int, int], view: View) -> Report:
    """Weights and the sum over them by hand, over two axes: either may be wrong."""
    message = (
        f"`{view.quote(where(site, view))}` normalises axis {site.axis}, but"
        f" `{view.quote(sum_.operation.node)}` sums over axis {found[1]}, where the weights have"
        f" another: what is normalised is axis {found[0]} there"
    )
    derivation = "the axis that softmax normalises is the axis that the weighted sum contracts"
    report = _finding(site, view, message, derivation, found[1])
    report.named = True
    return report


def _among_heads(site: Site, shape: Shape, view: View) -> Iterator[Report]:
    """Scores of one position's heads with each other: the transpose before them is missing."""
    heads = [place for place, axis in enumerate(shape.axes) if counts_heads(axis)]
    if site.axis is None or len(heads) != 2 or site.axis % len(shape.axes) not in heads:
        return
    if not of_heads(shape.axes[heads[0]], shape.axes[heads[1]], view):
        return
    if len(shape.axes) < 3 or key_position(site, shape, view) not in heads or not site.sums:
        return
    message = (
        f"`{view.quote(site.softmax.node)}` weighs the heads of one position against each other:"
        f" the scores {text_of(shape.sizes())} have heads for queries and for keys, and no position"
        " attends to another"
    )
    derivation = (
        "scores of positions with positions, a table for each head: queries, keys and values with"
        " their heads transposed in front of the positions"
    )
    report = _finding(site, view, message, derivation, site.axis)
    report.named, report.expected = True, None
    yield report


def _over_all(site: Site, shape: Shape, view: View) -> Iterator[Report]:
    """A hand-written softmax that divides by the sum over everything."""
    position = key_position(site, shape, view)
    if position is None or not site.sums or sum(not axis.is_one for axis in shape.axes) < 2:
        return
    message = (
        f"`{view.quote(site.softmax.node)}` divides by the sum over all of"
        f" {text_of(shape.sizes())}: the weights of one query do not sum to one"
    )
    derivation = f"each row divided by its own sum over axis {position}"
    yield _finding(site, view, message, derivation, position)


def _finding(site: Site, view: View, message: str, derivation: str, axis: int) -> Report:
    operand = next(iter(site.softmax.tensors()))[0]
    node = operand.node if operand.node is not None else site.softmax.node
    sizes = sizes_of(view.shape(site.scores_in)) or view.sizes(as_tensor(site.softmax.output))
    place, function = where(site, view), None
    culprit = Culprit(node, site.scores_in)
    if site.total is not None and not site.total.elsewhere and place is site.softmax.node:
        culprit, sizes = _sum(site.total, sizes, axis) or (culprit, sizes)
    if place is not site.softmax.node:
        node = argument(place) or node
        function = site.softmax.place.calls[-1].function
        culprit = Culprit(node, site.scores_in)
    return Report(
        RULE,
        site.softmax,
        place,
        message,
        culprit,
        sizes,
        derivation,
        axis=axis,
        function=function,
    )


def _sum(total: Operation, sizes: Sizes | None, axis: int) -> tuple[Culprit, Sizes | None] | None:
    """The sum that a hand-written softmax divides by, and the sizes that it should have."""
    made = as_tensor(total.output)
    if made is None:
        return None
    wanted: list[Size | None] | None = None if sizes is None else list(sizes)
    if wanted is not None:
        wanted[axis] = ONE
    return Culprit(total.node, made), None if wanted is None else tuple(wanted)
