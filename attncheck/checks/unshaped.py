"""Weights of unknown shape: the axis that a sum uses up, as far as the sum itself says it.

``einsum("bhij,bhjd->bhid", weights, v)`` contracts the last axis of its weights whatever its size,
and so does ``weights @ v``; a softmax over axis 1 or -2 then misses it. Only steps that leave every
axis in its place may stand between.
"""

from __future__ import annotations

from attncheck.algebra.shape import Shape
from attncheck.attention import Site, WeightedSum
from attncheck.checks.constructed import output_size
from attncheck.checks.forced import may_overlap
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.meaning.elements import operand_of
from attncheck.operators.events import Einsum, Elementwise, Reduction
from attncheck.operators.patterns import DOTS
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_integer, as_tensor

#: Operations that leave weights as they are, or scale them.
_IN_PLACE = frozenset({"dropout", "identity"})
#: How many axes more, or fewer, than its input an operation's output has.
_MORE = {"dropout": 0, "identity": 0, "linear_layer": 0, "squeeze": -1, "unsqueeze": 1, "swap": 0}
#: Methods that only what has two axes has a use for.
_TURNS = frozenset({"transpose", "swapaxes", "permute", "t"})
_MOST_STEPS = 6
_DEEPEST = 12


def places(site: Site, sum_: WeightedSum, view: View) -> tuple[int, int] | None:
    """The axis that is normalised and the one that is contracted, counted from the end (-1).

    None where they cannot be told, or where they are one. Where only the least number of axes is
    known, an axis counted from the front may lie further from the end than is said.
    """
    if isinstance(sum_.operation.event, Reduction):
        return _summed(site, sum_.operation, view)
    found = _contracted(sum_)
    operands = list(sum_.operation.tensors())
    if found is None or site.axis is None or sum_.weights >= len(operands):
        return None
    contracted, rank = found
    normalised = site.axis
    if normalised >= 0:
        if rank is None:
            rank = least_rank(site.scores_in, view)
            if contracted != -1 or normalised + 1 >= rank:
                return None
        normalised -= rank
    if normalised == contracted or not _is_kept(operands[sum_.weights][1], site, view):
        return None
    return normalised, contracted


def least_rank(tensor: Tensor, view: View, depth: int = 0) -> int:
    """How many axes a tensor has at least, by its own shape and by those of what it is made of."""
    shape = view.shape(tensor)
    known = 0 if shape is None else _least(shape)
    made = None if depth > _DEEPEST else view.graph.maker(tensor)
    if made is None:
        return known
    joined = operand_of(made, "axis") if made.kind == "concatenate" else None
    place = None if joined is None else as_integer(joined.value)
    if place is not None:
        return max(known, place + 1 if place >= 0 else -place)
    if made.kind == "matmul":
        return max(known, _of_product(made, view, depth))
    before = [least_rank(operand, view, depth + 1) for _, operand in made.tensors()]
    if isinstance(made.event, Elementwise):
        return max([known, *before])
    more = None if _is_bare_squeeze(made) else _MORE.get(made.kind)
    return known if more is None or not before else max(known, before[0] + more)


def _least(shape: Shape) -> int:
    """How many axes a shape has at least: those at its end may be those at its front once more."""
    ends = len(shape.lead), len(shape.trail)
    return max(ends) if may_overlap(shape) else sum(ends)


def _of_product(made: Operation, view: View, depth: int) -> int:
    """How many axes a product of matrices has at least; 0 if a side of it may be a vector."""
    ranks = []
    for name in ("x", "y"):
        side = operand_of(made, name)
        tensor = None if side is None else as_tensor(side.value)
        turned = getattr(getattr(getattr(side, "node", None), "func", None), "attr", None)
        least = 0 if tensor is None else least_rank(tensor, view, depth + 1)
        ranks.append(max(least, 2 if getattr(turned, "value", "") in _TURNS else 0))
    return max(ranks) if min(ranks) > 1 else 0


def _is_bare_squeeze(made: Operation) -> bool:
    """Whether a squeeze may take out more axes than one."""
    axis = operand_of(made, "axis")
    return made.kind == "squeeze" and (axis is None or as_integer(axis.value) is None)


