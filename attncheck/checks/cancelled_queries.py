"""Additive scores without their nonlinearity: the query is the same for all keys, and cancels out.

``v·(W [s ; h_i])`` is ``v·W_s s + v·W_h h_i``: the first term has no i, and softmax over i takes
away what all scores have in common. Every state then attends alike; the tanh between the layers is
what lets it choose (Bahdanau et al. 2015, appendix A.1.2). Only a way from the joined states to the
softmax of which every step is linear proves it: what is not known may be a nonlinearity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attncheck.algebra.shape import COPIES, Axis
from attncheck.attention import Site, behind, same_axis
from attncheck.checks.report import Culprit, Report
from attncheck.checks.sources import root_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.meaning.elements import operand_of
from attncheck.operators.events import (
    MOVES,
    Contraction,
    Elementwise,
    Expansion,
    Joining,
    NewAxis,
    Permutation,
    Squeeze,
)
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.table import Role
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_MOST_STEPS = 16
_TURNS = (Permutation, Squeeze, NewAxis)


@record
class Cancelled:
    """Scores in which the query cancels out: where it meets the keys, and the layer behind that."""

    mixed: Operation
    layer: Operation
    #: whether there is another layer, with room for a nonlinearity between the two
    hidden: bool


def cancelled_queries(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each softmax over keys whose scores have the query in a term of its own."""
    for found in view.once(cancelled):
        output = as_tensor(found.layer.output)
        if output is None:
            continue
        yield Report(
            rule,
            found.layer,
            found.layer.node,
            f"`{view.quote(found.layer.node)}` goes into the softmax without a nonlinearity: what"
            f" `{view.quote(found.mixed.node)}` has of the query is the same for every key, and"
            " cancels out; all queries get the same weights, and no shape shows it",
            Culprit(found.layer.node, output),
            view.sizes(output),
            "the same shape, through a tanh: v·tanh(W [s ; h]) (Bahdanau et al. 2015, appendix"
            " A.1.2)",
        )


def cancelled(view: View) -> list[Cancelled]:
    """The scores of a trace in which the query cancels out, once for each layer."""
    found: dict[object, Cancelled] = {}
    for site in view.sites:
        keys = _keys(site, view)
        each = None if keys is None else _linear_way(site.scores_in, keys, view)
        if each is not None and not each.layer.elsewhere:
            found.setdefault(each.layer.node, each)
    return list(found.values())


def _keys(site: Site, view: View) -> Axis | None:
    """The axis that a softmax normalises."""
    shape = view.shape(as_tensor(site.softmax.output))
    if site.axis is None or shape is None or not shape.closed:
        return None
    inside = -len(shape.axes) <= site.axis < len(shape.axes)
    return shape.axes[site.axis] if inside else None


def _linear_way(scores: Tensor, keys: Axis, view: View) -> Cancelled | None:
    """The join of a query and keys that scores are linear in, and the first layer behind it."""
    tensor = scores
    layers: list[Operation] = []
    for _ in range(_MOST_STEPS):
        made = _maker(tensor, view)
        if made is None:
            return None
        if isinstance(made.event, Joining):
            joins = bool(layers) and _joins_a_query(made, keys, view)
            return Cancelled(made, layers[-1], len(layers) > 1) if joins else None
        step = next((take for kind, take in _STEPS if isinstance(made.event, kind)), None)
        before = None if step is None else step(made, view)
        if before is None:
            return None
        if isinstance(made.event, Contraction):
            layers.append(made)
        tensor = before
    return None


def _maker(tensor: Tensor, view: View) -> Operation | None:
    """What made scores, before a branch that may have masked them."""
    makers = view.graph.makers(tensor)
    known = view.graph.known_makers(tensor)
    if not known or len(known) < len(makers):
        return None
    first, *others = sorted(known, key=lambda made: made.number)
    masks = all(_is_mask(other) and other.uses(first) for other in others)
    return first if masks else None


def _is_mask(made: Operation) -> bool:
    return isinstance(made.event, Elementwise) and made.event.symbol == "masked_fill"


def _scaled(made: Operation, view: View) -> Tensor | None:
    """What is masked, or multiplied by a number."""
    event, tensors = made.event, [tensor for _, tensor in made.tensors()]
    if not isinstance(event, Elementwise) or not tensors:
        return None
    number = event.symbol in ("*", "/") and len(tensors) == 1
    operand = operand_of(made, "x") if _is_mask(made) else None
    if operand is not None:
        return as_tensor(operand.value)
    return tensors[0] if number else None


def _turned(made: Operation, view: View) -> Tensor | None:
    return made.source


def _weighed(made: Operation, view: View) -> Tensor | None:
    """What a layer, or a learned vector that is the same for every key, is multiplied with."""
    tensors = [tensor for _, tensor in made.tensors()]
    if made.kind == "linear_layer":
        return tensors[0] if made.spelling.startswith("torch.") and len(tensors) == 1 else None
    others = [tensor for tensor in tensors if not _is_learned(tensor, view)]
    return others[0] if len(tensors) > len(others) == 1 else None


def _is_learned(tensor: Tensor, view: View) -> bool:
    """Whether a tensor is a parameter, turned or repeated at most."""
    for _ in range(_MOST_STEPS):
        if tensor.role == Role.PARAMETER:
            return True
        made = view.graph.maker(tensor)
        if made is None or not isinstance(made.event, (*_TURNS, Expansion)) or made.source is None:
            return False
        tensor = made.source
    return False


_Step = Callable[[Operation, View], Tensor | None]
_STEPS: tuple[tuple[type | tuple[type, ...], _Step], ...] = (
    (Elementwise, _scaled),
    (_TURNS, _turned),
    (Contraction, _weighed),
)


def _joins_a_query(made: Operation, keys: Axis, view: View) -> bool:
    """Whether a part of a join along the features is repeated for each key, and another is not."""
    event, output = made.event, view.shape(as_tensor(made.output))
    shapes = [view.shape(tensor) for _, tensor in made.tensors()]
    if not isinstance(event, Joining) or event.kind != "cat" or event.axis is None:
        return False
    if output is None or not output.closed or any(not each or not each.closed for each in shapes):
        return False
    rank = len(output.axes)
    places = [place for place, axis in enumerate(output.axes) if same_axis(axis, keys)]
    if len(places) != 1 or event.axis % rank != rank - 1 or places[0] == rank - 1:
        return False
    copies = [each.axes[places[0]].made == COPIES for each in shapes if each is not None]
    parts = list(zip(copies, (tensor for _, tensor in made.tensors()), strict=True))
    queries = {number for copied, part in parts if copied for number in _line(part, view)}
    own = [part for copied, part in parts if not copied]
    return bool(queries and own) and not any(_meets(part, queries, view) for part in own)


def _line(part: Tensor, view: View) -> set[int | str]:
    """What a part was before it was repeated and turned: by makers, and an argument's name."""
    found = set[int | str]()
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(part)
        found |= {root_of(part)} - {""} if made is None else {made.number}
        if made is None or not isinstance(made.event, (*MOVES, Expansion)) or made.source is None:
            break
        part = made.source
    return found


def _meets(part: Tensor, queries: set[int | str], view: View) -> bool:
    """Whether a query was combined with the keys to make a part: ``query * keys`` chooses keys."""
    makers = behind(view.graph, part)
    pairs = ([tensor for _, tensor in made.tensors()] for made in makers)
    return any(
        len(pair) > 1 and any(_line(tensor, view) & queries for tensor in pair) for pair in pairs
    )
