"""Contracted sizes differ, and one transpose is what makes them agree."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.checks.constructed import layer_of
from attncheck.checks.forced import Forced, forced
from attncheck.checks.products import Kind, report
from attncheck.checks.report import Culprit, Report
from attncheck.checks.swapped import swapped
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import (
    Contraction,
    Einsum,
    Elementwise,
    Fault,
    Rearranging,
    Reshaping,
    Softmax,
)
from attncheck.rule import Rule
from attncheck.softmaxes import MOST_STEPS
from attncheck.values.tensor import Tensor

RULE = Rule(
    "ATN102",
    "transposed-operand",
    "contracted sizes differ, and one transpose (or swapping the operands) makes them agree",
)
_MATRIX = 2
_MOST_STEPS = 8
ON = (Fault.CONTRACTION, Contraction)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a product of which one operand stands the wrong way round."""
    if operation.clash is None:
        yield from _by_accident(operation, view)
        yield from swapped(RULE, operation, view)
        return
    yield from report(
        RULE,
        Kind.TRANSPOSED,
        operation,
        view,
        "`{code}` {clash}",
    )


def _by_accident(operation: Operation, view: View) -> Iterator[Report]:
    """A product that works if two sizes are equal that a transpose would keep apart."""
    found = None if layer_of(operation) is not None else forced(operation, view)
    operands = list(operation.tensors())
    sizes = None if found is None or found.tensor.shape is None else found.tensor.shape.sizes()
    node = None if found is None else operands[found.operand][0].node
    if found is None or sizes is None or node is None or len(operands) != 2:
        return
    if {found.contracted, found.other} != {len(sizes) - 2, len(sizes) - 1}:
        return
    if len(sizes) > _MATRIX and _is_put_together(found, view):
        return
    turned = (*sizes[:-2], sizes[-1], sizes[-2])
    other = operands[1 - found.operand][0].node
    yield Report(
        RULE,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` contracts {found.wanted} with {found.unseen}",
        Culprit(node, found.tensor),
        turned,
        f"as used here, so that it is its {found.wanted} that meets the {found.wanted} of"
        f" `{view.quote(other)}`",
        hidden=f"hidden while {found.unseen} == {found.wanted}",
    )


def _is_put_together(found: Forced, view: View) -> bool:
    """Whether the code has put the axes in their order, and a like size is none of the same axis.

    ``zeros(batch, heads, d_k, d_v)``, or what has one axis of each operand of a product: weights,
    or the keys times the values of linear attention.
    """
    shape = found.tensor.shape
    tags = [] if shape is None else [shape.axes[at].tag for at in (found.contracted, found.other)]
    roots = {(tag.root, tag.side) for tag in tags if tag is not None}
    apart = len(roots) > 1 and not _has_features(found, view)
    makers = view.graph.known_makers(found.tensor)
    return (
        apart or any(maker.kind == "filled" for maker in makers) or _is_product(found.tensor, view)
    )


def _is_product(tensor: Tensor, view: View) -> bool:
    """Whether a tensor is a product of two others, at most masked, normalised and viewed since."""
    waiting = [tensor]
    for _ in range(MOST_STEPS):
        if not waiting:
            break
        for made in view.graph.known_makers(waiting.pop(0)):
            if isinstance(made.event, Contraction | Einsum):
                if not layer_of(made):
                    return True
            elif isinstance(made.event, Softmax | Elementwise | Reshaping):
                waiting += [each for _, each in made.tensors()]
    return False


def _has_features(found: Forced, view: View) -> bool:
    """Whether one of the two axes counts the features that a layer has given each position.

    The other one counts positions, then, and the two are of no one kind.
    """
    shape = found.tensor.shape
    axes = () if shape is None else (shape.axes[found.contracted], shape.axes[found.other])
    return any(_counts_features(axis, view) for axis in axes)


def _counts_features(axis: Axis | None, view: View) -> bool:
    """Whether an axis is the last one of what a layer gave, or what it was split into: heads."""
    for _ in range(_MOST_STEPS):
        tag = None if axis is None else axis.tag
        made = None if tag is None else view.graph.born(tag.root)
        if made is None or layer_of(made):
            return made is not None
        source = made.source if isinstance(made.event, Reshaping | Rearranging) else None
        shape = None if source is None else source.shape
        axis = shape.tail[-1] if shape is not None and shape.tail else None
    return False
