"""Weights with an entry for each feature of each value, normalised over the features.

Where a layer scores every feature of every position by itself, the values are multiplied with
weights of their own shape and summed over the positions: over these the weights of each feature
have to sum to one (Shen et al. 2018, "DiSAN", equations 9 and 10; Zhao et al. 2021, "Point
Transformer", equation 3). A gate of the channels looks alike. So it takes a mask that hides
positions, which changes nothing in a softmax over the features, or what the code around is called,
to tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

import libcst as cst

from attncheck.algebra.broadcast import How
from attncheck.algebra.shape import Shape
from attncheck.attention import Site, behind, contracted_axes, role_behind
from attncheck.checks.constructed import layer_of
from attncheck.checks.entries import entries
from attncheck.checks.report import Culprit, Report
from attncheck.checks.terms import axis_from_end
from attncheck.checks.view import View
from attncheck.checks.weights import is_called_attention, is_chosen
from attncheck.graph import Operation
from attncheck.operators.events import (
    COPYING,
    Contraction,
    Einsum,
    Elementwise,
    NewAxis,
    Reduction,
    Softmax,
)
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.table import Role
from attncheck.tree.pairs import names_assigned, parts
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_PRODUCTS = (Contraction, Einsum)
#: What sums values and weights, and the axis that it sums over.
_Sum: TypeAlias = tuple[Operation, int]
#: Steps on weights that leave them weights.
_LEAVING = COPYING | {"dropout"}
#: What makes shares or gates of what is given, and no values.
_SHARING = frozenset({"sigmoid", "exp", "softmax", "clip", "clamp"})
#: What weighs channels and means it.
_OF_CHANNELS = re.compile(r"channel|squeeze|excit|feature_?att|class|categor|label", re.IGNORECASE)


@record
class VectorSum:
    """A sum of values times weights of their shape, over axis ``contracted``.

    ``masked`` says that a mask hides what is summed, which it does not do there.
    """

    site: Site
    shape: Shape
    operation: Operation
    contracted: int
    masked: bool


def over_channels(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of weights over the features of values that are summed over their positions."""
    for site in view.sites:
        shape = view.shape(as_tensor(site.softmax.output))
        sums = _sums_of(site, shape, view)
        if shape is None or len(sums) != 1 or is_chosen(site, view):
            continue
        ((total, place),) = sums
        masked = _is_masked(site, shape, place, view)
        if masked or _is_attention(site, view):
            yield _report(rule, VectorSum(site, shape, total, place, masked), view)


def weighs_features(site: Site, total: Operation, view: View) -> bool:
    """Whether a sum is one of values with a weight for each of their features."""
    shape = view.shape(as_tensor(site.softmax.output))
    return any(each is total for each, _ in _sums_of(site, shape, view))


def _sums_of(site: Site, shape: Shape | None, view: View) -> list[_Sum]:
    """The sums under weights that are a layer's, and normalised over the features."""
    if shape is None or not shape.closed or site.softmax.elsewhere or site.total is not None:
        return []
    last = len(shape.axes) - 1
    if site.axis is None or last < 2 or site.axis % len(shape.axes) != last:
        return []
    return _sums(site.softmax, shape, view) if _is_of_layer(site, view) else []


def _report(rule: Rule, found: VectorSum, view: View) -> Report:
    site, shape = found.site, found.shape
    made, last = site.softmax, len(shape.axes) - 1
    positions, features = shape.axes[found.contracted], shape.axes[last]
    given = next((each.node for each in made.operands if each.name == "axis"), None)
    from_end = given is not None and view.code(given).startswith("-")
    counted = found.contracted - len(shape.axes) if from_end else found.contracted
    message = (
        f"`{view.quote(made.node)}` normalises axis {last} ({features}), the features of each"
        f" value, but `{view.quote(found.operation.node)}` sums over axis {found.contracted}"
        f" ({positions}): the weights of what is summed do not sum to one"
    )
    if found.masked:
        message += ", and the mask, which is the same for all features, hides nothing"
    return Report(
        rule,
        made,
        made.node,
        f"{message}; the shapes agree, so nothing raises",
        Culprit(next(made.tensors())[0].node or made.node, site.scores_in),
        view.sizes(site.scores_in),
        f"the same shape, with axis {found.contracted} summing to one: the axis that softmax"
        " normalises is the axis that the weighted sum contracts",
        axis=counted,
        named=not found.masked,
    )


def _sums(softmax: Operation, shape: Shape, view: View) -> list[_Sum]:
    """The sums of values with weights of their shape, over one other axis than the features."""
    waiting, found = [softmax], list[_Sum]()
    while waiting:
        weights = waiting.pop()
        for user in view.graph.users(weights):
            if user.kind in _LEAVING:
                waiting.append(user)
            elif isinstance(user.event, Einsum):
                found += _by_letters(user, weights, shape, view)
            elif isinstance(user.event, Elementwise) and user.event.symbol == "*":
                found += _by_hand(user, weights, shape, view)
    return found


