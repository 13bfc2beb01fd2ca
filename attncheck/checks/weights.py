"""Which axis of an attention site's scores is the keys', and which one the weighted sum uses up.

The axis that softmax normalises is the axis that the weighted sum contracts. Where they differ, the
key axis decides which of the two is wrong: softmax over another axis (ATN301), or a contraction of
another axis (ATN302).
"""

from __future__ import annotations

import itertools
import re

import libcst as cst

from attncheck.algebra.shape import Axis, Shape
from attncheck.attention import (
    Site,
    WeightedSum,
    behind,
    contracted_axes,
    role_behind,
    same_axis,
)
from attncheck.checks.constructed import layer_of
from attncheck.checks.heads import counts_heads
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import (
    MOVES,
    Contraction,
    Creation,
    Einsum,
    Elementwise,
    Reduction,
    Selection,
    Softmax,
)
from attncheck.operators.patterns import DOTS
from attncheck.record import record
from attncheck.softmaxes import MOST_STEPS, sum_behind
from attncheck.table import Role, role_of, roles_of
from attncheck.tree.pairs import names_assigned, parts
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_KEYS = frozenset({Role.KEY, Role.ENCODER_STATES, Role.VALUE})
_QUERIES = frozenset({Role.QUERY, Role.DECODER_STATE, Role.DECODER_STATES})


@record
class Mismatch:
    """Weights whose contracted axis is not the normalised one, as positions in the weights."""

    normalised: int
    contracted: int
    #: the key axis, taken to be the last one where no product of queries and keys `tells` it
    keys: int
    tells: bool = True
    #: whether only the words of the program say that positions are not shared among clusters
    named: bool = False


def mismatch(site: Site, sum_: WeightedSum, view: View) -> Mismatch | None:
    """How a contraction of weights misses the axis they were normalised over, or None."""
    weights = as_tensor(site.softmax.output)
    shape = view.shape(weights)
    if shape is None or not shape.closed or site.axis is None or not shape.axes:
        return None
    rank = len(shape.axes)
    if not -rank <= site.axis < rank:
        return None
    normalised = site.axis % rank
    summed = [axis for axis in sum_.contracted if not axis.is_one] or sum_.contracted
    if len(summed) != 1 or _renormalised(site, sum_, view) or _is_routed(site, view):
        return None
    contracted = _position(shape, summed[0])
    if contracted is None or contracted == normalised or is_chosen(site, view):
        return None
    if _is_cut(sum_, shape.axes[normalised], view) or _is_backward(sum_, view):
        return None
    if _meets_queries(site, sum_, shape.axes[normalised], view) or _is_weighed(sum_, view):
        return None
    if shape.axes[normalised].is_one:
        return Mismatch(normalised, contracted, contracted)
    if shape.axes[contracted].is_one:
        # One weight for all features: no key is counted there, and the sum is over the features.
        return Mismatch(normalised, contracted, normalised)
    of_heads = [counts_heads(shape.axes[place]) for place in (normalised, contracted)]
    if of_heads == [True, False] and key_position(site, shape, view) is None:
        # A layer scores positions for each head, for which the heads do not compete.
        return Mismatch(normalised, contracted, contracted, tells=False, named=True)
    shared = _is_learned(site, shape.axes[normalised], view)
    if shared and not is_called_attention(site, view):
        return None
    keys = key_position(site, shape, view)
    # Where no product tells, scores are taken to be written with the keys last.
    place = rank - 1 if keys is None else keys
    return Mismatch(normalised, contracted, place, keys is not None, named=shared)


def _is_weighed(sum_: WeightedSum, view: View) -> bool:
    """Whether what weights are summed with are weights themselves, over the axis of the sum.

    It is these weights, then, that stand for the values: attention over attention (Cui et al. 2017,
    section 3.3), where they are averaged over their queries first.
    """
    others = [place for place, _ in enumerate(sum_.operation.tensors()) if place != sum_.weights]
    axes = [axis for place in others for axis in contracted_axes(sum_.operation, place)]
    if len(others) != 1 or len(axes) != 1 or not axes[0].normalised:
        return False
    made = view.graph.maker(list(sum_.operation.tensors())[others[0]][1])
    while made is not None and isinstance(made.event, (*MOVES, Reduction)):
        made = None if made.source is None else view.graph.maker(made.source)
    return made is not None and isinstance(made.event, Softmax)


