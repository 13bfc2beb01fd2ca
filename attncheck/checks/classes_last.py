"""A loss over classes that counts positions, as the scores have their classes last.

torch.nn.functional.cross_entropy takes scores (n, classes, ...). What a linear layer gives is
(batch, positions, classes), and with targets (batch, positions) that raises; with probabilities of
the same shape each class is compared with itself over the positions.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.constructed import layer_of
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Contraction, Elementwise, Softmax
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor

#: Scores of one position each, and of several: (batch, classes) and (batch, positions, classes).
_SEVERAL = 3
#: Where torch's losses have the classes.
_CLASSES = 1


def classes_last(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each loss over classes whose scores a layer has just given, classes last."""
    for operation in view.graph.operations:
        if operation.kind == "classes" and operation.clash is None and not operation.elsewhere:
            yield from _of_loss(rule, operation, view)


def _of_loss(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    operands = list(operation.tensors())[:2]
    if len(operands) != 2 or not operation.spelling.startswith("torch."):
        return
    (scores, tensor), (_, target) = operands
    sizes, shape = view.sizes(tensor), view.shape(target)
    if sizes is None or len(sizes) != _SEVERAL or scores.node is None:
        return
    if shape is not None and shape.closed and len(shape.axes) != _SEVERAL - 1:
        return
    made = _layer_behind(tensor, view)
    if made is None:
        return
    batch, positions, classes = sizes
    if positions is None or classes is None or view.equal(positions, classes):
        return
    counted = text_of((positions,)).strip("(),")
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` takes axis {_CLASSES} of {text_of(sizes)}, {counted}, for"
        f" the classes: `{view.quote(made.node)}` has them last, and targets would have to be"
        f" {text_of((batch, classes))}",
        Culprit(scores.node, tensor),
        (batch, classes, positions),
        "cross-entropy takes (batch, classes, positions), with targets (batch, positions)",
    )


def _layer_behind(tensor: Tensor, view: View) -> Operation | None:
    """The layer whose features the scores are, or the logarithms of; None if none is seen."""
    made = view.graph.maker(tensor)
    while made is not None and isinstance(made.event, Softmax | Elementwise):
        alone = len(list(made.tensors())) == 1
        made = view.graph.maker(made.source) if alone and made.source is not None else None
    product = made is not None and isinstance(made.event, Contraction)
    return made if made is not None and product and layer_of(made) is not None else None