def _contracted(sum_: WeightedSum) -> tuple[int, int | None] | None:
    """The axis of the weights that a product sums over, from the end, and their rank if known."""
    event, tensors = sum_.operation.event, list(sum_.operation.tensors())
    if isinstance(event, Einsum):
        whole = len(tensors) == len(event.inputs)
        return _by_letters(event, sum_.weights) if whole else None
    # Of two operands one may be nothing that is known to be a tensor.
    first = tensors[sum_.weights][0].name == sum_.operation.operands[0].name
    if sum_.operation.kind == "bmm":
        return (-1, 3) if first else (-2, 3)
    # A right operand may be a vector.
    return (-1, None) if _is_product(sum_.operation) and first else None


def _summed(site: Site, made: Operation, view: View) -> tuple[int, int] | None:
    """The same of ``(weights.unsqueeze(-1) * values).sum(axis)``.

    Both are counted from one end: weights that were given an axis, or need none, have as many as
    the values. Only scores that a layer gives, one each, are certain to weigh what is summed:
    capsules share their votes among those above them, and descriptors are assigned to clusters.
    """
    event, given = made.event, operand_of(made, "axis")
    place = site.axis
    summed = None if given is None else as_integer(given.value)
    if not isinstance(event, Reduction) or event.kind != "sum" or summed is None or place is None:
        return None
    product = view.graph.maker(_first(made))
    if product is None or product.kind != "multiply" or not _is_scored(site, view):
        return None
    ways = [_way(tensor, site, view) for _, tensor in product.tensors()]
    found = [way for way in ways if way is not None]
    if len(found) != 1:
        return None
    for step in found[0]:
        inserted = operand_of(step, "axis")
        at = None if inserted is None else as_integer(inserted.value)
        if at is None or (at < -1 if place >= 0 else at != -1):
            return None
        place += (1 if 0 <= at <= place else 0) if place >= 0 else -1
    return None if (place < 0) != (summed < 0) or place == summed else (place, summed)


def _is_scored(site: Site, view: View) -> bool:
    """Whether scores are what a layer with one output gives."""
    tensor: Tensor | None = site.scores_in
    for _ in range(_DEEPEST):
        made = None if tensor is None else view.graph.maker(tensor)
        if made is None:
            return False
        if made.kind == "linear_layer":
            size = output_size(view, made)
            return size is not None and size.size.number == 1
        if not isinstance(made.event, Elementwise) and made.kind not in _MORE:
            return False
        kept = operand_of(made, "x")
        tensor = None if kept is None else as_tensor(kept.value)
    return False


def _way(tensor: Tensor, site: Site, view: View) -> list[Operation] | None:
    """The steps by which weights that a softmax gave were given axes; None if it did not."""
    steps: list[Operation] = []
    for _ in range(_MOST_STEPS):
        if tensor.operation == site.softmax.number:
            return steps[::-1]
        made = view.graph.maker(tensor)
        if made is None or made.kind not in (*_IN_PLACE, "unsqueeze"):
            return None
        steps += [made] if made.kind == "unsqueeze" else []
        tensor = _first(made)
    return None


def _is_product(made: Operation) -> bool:
    """Whether an operation is a matrix product of its operands as they are given."""
    turned = any(operand.name.startswith(("transpose", "adjoint")) for operand in made.operands)
    return made.kind == "matmul" or (made.kind == "turned_matmul" and not turned)


def _by_letters(event: Einsum, index: int) -> tuple[int, int | None] | None:
    """The one letter of the weights that is not in the output, if they share others with values."""
    if len(event.inputs) != 2:
        return None
    letters, other = event.inputs[index], event.inputs[1 - index]
    summed = [place for place, letter in enumerate(letters) if letter not in event.output]
    shared = [letter for letter in letters if letter in other]
    if len(summed) != 1 or letters[summed[0]] not in other or len(shared) < min(2, len(other) - 1):
        return None
    if DOTS in letters[summed[0] :]:
        return None
    return summed[0] - len(letters), None if DOTS in letters else len(letters)


def _is_kept(tensor: Tensor, site: Site, view: View) -> bool:
    """Whether a tensor is what the softmax gave, with every axis in its place."""
    for _ in range(_MOST_STEPS):
        if tensor.operation == site.softmax.number:
            return True
        made = view.graph.maker(tensor)
        if made is None or made.kind not in _IN_PLACE:
            return False
        tensor = _first(made)
    return False


def _first(made: Operation) -> Tensor:
    return next(tensor for _, tensor in made.tensors())
