"""A loss over ``(B, 1)`` and ``(B,)`` compares every prediction with every target."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.broadcast import How
from attncheck.attention import behind
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Creation, Loss
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor

RULE = Rule("ATN204", "loss-broadcast", "a loss over (B, 1) and (B,)")
ON = (Loss,)
_STRETCHED = frozenset({How.LEFT_STRETCHED, How.RIGHT_STRETCHED})


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a loss whose prediction and target are broadcast against each other."""
    if not spreads(operation, view):
        return
    (first, a), (second, b) = list(operation.tensors())[:2]
    if any(_is_one_number(each, view) for each in (a, b)):
        return
    x, y = view.sizes(a) or (), view.sizes(b) or ()
    (longer, tensor), wanted = ((first, a), y) if len(x) > len(y) else ((second, b), x)
    if longer.node is None:
        return
    message = (
        f"`{view.quote(operation.node)}` broadcasts {view.text(a)} against {view.text(b)}:"
        " every prediction is compared with every target"
    )
    yield Report(
        RULE,
        operation,
        operation.node,
        message,
        Culprit(longer.node, tensor),
        wanted,
        "the shape of what it is compared with, element by element",
    )


def _is_one_number(tensor: Tensor, view: View) -> bool:
    """Whether a tensor holds one number that the code computes from numbers: a constant.

    Everything is meant to be compared with it.
    """
    shape = view.shape(tensor)
    if shape is None or not shape.closed or not all(axis.is_one for axis in shape.lead):
        return False
    if view.graph.comes_in(tensor):
        return False
    return all(
        None not in made.read if made.read else isinstance(made.event, Creation)
        for made in behind(view.graph, tensor)
    )


def spreads(operation: Operation, view: View) -> bool:
    """Whether a loss stretches one of two tensors of unlike numbers of axes along the other."""
    event, tensors = operation.event, [tensor for _, tensor in operation.tensors()][:2]
    if not isinstance(event, Loss) or event.broadcast is None or len(tensors) != 2:
        return False
    if not any(pairing.how in _STRETCHED for pairing in event.broadcast.pairings):
        return False
    x, y = (view.sizes(tensor) for tensor in tensors)
    return x is not None and y is not None and len(x) != len(y)
