"""Contexts joined along time to the states that asked for them, and not feature to feature.

Luong's decoder predicts from ``tanh(W_c [c_t ; h_t])``, one of either at each step (Luong et al.
2015, section 3, equation 5). Joined along the steps the contexts stand in front of the states,
twice as many steps come out, and no state meets its context.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.attention import Site
from attncheck.checks.declared import declaration
from attncheck.checks.mask_places import are_one
from attncheck.checks.report import Culprit, Report, Sizes
from attncheck.checks.steps import uses_behind
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Joining
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

#: A batch, steps and features.
_RANK = 3


def along_steps(rule: Rule, view: View) -> Iterator[Report]:
    """A report of `rule` for each context that Luong's attention joins along the steps."""
    for operation in view.graph.operations:
        event = operation.event
        if not isinstance(event, Joining) or event.kind != "cat" or event.axis is None:
            continue
        tensors = [tensor for _, tensor in operation.tensors()]
        made = as_tensor(operation.output)
        if len(tensors) != 2 or operation.clash is not None or operation.elsewhere or made is None:
            continue
        if not _is_along_steps(tensors, event.axis, view):
            continue
        said = declaration(view, operation.node)
        if said is None or said.paper != "luong":
            continue
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` puts the contexts and the states that asked for them"
            f" one behind the other along axis {event.axis}, the steps, though {said.clause}:"
            " Luong's decoder joins the features of each step's two, [c_t ; h_t], and here no state"
            " meets its context; nothing raises where both have as many features",
            Culprit(operation.node, made),
            _beside(tensors, view),
            "the features of both at each step, joined along the last axis",
            axis=-1,
            named=True,
        )


def _is_along_steps(tensors: list[Tensor], axis: int, view: View) -> bool:
    """Whether one of two tensors is what attention gave for the other, and an axis its steps."""
    shapes = [view.shape(tensor) for tensor in tensors]
    if any(shape is None or not shape.closed or len(shape.axes) != _RANK for shape in shapes):
        return False
    steps = [shape.axes[axis] for shape in shapes if shape is not None]
    if axis % _RANK != 1 or not are_one(*steps):
        return False
    return any(
        _asked(site, context, state, view)
        for site in view.sites
        for context, state in (tensors, tensors[::-1])
    )


def _asked(site: Site, context: Tensor, state: Tensor, view: View) -> bool:
    """Whether a tensor is the sum of a site whose scores are made of another."""
    made: Operation | None = view.graph.maker(context)
    if made is None or all(total.operation is not made for total in site.sums):
        return False
    return any(use.tensor is state for use in uses_behind(view.graph, site.scores_in))


def _beside(tensors: list[Tensor], view: View) -> Sizes | None:
    """The sizes of two tensors that are joined along their last axis."""
    first, second = (view.sizes(tensor) for tensor in tensors)
    if not first or not second or first[-1] is None or second[-1] is None:
        return None
    return (*first[:-1], first[-1] + second[-1])