def _is_routed(site: Site, view: View) -> bool:
    """Whether scores are 0 at first, and then what earlier weights have come to is added to them.

    Capsules share their votes among those above them, and these sum what they get from all below
    (Sabour et al. 2017, "Dynamic Routing Between Capsules", procedure 1).
    """
    earlier = [each.softmax for each in view.sites if each.softmax.number < site.softmax.number]
    agreed = {made.number for made in view.graph.derived(*earlier)}
    waiting, starts = [site.scores_in], False
    for _ in range(MOST_STEPS):
        if not waiting:
            break
        tensor = waiting.pop()
        mark = view.meanings.mark(tensor)
        if mark is not None and mark.is_constant:
            starts = starts or mark.visible == 0
            continue
        for made in view.graph.makers(tensor):
            if made is None:
                return False
            if isinstance(made.event, Elementwise) and made.event.symbol == "+":
                waiting += [operand for _, operand in made.tensors()]
            elif isinstance(made.event, Creation):
                starts = starts or made.event.kind.startswith("zeros")
            elif made.number not in agreed:
                return False
    return starts


#: What is called a gradient: ``dO``, ``d_output``, ``grad_values``, ``output_grad``.
_GRADIENT = re.compile(r"d(?:[A-Z]\w*|_\w+|out\w*)|grad\w*|\w+_grad")
_BACKWARD = re.compile(r"(?:^|[._])(?:backward|bwd|backprop|vjp|grad)", re.IGNORECASE)


def _is_backward(sum_: WeightedSum, view: View) -> bool:
    """Whether a product hands a gradient back: to the values by the weights of all queries."""
    if _BACKWARD.search(sum_.operation.place.function):
        return True
    operands = [operand for operand, _ in sum_.operation.tensors()]
    del operands[sum_.weights : sum_.weights + 1]
    names = (view.base_name(operand.node) or "" for operand in operands)
    return any(_GRADIENT.fullmatch(name) for name in names)


def _is_cut(sum_: WeightedSum, normalised: Axis, view: View) -> bool:
    """Whether some of what softmax normalised has been cut away since: one of several classes.

    ``softmax(logits, -1)[..., :-1]`` are the probabilities of all classes but "none of them".
    """
    tensors = [tensor for _, tensor in sum_.operation.tensors()]
    cut = tensors[sum_.weights] if sum_.weights < len(tensors) else None
    makers = [] if cut is None else view.graph.known_makers(cut)
    for made in makers:
        whole, left = view.shape(made.source), view.shape(cut)
        if not isinstance(made.event, Selection) or whole is None or left is None:
            continue
        same = whole.closed and left.closed and len(whole.axes) == len(left.axes)
        pairs = zip(whole.axes, left.axes, strict=True) if same else ()
        if any(same_axis(a, normalised) and not view.equal(a.size, b.size) for a, b in pairs):
            return True
    return False


def _meets_queries(site: Site, sum_: WeightedSum, normalised: Axis, view: View) -> bool:
    """Whether what was summed is multiplied over the normalised axis: one of features, then.

    Linear attention takes a softmax over the features of queries and keys for its feature map, and
    has queries meet a sum over the keys (Shen et al. 2018, "Efficient Attention", section 3.2).
    """
    products = (Contraction, Einsum)
    for made in view.graph.derived(sum_.operation, until=products):
        tensors = [tensor for _, tensor in made.tensors()]
        if not isinstance(made.event, products):
            continue
        if any(site.softmax.number in tensor.made_by for tensor in tensors):
            continue  # the weights themselves, once more
        axes = (axis for place in range(len(tensors)) for axis in contracted_axes(made, place))
        if any(same_axis(axis, normalised) for axis in axes):
            return True
    return False


