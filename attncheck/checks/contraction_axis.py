"""Weights contracted over an axis that softmax did not normalise."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.size import ONE, Size
from attncheck.attention import Site, WeightedSum, same_axis
from attncheck.checks.asked_values import asked_values
from attncheck.checks.compared_copies import compared_copies
from attncheck.checks.covered_twice import covered_twice
from attncheck.checks.inverse_axis import inverse_axes
from attncheck.checks.normed_apart import normed_apart
from attncheck.checks.normed_whole import normed_whole
from attncheck.checks.one_dot import one_score
from attncheck.checks.pooled_features import over_features
from attncheck.checks.pooled_means import pooled_means
from attncheck.checks.report import Culprit, Report
from attncheck.checks.summed_weights import constant_sums
from attncheck.checks.vector_weights import weighs_features
from attncheck.checks.view import View
from attncheck.checks.weights import Mismatch, mismatch
from attncheck.graph import Operation
from attncheck.operators.events import Contraction, Einsum, Elementwise, Reduction
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import Const, Int, Library, Scalar, as_tensor

RULE = Rule("ATN302", "contraction-axis", "weights contracted over an axis that was not normalised")
ON = (Contraction, Einsum, Reduction)


def check_trace(view: View) -> Iterator[Report]:
    """Report weights that are summed to 1, scores of the batch, vectors of another length."""
    yield from one_score(RULE, view)
    yield from constant_sums(RULE, view)
    yield from covered_twice(RULE, view)
    yield from pooled_means(RULE, view)
    yield from over_features(RULE, view)
    yield from asked_values(RULE, view)
    yield from normed_apart(RULE, view)
    yield from normed_whole(RULE, view)
    yield from compared_copies(RULE, view)
    yield from inverse_axes(RULE, view)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a weighted sum over the queries of weights that are normalised over the keys."""
    if operation.clash is not None:
        return
    for site in view.sites:
        for sum_ in site.sums:
            if sum_.operation is not operation or weighs_features(site, operation, view):
                continue
            if _is_summed_alone(site, sum_, view):
                yield _alone(site, sum_, view)
                return
            if _is_over_last(site, sum_, view):
                yield _over_last(site, sum_, view)
                return
            left = _left_alone(site, sum_, view)
            if left is not None:
                yield from _over_features(operation, site, left, view)
                return
            found = mismatch(site, sum_, view)
            if found is not None and (
                _weighs_again(site, sum_, found, view)
                or _weighs_itself(site, sum_, view)
                or _weighs_weights(sum_, view)
            ):
                continue
            if found is None or found.keys != found.normalised:
                continue
            if isinstance(operation.event, Reduction):
                yield from _over_features(operation, site, found.normalised, view)
                return
            told = list(_over_queries(site, sum_, found, view))
            if told:
                yield from told
                return


def _over_queries(site: Site, sum_: WeightedSum, found: Mismatch, view: View) -> Iterator[Report]:
    """The report of a product that sums weights over the queries."""
    operation = sum_.operation
    operand, tensor = list(operation.tensors())[sum_.weights]
    if operand.node is None:
        return
    sizes = view.sizes(tensor)
    axes = ("the axis of the queries", "the keys")
    if not found.tells:
        shape = view.sizes(as_tensor(site.softmax.output)) or ()
        axes = (str(shape[found.contracted]), str(shape[found.normalised]))
    message = (
        f"`{view.quote(operation.node)}` sums the weights over {axes[0]}; they are normalised over"
        f" {axes[1]}"
    )
    yield Report(
        RULE,
        operation,
        operation.node,
        message,
        Culprit(operand.node, tensor),
        None if sizes is None else (*sizes[:-2], sizes[-1], sizes[-2]),
        "so that the axis that softmax normalised is the one that the sum contracts",
    )


