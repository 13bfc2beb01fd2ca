"""Attention sites: the scores, the softmax over them, and the sum of values under the weights.

Rules about attention do not look at syntax. They look at the dataflow of one trace's graph: from a
softmax (or its hand-written form, exp over sum) backwards to the product that made the scores, and
forwards to the product that contracts the weights with the values. The axis that softmax normalises
should be the axis that the weighted sum contracts (SPEC section 1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis, Shape
from attncheck.graph import Graph, Operand, Operation
from attncheck.operators.events import (
    Contraction,
    Einsum,
    Elementwise,
    Event,
    Expansion,
    Permutation,
    Rearranging,
    Reduction,
    Reshaping,
)
from attncheck.operators.patterns import DOTS
from attncheck.record import record
from attncheck.softmaxes import MOST_STEPS, PASSING, first_tensor, softmax_at
from attncheck.table import Role
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

#: Products and moves by what they are called, where nothing is known of the shapes.
_PRODUCTS = frozenset({"matmul", "turned_matmul", "bmm", "einsum", "baddbmm"})
_PLAIN_MOVES = frozenset(
    {"unsqueeze", "squeeze", "swap", "transpose_matrix", "permute_all", "index", "identity"}
)
_MOST_BEHIND = 200
#: The roles of learned weights.
LEARNED = frozenset(
    {
        Role.SCORE_WEIGHT,
        Role.STATE_WEIGHT,
        Role.ENCODER_WEIGHT,
        Role.GENERAL_WEIGHT,
        Role.CONCAT_WEIGHT,
        Role.SCORE_VECTOR,
        Role.QUERY_PROJECTION,
        Role.KEY_PROJECTION,
        Role.VALUE_PROJECTION,
        Role.OUTPUT_PROJECTION,
        Role.PARAMETER,
    }
)


@dataclass(slots=True)
class Site:
    """One attention site.

    ``softmax`` is the operation that gives the weights: a softmax, or the division of a
    hand-written one, whose sum is then ``total``. ``axis`` is the axis it normalises (None: all, or
    unknown), ``scores`` the product behind it, ``sums`` the products that contract the weights with
    something.
    """

    softmax: Operation
    scores_in: Tensor
    axis: int | None
    over_all: bool = False
    implicit: bool = False
    total: Operation | None = None
    scores: Operation | None = None
    sums: list[WeightedSum] = field(default_factory=list)


@record
class WeightedSum:
    """A product of weights with values: the operation, which operand the weights are, and the axes.

    ``contracted`` are the axes of the weights that the product sums over.
    """

    operation: Operation
    weights: int
    contracted: tuple[Axis, ...]


def find_sites(graph: Graph) -> list[Site]:
    """Every attention site of a graph, in order."""
    sites = []
    for operation in graph.operations:
        site = _site(graph, operation)
        if site is not None:
            site.scores = scores_product(graph, site.scores_in)
            sites.append(site)
    if sites:
        _attach_sums(graph, sites)
    return sites


def _site(graph: Graph, operation: Operation) -> Site | None:
    found = softmax_at(graph, operation)
    if found is None:
        return None
    return Site(operation, found.argument, found.axis, found.over_all, found.implicit, found.total)


def maker_of(graph: Graph, tensor: Tensor) -> Operation | None:
    """The operation that made a tensor, or None."""
    return graph.maker(tensor)


def behind(
    graph: Graph, tensor: Tensor, until: tuple[type[Event], ...] = ()
) -> Iterator[Operation]:
    """The operations that a tensor comes from, nearest first; none from before an event `until`."""
    waiting, seen = [tensor], set[int]()
    while waiting and len(seen) < _MOST_BEHIND:
        for made in graph.known_makers(waiting.pop(0)):
            if made.number in seen:
                continue
            seen.add(made.number)
            yield made
            if not isinstance(made.event, until) and not (until and made.kind in _LAYERS):
                waiting += [operand for _, operand in made.tensors()]


#: Products by what they are, also where nothing is known of what they are given.
_LAYERS = frozenset({"linear_layer"})


def scores_product(graph: Graph, scores: Tensor) -> Operation | None:
    """The product behind scores: the nearest contraction through elementwise steps and reshapes."""
    seen = 0
    waiting = [scores]
    while waiting and seen < MOST_STEPS:
        seen += 1
        for made in graph.known_makers(waiting.pop(0)):
            if isinstance(made.event, Contraction | Einsum):
                return made
            if made.event is None or isinstance(made.event, PASSING):
                waiting += [tensor for _, tensor in made.tensors()]
    return None


#: The sites whose weights an operation gives: several where a branch decides which softmax ran.
_Weights = dict[int | None, tuple[Site, ...]]
#: Weights times values, not yet summed: their sites, and the shape of the weights as multiplied.
_Products = dict[int, tuple[tuple[Site, ...], Shape | None]]


@dataclass(slots=True)
class _Found:
    """What has been made of weights so far.

    ``copied`` are the operations that give weights once for each feature: what they multiply then
    is spread already.
    """

    weights: _Weights
    products: _Products = field(default_factory=dict)
    copied: set[int | None] = field(default_factory=set)


def _attach_sums(graph: Graph, sites: list[Site]) -> None:
    """Find, for each site, the products that its weights go into."""
    found = _Found({site.softmax.number: (site,) for site in sites})
    weights = found.weights
    for operation in graph.operations:
        if operation.number in weights:
            continue
        tensors = list(operation.tensors())
        sources = [_sources(tensor, weights) for _, tensor in tensors]
        used = [index for index, own in enumerate(sources) if own]
        if len(used) == 1 and _mixes_weights(graph, operation, tensors, used[0]):
            # Talking heads: weights that a learned product has mixed are weights of these sites.
            weights[operation.number] = sources[used[0]]
            continue
        if isinstance(operation.event, Reduction) and tensors:
            _attach_reduction(operation, tensors[0][1], found.products)
        elif len(used) == 1:
            _follow(graph, operation, sources[used[0]], used[0], found)


def _mixes_weights(
    graph: Graph, operation: Operation, tensors: list[tuple[Operand, Tensor]], index: int
) -> bool:
    """Whether weights are multiplied by a learned matrix, a layer's too, and not by values.

    Shazeer et al. 2020, "Talking-Heads Attention", section 3.
    """
    if not isinstance(operation.event, Contraction | Einsum):
        return False
    others = [tensor for i, (_, tensor) in enumerate(tensors) if i != index]
    return not others or any(role_behind(graph, tensor) is Role.PARAMETER for tensor in others)


def _sources(tensor: Tensor, weights: _Weights) -> tuple[Site, ...]:
    """The sites whose weights a tensor is.

    After a branch (``if dropout is not None``) several operations may have made it, of one site or
    (``softmax(s) if mask is None else softmax(s + mask)``) of a site each; where only some of them
    are known, the axis that softmax has marked tells.
    """
    found = [site for number in tensor.made_by for site in weights.get(number, ())]
    if found:
        return tuple(sorted({id(site): site for site in found}.values(), key=_number))
    if tensor.operation is not None:
        return ()
    axes = () if tensor.shape is None else tensor.shape.lead
    marks = {number for axis in axes for number in axis.normalised}
    return weights.get(marks.pop(), ()) if len(marks) == 1 else ()


def _number(site: Site) -> int:
    return site.softmax.number


def _follow(
    graph: Graph, operation: Operation, sites: tuple[Site, ...], index: int, found: _Found
) -> None:
    """What an operation on the weights of some sites makes of them."""
    weights, products, number = found.weights, found.products, operation.number
    copied = not found.copied.isdisjoint(operation.read)
    if isinstance(operation.event, Contraction | Einsum):
        total = WeightedSum(operation, index, contracted_axes(operation, index))
        _add(sites, total)
    elif operation.event is None and operation.kind in _PRODUCTS:
        _add(sites, WeightedSum(operation, index, ()))
    elif isinstance(operation.event, Elementwise):
        given = list(operation.tensors())[index][1].shape
        if _is_gradient(graph, operation, sites, index):
            return
        if given is None or not given.closed:
            # Nobody knows whether this spreads them; a sum that follows tells.
            products[number] = (sites, None)
            weights[number] = sites
        elif (
            _spreads(operation, given)
            or (copied and _multiplies(operation))
            or _weighs_keys(operation, sites, index)
        ):
            products[number] = (sites, given)
        else:
            weights[number] = sites
    elif isinstance(operation.event, (*PASSING, Expansion)) or operation.kind in _PLAIN_MOVES:
        weights[number] = sites
    if number in weights and (copied or isinstance(operation.event, Expansion)):
        found.copied.add(number)


def _multiplies(operation: Operation) -> bool:
    event = operation.event
    multiplied = isinstance(event, Elementwise) and event.symbol == "*"
    return multiplied and len(list(operation.tensors())) == 2


def _is_gradient(graph: Graph, operation: Operation, sites: tuple[Site, ...], index: int) -> bool:
    """Whether weights multiply what was made of them: a softmax's derivative, and no weights.

    ``weights * (d_weights - (d_weights * weights).sum(-1, keepdims=True))``.
    """
    if not _multiplies(operation):
        return False
    numbers = {site.softmax.number for site in sites}
    (_, other) = list(operation.tensors())[1 - index]
    return any(made.number in numbers for made in behind(graph, other))


def _weighs_keys(operation: Operation, sites: tuple[Site, ...], index: int) -> bool:
    """Whether weights multiply the keys themselves that the scores were made of: ``(T,) * (d, T)``.

    Those that stand as columns line up with their weights, and need no axis of 1.
    """
    if not _multiplies(operation):
        return False
    (_, other) = list(operation.tensors())[1 - index]
    scored = [site.scores for site in sites if site.scores is not None]
    return any(tensor is other for product in scored for _, tensor in product.tensors())


def _add(sites: tuple[Site, ...], total: WeightedSum) -> None:
    for site in sites:
        site.sums.append(total)


def _spreads(operation: Operation, weights: Shape) -> bool:
    """Whether an elementwise step spreads weights over the features of values."""
    output = as_tensor(operation.output)
    if output is None or output.shape is None or not output.shape.closed or not weights.closed:
        return False
    ours, made = weights.axes, output.shape.axes
    if len(ours) > len(made):
        return False
    return any(
        axis.is_one and not result.is_one
        for axis, result in zip(reversed(ours), reversed(made), strict=False)
    )


def _attach_reduction(operation: Operation, tensor: Tensor, products: _Products) -> None:
    """A sum over weights times values: the weighted sum, written by hand."""
    known = None if tensor.operation is None else products.get(tensor.operation)
    event = operation.event
    assert isinstance(event, Reduction)
    if known is None or event.kind != "sum":
        return
    sites, weights = known
    if weights is None:
        _add(sites, WeightedSum(operation, 0, ()))
        return
    if event.axes is None or tensor.shape is None or not tensor.shape.closed:
        return
    if not tensor.shape.axes:
        return  # a number has a last axis for torch
    missing = len(tensor.shape.axes) - len(weights.axes)
    places = [axis % len(tensor.shape.axes) - missing for axis in event.axes]
    contracted = tuple(weights.axes[place] for place in places if place >= 0)
    _add(sites, WeightedSum(operation, 0, contracted))


def contracted_axes(operation: Operation, operand: int) -> tuple[Axis, ...]:
    """The axes of an operand that a product sums over."""
    event = operation.event
    tensor = list(operation.tensors())[operand][1]
    shape = tensor.shape
    if shape is None or not shape.closed:
        return ()
    if isinstance(event, Contraction):
        axes = event.left_axes if operand == 0 else event.right_axes
        return tuple(
            shape.axes[axis] for axis in axes if -len(shape.axes) <= axis < len(shape.axes)
        )
    if isinstance(event, Einsum) and operand < len(event.inputs):
        letters = _spelled_out(event.inputs[operand], len(shape.axes))
        if len(letters) != len(shape.axes):
            return ()
        return tuple(
            axis
            for letter, axis in zip(letters, shape.axes, strict=True)
            if letter not in event.output
        )
    return ()


def _spelled_out(letters: tuple[str, ...], rank: int) -> tuple[str, ...]:
    """The letters of an operand, with ``...`` once for each of the axes that it stands for."""
    if DOTS not in letters:
        return letters
    cut = letters.index(DOTS)
    return (*letters[:cut], *[DOTS] * (rank - len(letters) + 1), *letters[cut + 1 :])


def operands(operation: Operation) -> Iterator[tuple[int, Operand, Tensor]]:
    """The tensor operands with their positions."""
    for index, (operand, tensor) in enumerate(operation.tensors()):
        yield index, operand, tensor


def role_behind(graph: Graph, tensor: Tensor) -> str | None:
    """The table's role of a tensor, also of the one it is a transpose or a reshape of."""
    for _ in range(MOST_STEPS):
        if tensor.role is not None:
            return tensor.role
        made = maker_of(graph, tensor)
        if made is None or not isinstance(made.event, Permutation | Reshaping | Rearranging):
            return None
        source = first_tensor(made)
        if source is None:
            return None
        tensor = source
    return None


def is_weight(graph: Graph, tensor: Tensor) -> bool:
    """Whether the table calls a tensor (or what it is a transpose of) a learned weight."""
    return role_behind(graph, tensor) in LEARNED


def same_axis(left: Axis, right: Axis) -> bool | None:
    """Whether two axes of one tensor's history are the same one; None if that cannot be told."""
    if left.tag is not None and right.tag is not None:
        return left.tag == right.tag
    return None


#: What Luong's dot score needs to be one size, though the table has two names for it.
_STATE_SIZES = frozenset({"d_s", "d_h"})


def tolerable(operation: Operation, graph: Graph) -> bool:
    """Whether a product only needs ``d_s == d_h``, which dot attention may rely on.

    Where a learned weight stands between the states, the two names have to be kept apart
    (Luong et al. 2015, section 3.1); a trace under a hypothesis knows whether one does.
    """
    clash = operation.clash
    if graph.by_name or clash is None or clash.verdict is not Verdict.DISTINCT:
        return False
    if {str(clash.left), str(clash.right)} != _STATE_SIZES:
        return False
    return not any(is_weight(graph, tensor) for _, tensor in operation.tensors())