def _is_learned(site: Site, axis: Axis, view: View) -> bool:
    """Whether an axis counts what a layer puts out, or the rows of a parameter: clusters.

    Positions are then assigned to clusters, and each cluster sums up its positions (Arandjelovic
    et al. 2016, "NetVLAD", section 3.1; Ying et al. 2018, "DiffPool", section 3.1).
    """
    root = "" if axis.tag is None else axis.tag.root
    if any(root == f"#{made.number}" and layer_of(made) for made in view.graph.operations):
        return True
    if site.scores is None and _has_axis_of_parameter(site, axis, view):
        return True
    tensors = [] if site.scores is None else [tensor for _, tensor in site.scores.tensors()]
    return any(
        role_behind(view.graph, tensor) is Role.PARAMETER
        and tensor.shape is not None
        and any(same_axis(axis, own) for own in tensor.shape.lead)
        for tensor in tensors
    )


#: What makes weights over positions, and what shares out positions among clusters.
_ATTENTION = re.compile(r"attenti[ov]|attend", re.IGNORECASE)
_CLUSTERS = re.compile(
    r"cluster|assign|vlad|slot|codeword|codebook|center|centroid|proto|route|routing|expert|gate"
    r"|pool|mixture|component|group|token_?learn|latent|compress|landmark|inducing|memory|linformer"
    r"|efficient|linear_?attention",
    re.IGNORECASE,
)


def is_called_attention(site: Site, view: View) -> bool:
    """Whether a class or function is called attention, and nothing in it speaks of clusters."""
    around = view.source.around(site.softmax.node)
    defined = [node for node in around if isinstance(node, cst.ClassDef | cst.FunctionDef)]
    if not any(_ATTENTION.search(node.name.value) for node in defined):
        return False
    return _CLUSTERS.search(view.source.code(defined[0])) is None


def _has_axis_of_parameter(site: Site, axis: Axis, view: View) -> bool:
    """Whether scores are computed element by element from a parameter with as many rows.

    Distances from code words are (Zhang et al. 2017, "Deep TEN", equation 2).
    """
    if axis.size is None or axis.size.number is not None:
        return False
    return any(
        tensor.role is Role.PARAMETER
        and tensor.shape is not None
        and any(view.equal(own.size, axis.size) for own in tensor.shape.lead)
        for made in behind(view.graph, site.scores_in)
        for _, tensor in made.tensors()
    )


def is_chosen(site: Site, view: View) -> bool:
    """Whether another branch of the program gives the same variable weights over another axis.

    Which axis is normalised is an option then, as for slots that compete for positions (Locatello
    et al. 2020, "Object-Centric Learning with Slot Attention", section 2.1).
    """
    around = view.source.around(site.softmax.node)
    names = {name for node in around for name in names_assigned(node)}
    for outer, inner in itertools.pairwise(around):
        if isinstance(outer, cst.If):
            others = (branch for branch in (outer.body, outer.orelse) if branch is not inner)
            assigned = (node for branch in others if branch is not None for node in parts(branch))
            if any(
                isinstance(node, cst.Assign)
                and names & names_assigned(node)
                and "softmax" in view.code(node.value)
                for node in assigned
            ):
                return True
    return False


def _position(shape: Shape, axis: Axis) -> int | None:
    """Where an axis of weights came from in the softmax's output, by its birth."""
    found = [index for index, other in enumerate(shape.axes) if same_axis(other, axis)]
    return found[0] if len(found) == 1 else None


