"""What is empty where tensors are joined: a start to grow from, or a slice that takes nothing.

A cache starts as ``(B, heads, 0, d)`` and grows along its axis of 0. All its other sizes count
although it holds no element, so if they do not fit it was made wrong. ``h[1::2]`` of a state of one
layer in one direction has no second state to take: what was sliced has not the axis that it is
sliced for.
"""

from __future__ import annotations

from attncheck.algebra.size import ZERO, const
from attncheck.checks.report import Culprit, Report, Sizes, text_of
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Fault, Joining, Recurrence
from attncheck.record import record, replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import Sequence, Slice, as_size


@record
class Empty:
    """The one operand of a join without elements, its sizes, and those that it is joined to."""

    operand: Operand
    tensor: Tensor
    sizes: Sizes
    others: Sizes
    #: the axis of 0, and the one that is joined along
    axis: int
    along: int

    @property
    def is_start(self) -> bool:
        """Whether it is empty along the axis that is joined: it takes part as a start."""
        return self.axis == self.along


def empty_operand(operation: Operation, view: View) -> Empty | None:
    """The only operand of a join that cannot work which has an axis of 0, or None."""
    event, clash = operation.event, operation.clash
    if not isinstance(event, Joining) or event.axis is None or clash is None:
        return None
    if clash.fault is not Fault.JOIN:
        return None
    listed = [(operand, tensor, view.sizes(tensor)) for operand, tensor in operation.tensors()]
    empty = [each for each in listed if each[2] is not None and ZERO in each[2]]
    whole = [sizes for _, _, sizes in listed if sizes is not None and ZERO not in sizes]
    if len(empty) != 1 or len(whole) + 1 != len(listed):
        return None
    operand, tensor, sizes = empty[0]
    if sizes is None or not whole or len(whole[0]) != len(sizes) or sizes.count(ZERO) != 1:
        return None
    return Empty(operand, tensor, sizes, whole[0], sizes.index(ZERO), event.axis % len(sizes))


def blaming(report: Report, empty: Empty, view: View) -> Report:
    """The report with what is empty to blame, or what it is a slice of."""
    if empty.operand.node is None:
        return report
    if not empty.is_start:
        return _of_slice(report, empty, view) or report
    pairs = list(zip(empty.sizes, empty.others, strict=True))
    expected = tuple(
        own if axis == empty.along or view.equal(own, other) else other
        for axis, (own, other) in enumerate(pairs)
    )
    return replace(
        report,
        culprit=Culprit(empty.operand.node, empty.tensor),
        expected=expected,
        derivation=f"empty along axis {empty.along} only: its other sizes are compared although it"
        " holds no element",
    )


def _of_slice(report: Report, empty: Empty, view: View) -> Report | None:
    """The report with the tensor to blame of which a slice takes nothing, as it is too short."""
    made = view.maker(empty.tensor)
    source = None if made is None else next(made.tensors(), None)
    if made is None or source is None or made.kind != "index":
        return None
    operand, tensor = source
    sizes, first = view.sizes(tensor), _first(made, empty.axis)
    if sizes is None or first is None or operand.node is None or len(sizes) != len(empty.sizes):
        return None
    length = sizes[empty.axis]
    if length is None or length.number is None or length.number > first:
        return None
    expected = (*sizes[: empty.axis], const(first + 1), *sizes[empty.axis + 1 :])
    return replace(
        report,
        message=f"{report.message}; `{view.quote(made.node)}` takes nothing: `"
        f"{view.quote(operand.node)}` {text_of(sizes)} has {length} on axis {empty.axis}"
        f"{_of_states(tensor, view)}, and it starts at place {first}",
        culprit=Culprit(operand.node, tensor),
        expected=expected,
        derivation=f"with a place {first} on axis {empty.axis} to be taken",
    )


def _first(made: Operation, axis: int) -> int | None:
    """The place at which a slice of an axis starts, if only slices stand before it."""
    key = next((each.value for each in made.operands if each.name == "key"), None)
    items = key.items if type(key) is Sequence and key.items is not None else ()
    if len(items) <= axis or not all(type(item) is Slice for item in items):
        return None
    item = items[axis]
    size = as_size(item.lower) if type(item) is Slice and item.lower is not None else None
    return None if size is None else size.number


def _of_states(tensor: Tensor, view: View) -> str:
    """What the axis of layers is, of the states that a recurrent layer gives."""
    made = view.graph.maker(tensor)
    if made is None or not isinstance(made.event, Recurrence) or made.event.cell:
        return ""
    return ", one a layer and direction"