def _is_summed_alone(site: Site, sum_: WeightedSum, view: View) -> bool:
    """Whether an einsum sums the weights over the normalised axis, and nothing else with them.

    What it gives is the same for any weights: those of one query sum to one.
    """
    event, shape = sum_.operation.event, view.shape(as_tensor(site.softmax.output))
    if not isinstance(event, Einsum) or shape is None or not shape.closed or site.axis is None:
        return False
    tensors = list(sum_.operation.tensors())
    if len(tensors) != len(event.inputs):
        return False  # of one of them nothing is known
    weights = tensors[sum_.weights][1].shape
    letters = event.inputs[sum_.weights]
    if weights is None or not weights.closed or len(letters) != len(weights.axes):
        return False
    if len(event.inputs) < 2 or not -len(shape.axes) <= site.axis < len(shape.axes):
        return False
    normalised = shape.axes[site.axis]
    if normalised.is_one:
        return False
    others = {
        letter
        for index, each in enumerate(event.inputs)
        for letter in each
        if index != sum_.weights
    }
    return any(
        same_axis(axis, normalised) and letter not in others and letter not in event.output
        for letter, axis in zip(letters, weights.axes, strict=True)
    )


def _left_alone(site: Site, sum_: WeightedSum, view: View) -> int | None:
    """The normalised axis that a sum of weighted values leaves as it is, or None.

    What is weighed are the keys themselves, that the scores were made of: of anything else the
    weights may be those of channels, which stay.
    """
    event, made = sum_.operation.event, sum_.operation
    product = None if made.source is None else view.graph.maker(made.source)
    weights = view.shape(as_tensor(site.softmax.output))
    if not isinstance(event, Reduction) or sum_.contracted or product is None:
        return None
    if site.scores is None or site.axis is None or weights is None or not weights.closed:
        return None
    if event.axes is None or len(event.axes) != 1 or not weights.axes:
        return None
    scored = {id(tensor) for _, tensor in site.scores.tensors()}
    if not any(id(tensor) in scored for _, tensor in product.tensors()):
        return None
    return site.axis % len(weights.axes)


def _is_over_last(site: Site, sum_: WeightedSum, view: View) -> bool:
    """Whether weights of one number for each key weigh values, which are summed over their last.

    Of unknown rank: softmax is over an axis counted from the front, and the last axis of the
    scores, which holds one number, meets the features.
    """
    event, scores = sum_.operation.event, view.shape(site.scores_in)
    product = None if sum_.operation.source is None else view.graph.maker(sum_.operation.source)
    if scores is None or scores.closed or not scores.trail or not scores.trail[-1].is_one:
        return False
    if not isinstance(event, Reduction) or event.kind != "sum" or event.axes != (-1,):
        return False
    if site.axis is None or site.axis < 1 or product is None or product.kind != "multiply":
        return False
    later = (use.event for use in view.graph.users(sum_.operation))
    if any(isinstance(each, Reduction) for each in later):
        return False
    weights = as_tensor(site.softmax.output)
    values = [each for _, each in product.tensors() if not each.made_by & _made_by(weights)]
    shapes = [view.shape(each) for each in values]
    return len(shapes) == 1 and not (
        shapes[0] is not None and shapes[0].trail and shapes[0].trail[-1].is_one
    )


def _made_by(tensor: Tensor | None) -> frozenset[int | None]:
    return frozenset() if tensor is None else tensor.made_by


