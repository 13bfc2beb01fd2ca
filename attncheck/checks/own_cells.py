"""Recurrent steps whose cell is a function of the program's own: plain products under a tanh.

No operation says that such a cell updates a state. What Luong's decoder does with the result does:
the new state stands beside the context, ``tanh(W_c [c_t ; h_t])`` (Luong et al. 2015, section 3,
equation 5). It was made from a state that the scores are made from too: the one before.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from attncheck.attention import Site, behind
from attncheck.checks.report import Sizes
from attncheck.checks.steps import Step, Use, path, uses_behind
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import MOVES, Elementwise, Joining
from attncheck.table import Role
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_ACTIVATIONS = frozenset({"tanh", "sigmoid", "relu", "+"})
_MOST_MOVES = 6
_MOST_RETURNED = 4


def own_steps(view: View) -> Iterator[Step]:
    """The steps in which a new state stands beside the context, and the old one was asked for it.

    They are joined, or returned together.
    """
    joins = [
        [tensor for _, tensor in made.tensors()]
        for made in view.graph.operations
        if isinstance(made.event, Joining) and made.event.kind == "cat"
    ]
    groups = [(tensors, False) for tensors in joins if len(tensors) == 2]
    groups.append((_returned(view), True))
    seen: set[object] = set()
    for site, (beside, returned) in itertools.product(view.sites, groups):
        for context, state in itertools.permutations(beside, 2):
            step = _step(view, site, context, state, returned=returned)
            if step is not None and step.node not in seen:
                seen.add(step.node)
                yield step


def _returned(view: View) -> list[Tensor]:
    """The tensors that the traced function returns beside each other."""
    values = (as_tensor(site.value) for site in view.traced.sites if site.name == "return")
    found = [tensor for tensor in values if tensor is not None]
    return found if len(found) <= _MOST_RETURNED else []


def _step(view: View, site: Site, context: Tensor, state: Tensor, *, returned: bool) -> Step | None:
    """The step of a context that stands beside a state, if that was made from what is asked.

    A state that is joined to the context has to come from a function: what is worked out beside the
    attention may be a part of it. One that is returned is what the next step starts from.
    """
    sums = {total.operation.number for total in site.sums}
    made = view.maker(state)
    if made is None or not (made.place.calls or returned) or _moved(view, context) not in sums:
        return None
    event = made.event
    if not isinstance(event, Elementwise) or event.symbol not in _ACTIVATIONS:
        return None
    use = _asked(view, site, made, state)
    if use is None:
        return None
    ways = path(made), path(site.softmax), path(use.operation)
    shared = sum(
        1
        for _ in itertools.takewhile(lambda pair: pair[0] is pair[1], zip(*ways[:2], strict=False))
    )
    if any(len(way) <= shared for way in ways) or ways[2][:shared] != ways[0][:shared]:
        return None
    turn, attention, node = (way[shared] for way in ways)
    if turn is made.node and not returned:
        return None
    return Step(site, made, False, use, node, turn, attention, False, ())


def _moved(view: View, tensor: Tensor) -> int | None:
    """The number of the operation that a tensor is what it gave, at most moved about."""
    for _ in range(_MOST_MOVES):
        made = view.graph.maker(tensor)
        if made is None or not isinstance(made.event, MOVES) or made.source is None:
            return None if made is None else made.number
        tensor = made.source
    return None


def _asked(view: View, site: Site, made: Operation, state: Tensor) -> Use | None:
    """The only use, on the way to the scores, of a state of the same size that the new one is of.

    None if the new state is asked as well, or is made of the context.
    """
    given = [tensor for each in behind(view.graph, state) for _, tensor in each.tensors()]
    numbers = {each.number for each in behind(view.graph, state)}
    if any(total.operation.number in numbers for total in site.sums):
        return None
    uses = list(uses_behind(view.graph, site.scores_in))
    if any(made.number in use.tensor.made_by for use in uses):
        return None
    values = [tensor for total in site.sums for _, tensor in total.operation.tensors()]
    sizes = view.sizes(state)
    shared = [
        use
        for use in uses
        if any(use.tensor is tensor for tensor in given)
        and not any(use.tensor is tensor for tensor in values)
        and use.tensor.role is not Role.PARAMETER
        and _of_sizes(view, use.tensor, sizes)
    ]
    return shared[0] if len({id(use.tensor) for use in shared}) == 1 else None


def _of_sizes(view: View, tensor: Tensor, sizes: Sizes | None) -> bool:
    own = view.sizes(tensor)
    if own is None or sizes is None or len(own) != len(sizes):
        return False
    return all(view.equal(a, b) for a, b in zip(own, sizes, strict=True))
