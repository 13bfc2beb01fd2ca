"""A coverage loss whose coverage has the weights of the same step in it already.

``Σ_i min(a_i, c_i)`` with the coverage c, the sum of the weights of all steps before, is how much a
step attends to again what was attended to (See et al. 2017, equation 12). Of ``c + a`` in the place
of c the smaller one is a, for no weight is negative: the loss is 1 at every step, and teaches
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report
from attncheck.checks.runs import are_one
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import COPYING, MOVES, Elementwise, Softmax
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_MOST_STEPS = 24
_PAIR = 2


@record
class CoveredTwice:
    """A minimum of weights and of what has them in it: that operand, and what was there before."""

    operand: Operand
    covered: Tensor
    before: Tensor


def covered_twice(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of coverage losses that count the step itself."""
    told = set[object]()
    for operation in view.graph.operations:
        found = view.remembered(counts_itself, operation)
        if found is None or found.operand.node is None or operation.node in told:
            continue
        told.add(operation.node)
        name = view.quote(found.operand.node)
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` takes the smaller of the weights and of `{name}`,"
            " which has the same weights in it: that is the weights themselves, whatever was"
            " attended to before, and they sum to 1 at every step; nothing raises",
            Culprit(found.operand.node, found.covered),
            view.sizes(found.covered),
            "the coverage of the steps before: the sum of their weights, without those of this"
            " step (See et al. 2017, equation 12)",
            local=True,
        )


def counts_itself(operation: Operation, view: View) -> CoveredTwice | None:
    """The sum that a minimum takes beside a part of itself, where no part is negative."""
    event, pairs = operation.event, list(operation.tensors())
    if not isinstance(event, Elementwise) or event.symbol != "minimum" or operation.elsewhere:
        return None
    if len(pairs) != _PAIR:
        return None
    for (_, weights), (operand, total) in (pairs, pairs[::-1]):
        made = view.graph.maker(weights)
        before = _without(total, weights, view)
        known = made is not None and any(made is site.softmax for site in view.sites)
        if known and before is not None and _is_never_negative(before, view):
            return CoveredTwice(operand, total, before)
    return None


def _without(total: Tensor, weights: Tensor, view: View) -> Tensor | None:
    """What weights were added to, if a tensor is such a sum."""
    made = view.graph.maker(total)
    if made is None or not isinstance(made.event, Elementwise) or made.event.symbol != "+":
        return None
    parts = [tensor for _, tensor in made.tensors()]
    others = [tensor for tensor in parts if not are_one(tensor, weights)]
    return others[0] if len(parts) == _PAIR and len(others) == 1 else None


def _is_never_negative(tensor: Tensor, view: View, left: int = _MOST_STEPS) -> bool:
    """Whether a tensor is put together of softmaxes and of constants that are 0 or more."""
    mark = view.meanings.mark(tensor)
    if mark is not None and mark.is_constant:
        return mark.visible >= 0
    return left > 0 and all(
        made is not None and _adds_only(made, view, left - 1) for made in view.graph.makers(tensor)
    )


def _adds_only(made: Operation, view: View, left: int) -> bool:
    """Whether an operation gives a softmax, or a sum or a copy of what is never negative."""
    event = made.event
    if any(made is site.softmax for site in view.sites):
        return not (isinstance(event, Softmax) and event.log)
    sums = isinstance(event, Elementwise) and event.symbol == "+"
    constant = _constant(made, view)
    if constant is not None or not (sums or isinstance(event, MOVES) or made.kind in COPYING):
        return constant is not None and constant >= 0
    tensors = [tensor for _, tensor in made.tensors()]
    return bool(tensors) and all(_is_never_negative(each, view, left) for each in tensors)


def _constant(made: Operation, view: View) -> float | None:
    """The number that an operation fills a tensor with."""
    output = as_tensor(made.output)
    mark = None if output is None else view.meanings.mark(output)
    return mark.visible if mark is not None and mark.is_constant else None
