"""Dueling heads whose advantages are centred over a whole batch, and not over the actions.

``V(s) + A(s, a) - mean over a of A(s, a)`` (Wang et al. 2016, "Dueling Network Architectures",
equation 9): what is taken off is one number for each state. ``a.mean()`` is one number for all
states of a batch, which makes the values of each depend on the others. Of a single state, a vector
of advantages, it is right.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report
from attncheck.checks.runs import are_one
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import COPYING, Elementwise, Expansion, Reduction
from attncheck.rule import Rule
from attncheck.softmaxes import MOST_STEPS
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_size, as_tensor

_LAYER = "linear_layer"
#: What expands a tensor, also one of unknown shape.
_EXPANDING = frozenset({"expand", "expand_like"})
_OPERANDS = 2
_BATCHED = 2


def centred_advantages(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each mean over a batch that is taken off the advantages of its states."""
    for operation in view.graph.operations:
        mean = None if operation.elsewhere else _centred(operation, view)
        output = None if mean is None else as_tensor(mean.output)
        if mean is None or output is None or mean.elsewhere:
            continue
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(mean.node)}` is one number for all states of a batch:"
            f" `{view.quote(operation.node)}` takes it off the advantages of each, whose values"
            " depend on the other states then",
            Culprit(mean.node, output),
            None,
            "one number for each state: the mean over its actions, the last axis, kept as 1",
            named=True,
        )


def _centred(operation: Operation, view: View) -> Operation | None:
    """The mean that an operation takes off advantages, if a state's value is added to these."""
    sides = list(operation.tensors())
    if _symbol(operation) != "-" or len(sides) != _OPERANDS:
        return None
    mean = _maker(sides[1][1], view)
    if mean is None or mean.source is None or not _is_over_batch(mean):
        return None
    advantages = _maker(mean.source, view)
    if advantages is None or advantages.kind != _LAYER or _is_one(advantages, view) is not False:
        return None
    terms = [*_terms(sides[0][1], view), *_added_later(operation, view)]
    centred = any(are_one(term, mean.source) for term in terms)
    valued = any(_is_value(term, advantages, view) for term in terms)
    return mean if centred and valued else None


def _is_over_batch(made: Operation) -> bool:
    """Whether an operation takes the mean of all there is."""
    event = made.event
    return isinstance(event, Reduction) and event.kind == "mean" and event.axes is None


def _terms(tensor: Tensor, view: View) -> Iterator[Tensor]:
    """What a tensor is the sum of: of two tensors, or itself."""
    made = _maker(tensor, view)
    yield (None if made is None else as_tensor(made.output)) or tensor
    if made is not None and _symbol(made) == "+":
        yield from (each for _, each in made.tensors())


def _added_later(operation: Operation, view: View) -> Iterator[Tensor]:
    """What is added to the result of an operation."""
    for user in view.graph.users(operation):
        if _symbol(user) == "+":
            yield from (each for _, each in user.tensors())


def _is_value(tensor: Tensor, advantages: Operation, view: View) -> bool:
    """Whether a tensor is one number for each state of a batch, of which advantages are known."""
    made = _maker(tensor, view)
    if made is None or made.kind != _LAYER or made is advantages or not _is_one(made, view):
        return False
    return advantages.source is not None and _is_batched(advantages.source, view)


def _is_one(layer: Operation, view: View) -> bool | None:
    """Whether a layer gives one feature; None where it is not known."""
    for operand in layer.operands:
        size = as_size(operand.value) if operand.name == "out_features" else None
        if size is not None:
            return size.number == 1
    return None


def _is_batched(tensor: Tensor, view: View) -> bool:
    """Whether a tensor certainly has an axis beside its features, which is not 1.

    No elementwise step and no layer gives fewer axes than it is given.
    """
    waiting = [tensor]
    for _ in range(MOST_STEPS):
        if not waiting:
            break
        each = waiting.pop(0)
        shape = view.shape(each)
        if shape is not None and len(shape.lead) + len(shape.trail) >= _BATCHED:
            return not (shape.closed and all(axis.is_one for axis in shape.axes[:-1]))
        made = view.graph.maker(each)
        if made is not None and (isinstance(made.event, Elementwise) or made.kind == _LAYER):
            waiting += [operand for _, operand in made.tensors()]
    return False


def _symbol(made: Operation) -> str | None:
    return made.event.symbol if isinstance(made.event, Elementwise) else None


def _maker(tensor: Tensor, view: View) -> Operation | None:
    """The operation that made a tensor, before it was copied or expanded."""
    made = view.graph.maker(tensor)
    for _ in range(MOST_STEPS):
        passes = made is not None and (
            made.kind in COPYING
            or isinstance(made.event, Expansion)
            or made.kind.startswith("expand")
        )
        if made is None or made.source is None or not passes:
            break
        made = view.graph.maker(made.source)
    return made