def _over_last(site: Site, sum_: WeightedSum, view: View) -> Report:
    operation = sum_.operation
    made = as_tensor(operation.output) or operation.source
    assert made is not None
    return Report(
        RULE,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` sums the weighted values over their features, the last"
        f" axis, and not over axis {site.axis}, which the weights are normalised over",
        Culprit(operation.node, made),
        None,
        "a sum over the axis that softmax normalised leaves the features: the context",
        axis=site.axis,
    )


def _weighs_again(site: Site, sum_: WeightedSum, found: Mismatch, view: View) -> bool:
    """Whether an einsum gives each key's weight a factor of its own, and keeps the keys.

    ``bhn,bhn->bn`` of weights and of the lengths of values scores keys by all heads together.
    """
    event, shape = sum_.operation.event, view.shape(as_tensor(site.softmax.output))
    tensors = list(sum_.operation.tensors())
    weights = tensors[sum_.weights][1].shape
    if not isinstance(event, Einsum) or shape is None or weights is None or not weights.closed:
        return False
    if len(tensors) != len(event.inputs):
        return False
    letters = event.inputs[sum_.weights]
    own = [
        letter
        for letter, axis in zip(letters, weights.axes, strict=False)
        if same_axis(axis, shape.axes[found.normalised])
    ]
    others = [each for at, each in enumerate(event.inputs) if at != sum_.weights]
    return any(letter in event.output and letter in each for letter in own for each in others)


def _weighs_itself(site: Site, sum_: WeightedSum, view: View) -> bool:
    """Whether weights are multiplied by what was made of them: a power of their matrix.

    So are those left alone that are normalised again, by their sums over another axis (Sinkhorn).
    """
    made_of = {site.softmax.number}
    for later in view.graph.derived(site.softmax):
        if later.number >= sum_.operation.number:
            break
        made_of.add(later.number)
        if _divides(later, made_of):
            return True
    others = [tensor for _, tensor in sum_.operation.tensors()]
    del others[sum_.weights]
    return any(tensor.operation in made_of for tensor in others)


def _weighs_weights(sum_: WeightedSum, view: View) -> bool:
    """Whether weights are multiplied by what was made of weights and of nothing else.

    The product of the weights of several sites is no sum of values (Xiong et al. 2021,
    "Nyströmformer", equation 15).
    """
    softmaxes = {site.softmax.number for site in view.sites}
    made_of: set[int | None] = set()
    for made in view.graph.operations:
        if made.number >= sum_.operation.number:
            break
        inside = made.read <= made_of if made.read else _is_constant(made)
        if made.number in softmaxes or inside:
            made_of.add(made.number)
    others = [tensor for _, tensor in sum_.operation.tensors()]
    del others[sum_.weights]
    return bool(others) and all(tensor.made_by <= made_of for tensor in others)


def _is_constant(made: Operation) -> bool:
    """Whether an operation is given numbers only, as what makes an identity matrix is."""
    return all(
        isinstance(operand.value, Const | Int | Scalar | Library) for operand in made.operands
    )


def _divides(operation: Operation, made_of: set[int]) -> bool:
    """Whether an operation divides what was made of weights by what was made of them."""
    event, tensors = operation.event, [tensor for _, tensor in operation.tensors()]
    divides = isinstance(event, Elementwise) and event.symbol == "/" and len(tensors) == 2
    return divides and all(tensor.operation in made_of for tensor in tensors)


def _alone(site: Site, sum_: WeightedSum, view: View) -> Report:
    operand, tensor = list(sum_.operation.tensors())[sum_.weights]
    operation = sum_.operation
    weights = "the weights" if operand.node is None else f"`{view.quote(operand.node)}`"
    return Report(
        RULE,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` sums {weights} over the axis that softmax normalised with"
        " nothing beside it: that gives 1, whatever the weights are, and nothing is attended to",
        Culprit(operation.node if operand.node is None else operand.node, tensor),
        view.sizes(tensor),
        "one letter for the keys' axis of the weights and of the values, so that each value is"
        " multiplied by its own weight",
    )


def _over_features(
    operation: Operation, site: Site, normalised: int, view: View
) -> Iterator[Report]:
    """A sum of weighted values over another axis: the features of each, or other sequences'."""
    weights = view.shape(as_tensor(site.softmax.output))
    values, made = view.shape(operation.source), as_tensor(operation.output)
    if weights is None or values is None or not values.closed or made is None:
        return
    keys = weights.axes[normalised]
    places = [at for at, axis in enumerate(values.axes) if view.equal(axis.size, keys.size)]
    later = (use.event for use in view.graph.users(operation))
    if len(places) != 1 or any(isinstance(event, Reduction) for event in later):
        return  # what each position comes to may be summed in two steps
    sizes: list[Size | None] = list(values.sizes())
    kept = isinstance(operation.event, Reduction) and operation.event.keepdims
    sizes[places[0] : places[0] + 1] = [ONE] if kept else []
    axes = operation.event.axes if isinstance(operation.event, Reduction) else None
    summed, mixed = "their features", ""
    if axes == (0,) and 0 < places[0] < len(values.axes) - 1:
        summed = f"axis 0 ({values.axes[0].size})"
        mixed = ": what belongs to different sequences is added up, and no sequence has a context"
    yield Report(
        RULE,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` sums the weighted values over {summed}, and not"
        f" over axis {places[0]} ({keys.size}), which the weights are normalised over{mixed}",
        Culprit(operation.node, made),
        tuple(sizes),
        "a sum over the axis that softmax normalised leaves the features: the context",
        axis=places[0],
    )
