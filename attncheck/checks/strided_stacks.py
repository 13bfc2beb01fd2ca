"""Tensors stacked in front of time and merged with it, then read as if they took turns in time.

A decision transformer's tokens are return, state, action of each step in turn (Chen et al. 2021,
"Decision Transformer", section 3), and every third one is a state. ``(B, 3, T, d)`` merged to ``(B,
3*T, d)`` has all returns first, then all states: ``[:, 1::3]`` reads some of each.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.size import const
from attncheck.checks.picked import keys_of
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Joining, Reshaping
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import Slice, as_integer, as_tensor


@record
class Strided:
    """A stack, the view that merges its axis with the next one, and the slice that goes by turns.

    ``axis`` is the stack's, ``count`` how many tensors are stacked.
    """

    stack: Operation
    stacked: Tensor
    merged: Operation
    slice: Operation
    axis: int
    count: int


def strided_stacks(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each stack that is read by turns and does not take any."""
    for found in view.once(stacks_strided):
        sizes = view.sizes(found.stacked)
        if sizes is None:
            continue
        axis, steps = found.axis, sizes[found.axis + 1]
        yield Report(
            rule,
            found.merged,
            found.stack.node,
            f"`{view.quote(found.stack.node)}` is {view.text(found.stacked)}, merged with the"
            f" {found.count} tensors outside: all {steps} steps of the first, then those of the"
            f" next. `{view.quote(found.slice.node)}` ({view.place(found.slice.node)}) takes one"
            f" place in {found.count}, as if the tensors took turns in each step: no shape shows"
            " that they do not",
            Culprit(found.stack.node, found.stacked),
            (*sizes[:axis], steps, sizes[axis], *sizes[axis + 2 :]),
            "the stacked axis inside that of the steps, so that the tensors take turns",
            local=True,
        )


def stacks_strided(view: View) -> list[Strided]:
    """The stacks of a trace that a later slice takes for interleaved."""
    found: dict[object, Strided] = {}
    for merged in view.graph.operations:
        stack = _stack_behind(merged, view)
        if stack is None or stack.elsewhere or stack.node in found:
            continue
        stacked = as_tensor(stack.output)
        shape = _merged_at(stack, merged, view)
        if stacked is None or shape is None:
            continue
        axis, count = shape
        reader = next(_by_turns(merged, axis, count, view), None)
        if reader is not None:
            found[stack.node] = Strided(stack, stacked, merged, reader, axis, count)
    return list(found.values())


def _stack_behind(merged: Operation, view: View) -> Operation | None:
    """The stack that a reshape is given."""
    if not isinstance(merged.event, Reshaping) or merged.source is None or merged.elsewhere:
        return None
    made = view.graph.maker(merged.source)
    is_stack = made is not None and isinstance(made.event, Joining) and made.event.kind == "stack"
    return made if is_stack else None


def _merged_at(stack: Operation, merged: Operation, view: View) -> tuple[int, int] | None:
    """The axis of a stack that a view merges with the next one, and its number of tensors."""
    event = stack.event
    before, after = (view.sizes(as_tensor(each.output)) for each in (stack, merged))
    if not isinstance(event, Joining) or event.axis is None or before is None or after is None:
        return None
    axis = event.axis % len(before)
    if len(after) != len(before) - 1 or axis + 1 >= len(before):
        return None
    count, steps, both = before[axis], before[axis + 1], after[axis]
    if count is None or steps is None or both is None or count.number is None:
        return None
    others = zip(
        (*before[:axis], *before[axis + 2 :]), (*after[:axis], *after[axis + 1 :]), strict=True
    )
    if count.number < 2 or steps == count or not view.equal(both, const(count.number) * steps):
        return None
    return (axis, count.number) if all(view.equal(*pair) for pair in others) else None


def _by_turns(merged: Operation, axis: int, count: int, view: View) -> Iterator[Operation]:
    """The slices of what a view has led to that take every `count`-th place of the merged axis."""
    for later in view.graph.derived(merged):
        keys = keys_of(later) if later.kind == "index" and not later.elsewhere else None
        if keys is None or len(keys) <= axis or not _keeps(later, merged, axis, view):
            continue
        key = keys[axis]
        if type(key) is Slice and key.step is not None and as_integer(key.step) == count:
            yield later


def _keeps(later: Operation, merged: Operation, axis: int, view: View) -> bool:
    """Whether what is sliced has the merged axis in its place."""
    one, other = view.sizes(later.source), view.sizes(as_tensor(merged.output))
    if one is None or other is None or len(one) != len(other):
        return False
    return view.equal(one[axis], other[axis])
