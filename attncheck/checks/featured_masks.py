"""Masks that a library makes for positions, from tensors whose last axis holds features.

Flax's ``make_causal_mask`` takes tokens, ``(B, T)``, and reads nothing but the shape: of embeddings
``(B, T, d)`` it makes a table of features for each position, ``(B, T, 1, d, d)``.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.constructed import layer_of
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.operators.events import COPYING, Elementwise
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

#: Operators that make a mask of the positions along the last axis.
MAKERS = frozenset({"causal_mask", "attention_mask"})
_MOST_STEPS = 6


def of_features(rule: Rule, view: View) -> Iterator[Report]:
    """A report of `rule` for each such mask that is made of features."""
    for operation in view.graph.operations:
        if operation.kind not in MAKERS or operation.elsewhere:
            continue
        made = view.text(as_tensor(operation.output))
        for operand, tensor in operation.tensors():
            sizes = view.sizes(tensor)
            if operand.node is None or sizes is None or not is_featured(tensor, view):
                continue
            yield Report(
                rule,
                operation,
                operation.node,
                f"`{view.quote(operation.node)}` takes the last axis of"
                f" `{view.quote(operand.node)}` {text_of(sizes)} for positions, but it holds"
                f" features ({sizes[-1]}): the mask is {made}, and no scores have"
                " such axes",
                Culprit(operand.node, tensor),
                sizes[:-1],
                "the tokens, or one number for each position: only the shape of it counts",
                spoils=True,
            )
            break


def is_featured(tensor: Tensor, view: View) -> bool:
    """Whether the last axis of a tensor is what a layer puts out, for each of its positions.

    The layer gives three axes or more, at most added to others of its like since.
    """
    shape = view.shape(tensor)
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None or shape is None or not shape.closed or len(shape.axes) < 3:
            return False
        if layer_of(made) is not None:
            return True
        source = made.source
        if not (isinstance(made.event, Elementwise) or made.kind in COPYING) or source is None:
            return False
        before = view.shape(source)
        if before is None or not before.closed or len(before.axes) != len(shape.axes):
            return False
        tensor = source
    return False