def _by_letters(user: Operation, weights: Operation, shape: Shape, view: View) -> list[_Sum]:
    """An einsum of weights and values with the same letters, one of which it sums over."""
    event, tensors = user.event, [tensor for _, tensor in user.tensors()]
    assert isinstance(event, Einsum)
    own = [index for index, each in enumerate(tensors) if weights.number in each.made_by]
    if len(tensors) != 2 or len(event.inputs) != 2 or len(own) != 1:
        return []
    if event.inputs[0] != event.inputs[1] or len(event.inputs[0]) != len(shape.axes):
        return []
    summed = contracted_axes(user, own[0])
    places = [at for at, letter in enumerate(event.inputs[0]) if letter not in event.output]
    values = tensors[1 - own[0]]
    if len(summed) != 1 or places == [len(shape.axes) - 1] or not _are_values(values, view):
        return []
    return [(user, places[0])]


def _by_hand(product: Operation, weights: Operation, shape: Shape, view: View) -> list[_Sum]:
    """Values that are multiplied with weights one by one, and summed over one axis."""
    event, tensors = product.event, [tensor for _, tensor in product.tensors()]
    assert isinstance(event, Elementwise)
    others = [each for each in tensors if weights.number not in each.made_by]
    if len(tensors) != 2 or len(others) != 1 or event.broadcast is None:
        return []
    hows = [pairing.how for pairing in event.broadcast.pairings]
    whole = len(hows) == len(shape.axes) and set(hows) <= {How.MATCHED, How.ASSUMED}
    if not whole or not _are_values(others[0], view):
        return []
    if _is_read_again(product, view):
        return []
    found = []
    for total in view.graph.users(product):
        if not isinstance(total.event, Reduction) or total.event.kind != "sum":
            return []
        axes = total.event.axes or ()
        place = axes[0] % len(shape.axes) if len(axes) == 1 else len(shape.axes) - 1
        if place < len(shape.axes) - 1 and not total.event.keepdims and not _is_spread(total, view):
            found.append((total, place))
    return found


def _is_read_again(product: Operation, view: View) -> bool:
    """Whether what is weighed is used as it is as well, under its name: a gate."""
    around = view.source.around(product.node)
    function = next((node for node in around if isinstance(node, cst.FunctionDef)), None)
    names = set[str]() if product.statement is None else names_assigned(product.statement)
    if function is None or not names:
        return False
    mentioned = [
        node.value for node in parts(function) if isinstance(node, cst.Name) and node.value in names
    ]
    lines = [node for node in parts(function) if isinstance(node, cst.Assign)]
    written = [name for line in lines for name in names_assigned(line) if name in names]
    return len(mentioned) - len(written) > 1


def _is_spread(total: Operation, view: View) -> bool:
    """Whether a sum goes back to all positions, as what queries of linear attention ask does."""
    return any(isinstance(user.event, NewAxis) for user in view.graph.users(total))


def _are_values(tensor: Tensor, view: View) -> bool:
    """Whether a tensor holds states, and no shares or gates that probabilities are summed by."""
    shape = view.shape(tensor)
    if shape is None or any(axis.normalised for axis in (*shape.lead, *shape.trail)):
        return False
    return not any(
        isinstance(made.event, Softmax)
        or (isinstance(made.event, Elementwise) and made.event.symbol in _SHARING)
        for made in behind(view.graph, tensor, _PRODUCTS)
    )


def _is_of_layer(site: Site, view: View) -> bool:
    """Whether scores are what a layer, or a learned matrix, has made of states."""
    product = site.scores
    if product is None:
        return False
    parameters = (role_behind(view.graph, tensor) for _, tensor in product.tensors())
    return layer_of(product) is not None or Role.PARAMETER in parameters


def _is_masked(site: Site, shape: Shape, contracted: int, view: View) -> bool:
    """Whether a mask is put on the scores that tells apart what is summed, and no features."""
    rank = len(shape.axes)
    for entry in entries(site, view):
        mask = view.shape(entry.mask_tensor)
        if mask is None:
            continue
        if len(mask.lead) >= rank:
            mask = Shape(mask.lead[:rank])  # with more axes it would have given the scores more
        own = [axis_from_end(mask, rank - 1 - at) for at in (contracted, rank - 1)]
        if own[1] is not None and own[1].is_one and own[0] is not None and not own[0].is_one:
            return True
    return False


def _is_attention(site: Site, view: View) -> bool:
    """Whether the code around is called attention, and nothing in it speaks of channels."""
    around = view.source.around(site.softmax.node)
    defined = [node for node in around if isinstance(node, cst.ClassDef | cst.FunctionDef)]
    return is_called_attention(site, view) and not any(
        _OF_CHANNELS.search(node.name.value) for node in defined
    )
