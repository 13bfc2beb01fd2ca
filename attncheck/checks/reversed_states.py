"""States of a backward run that are joined with those of the forward one in their own order.

``LSTM(..., go_backwards=True)`` gives its last step first (keras.layers.LSTM, "go_backwards":
"process the input sequence backwards and return the reversed sequence"), and so does a layer that
is given ``x.flip(1)``. Beside the forward states each stands at another position: the first with
the last. Who takes ends, or sums over all steps, need not care; who attends to positions does.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.checks.mask_places import are_one
from attncheck.checks.report import Culprit, Report
from attncheck.checks.runs import are_one as are_one_tensor
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import (
    COPYING,
    Attention,
    Elementwise,
    Joining,
    Recurrence,
    Softmax,
)
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import TRUE, Sequence, Value, as_integer, as_tensor

#: (batch, steps, features), in either order of the first two.
_RANK = 3
_MOST_STEPS = 4


@record
class Reversed:
    """A run backwards, the forward run beside it, and where what they give is joined."""

    backward: Operation
    forward: Operation
    joined: Operation
    #: the backward states as they are joined
    operand: Operand
    tensor: Tensor
    #: the axis of the steps
    steps: int


def reversed_states(operation: Operation, view: View) -> Reversed | None:
    """The run of which a join takes the states in reversed order, or None."""
    tensors = list(operation.tensors())
    if len(tensors) != 2 or not _joins_features(operation) or operation.clash is not None:
        return None
    for (_, one), (operand, other) in (tensors, tensors[::-1]):
        forward, backward = _run_behind(one, view), _run_behind(other, view)
        shape = view.shape(other)
        if forward is None or backward is None or shape is None or shape.rank != _RANK:
            continue
        ways = [_way(each, view) for each in (forward, backward)]
        event = backward.event
        assert isinstance(event, Recurrence)
        if event.time is None or None in ways or [way and way[1] for way in ways] != [False, True]:
            continue
        sources = [way[0] for way in ways if way is not None]
        if _are_one(sources[0], sources[1], view) and _is_attended(
            operation, shape.axes[event.time], view
        ):
            return Reversed(backward, forward, operation, operand, other, event.time)
    return None


def _are_one(left: Tensor, right: Tensor, view: View) -> bool:
    """Whether two tensors are one: what one operation has made, or one argument by its axes."""
    if are_one_tensor(left, right):
        return True
    if left.operation is not None or right.operation is not None:
        return False
    tags = [
        [axis.tag for axis in shape.axes]
        for shape in (view.shape(left), view.shape(right))
        if shape is not None and shape.closed
    ]
    return len(tags) == 2 and tags[0] == tags[1] and None not in tags[0]


def _joins_features(operation: Operation) -> bool:
    """Whether an operation puts features side by side, or adds them up."""
    event = operation.event
    if isinstance(event, Elementwise):
        return event.symbol == "+"
    return isinstance(event, Joining) and event.kind == "cat" and event.axis in (-1, _RANK - 1)


def _run_behind(tensor: Tensor, view: View) -> Operation | None:
    """The recurrent layer that has given all steps of a tensor in the order that they have."""
    made = view.graph.maker(tensor)
    for _ in range(_MOST_STEPS):
        if made is None or isinstance(made.event, Recurrence):
            break
        alone = len(list(made.tensors())) == 1
        passing = made.kind in COPYING or isinstance(made.event, Elementwise)
        made = view.graph.maker(made.source) if alone and passing and made.source else None
    event = None if made is None else made.event
    if not isinstance(event, Recurrence) or event.cell or event.packed:
        return None
    return made


def _way(run: Operation, view: View) -> tuple[Tensor, bool] | None:
    """The sequence that a layer runs over, and whether it gives its last step first.

    None where both directions are run, or it is not known.
    """
    source, event = run.source, run.event
    given = {operand.name: operand.value for operand in run.operands}
    if source is None or not isinstance(event, Recurrence):
        return None
    if given.get("bidirectional") == TRUE or "layer" in given:
        return None
    turned = given.get("go_backwards") == TRUE
    made = view.graph.maker(source)
    if made is None or made.kind != "flip":
        return source, turned
    axes = [_axis(each.value) for each in made.operands if each.name == "axis"]
    if made.source is None or axes != [event.time]:
        return None
    return made.source, not turned


def _axis(value: Value) -> int | None:
    """The one axis that is named, alone or in a list."""
    items = value.items if type(value) is Sequence else (value,)
    return as_integer(items[0]) if items is not None and len(items) == 1 else None


def _is_attended(joined: Operation, steps: Axis, view: View) -> bool:
    """Whether the positions of what is joined are weighed, or run over again."""
    return any(
        isinstance(later.event, Attention | Recurrence) or _is_over(later, steps, view)
        for later in view.graph.derived(joined)
    )


def _is_over(operation: Operation, steps: Axis, view: View) -> bool:
    """Whether an operation is a softmax over the steps."""
    event, shape = operation.event, view.shape(as_tensor(operation.output))
    if not isinstance(event, Softmax) or event.axis is None or shape is None or not shape.closed:
        return False
    return are_one(shape.axes[event.axis % len(shape.axes)], steps)


def backward_order(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each run backwards whose states are not put in the order of the steps."""
    for operation in view.graph.operations:
        found = None if operation.elsewhere else view.remembered(reversed_states, operation)
        if found is None or found.backward.elsewhere:
            continue
        node = found.operand.node
        yield Report(
            rule,
            operation,
            found.backward.node,
            f"`{view.quote(found.backward.node)}` gives its last step first, and"
            f" `{view.quote(operation.node)}` puts that beside the first step of"
            f" `{view.quote(found.forward.node)}`: each position has the states of two",
            None if node is None else Culprit(node, found.tensor),
            view.sizes(found.tensor),
            f"the same shape, turned round along axis {found.steps} again",
            function=found.backward.place.function,
        )