def _renormalised(site: Site, sum_: WeightedSum, view: View) -> bool:
    """Whether the contracted axis was normalised afterwards (slot attention does so)."""
    number = site.softmax.number
    later = [other for other in view.sites if other.softmax.number > number]
    tensors = [tensor for _, tensor in sum_.operation.tensors()]
    operations = {number for tensor in tensors for number in tensor.made_by}
    if any(other.softmax.number in operations for other in later):
        return True
    weighed = view.graph.derived(site.softmax, until=(Contraction, Einsum))
    if any(made.kind == "normalize" and made.number < sum_.operation.number for made in weighed):
        return True
    if sum_.weights >= len(tensors):
        return False
    weights = tensors[sum_.weights]
    if weights.operation is None:
        # After a branch they may be what any operation on the softmax's output gave.
        return any(_divides(made, sum_, view) for made in view.graph.users(site.softmax))
    made = view.graph.maker(weights)
    return made is not None and _divides(made, sum_, view)


def _divides(made: Operation, sum_: WeightedSum, view: View) -> bool:
    """Whether an operation divides weights by their own sum over the axis that is contracted."""
    if not isinstance(made.event, Elementwise) or made.event.symbol != "/":
        return False
    operands = [tensor for _, tensor in made.tensors()]
    total = sum_behind(view.graph, operands[1]) if len(operands) == 2 else None
    summed = None if total is None else view.shape(next(total.tensors())[1])
    if total is None or summed is None or not summed.closed:
        return False
    assert isinstance(total.event, Reduction)
    return any(
        same_axis(summed.axes[axis], contracted)
        for axis in total.event.axes or ()
        for contracted in sum_.contracted
    )


def key_position(site: Site, shape: Shape, view: View) -> int | None:
    """The key axis of a site's weights, by the product that made the scores; None if unknown.

    The keys are the operand that a name says is one, else the one that is summed as the values
    too, else the right one: scores are written ``query @ key.T`` (Vaswani et al. 2017, section
    3.2.1).
    """
    product = site.scores
    moves = None if product is None else moves_of(product)
    if product is None or moves is None:
        return None
    tensors = list(product.tensors())
    named = [_is_key(view, product, index) for index in (0, 1)]
    if not any(named):
        named = [_is_summed(site, tensor) for _, tensor in tensors]
    index = 0 if named == [True, False] else 1
    free = _free_places(moves[index], moves[1 - index])
    output = view.shape(as_tensor(product.output))
    if len(free) != 1 or output is None or not output.closed or free[0] >= len(output.axes):
        return None
    return _position(shape, output.axes[free[0]])


def _is_summed(site: Site, tensor: Tensor) -> bool:
    """Whether the very tensor that was scored is what the weights are summed with."""
    return any(
        other is tensor
        for total in site.sums
        for place, (_, other) in enumerate(total.operation.tensors())
        if place != total.weights
    )


def _is_key(view: View, product: Operation, index: int) -> bool:
    operands = list(product.tensors())
    names = [view.base_name(operand.node) or "" for operand, _ in operands]
    # Letters tell nothing alone, but ``q`` and ``k`` together do.
    together = roles_of(names).get(names[index])
    roles = {role_behind(view.graph, operands[index][1]), spoken_role(names[index]), together}
    return bool(roles & _KEYS) and not roles & _QUERIES


def spoken_role(name: str | None) -> Role | None:
    """The role that an operand's own name has: ``K`` in ``K.T``."""
    return None if name is None else role_of(name)


#: Where each axis of an operand went in the output, or None if it was summed.
_Moved = tuple[int | None, ...]


def moves_of(product: Operation) -> tuple[_Moved, _Moved] | None:
    """Where the axes of both operands of a product went; None if it is not one of two."""
    event = product.event
    if len(list(product.tensors())) != 2:
        return None
    if isinstance(event, Contraction):
        return event.left_to, event.right_to
    if not isinstance(event, Einsum) or any(DOTS in letters for letters in event.inputs):
        return None
    places = {letter: place for place, letter in enumerate(event.output)}
    left, right = (tuple(places.get(letter) for letter in letters) for letters in event.inputs)
    return left, right


def _free_places(moved: _Moved, other: _Moved) -> list[int]:
    """Where the axes of an operand went that the other operand has not: no batch axes."""
    return [place for place in moved if place is not None and place not in other]
