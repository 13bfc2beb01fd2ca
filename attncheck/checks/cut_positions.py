"""Keys and values of which another axis than that of the positions is cut to a length of time.

``keys[:, -window:]`` of (B, H, T, d) keeps ``window`` heads, and so all of them, for all positions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from attncheck.checks.picked import is_whole, keys_of
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.sources import trios
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Permutation
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import Slice, as_tensor

#: What lengths of time are called, as a part of a name.
_TIME = re.compile(
    r"window|context|ctx|length|(?:^|_)(?:max_)?len|past|cache|block_size|seq|steps?|positions?",
    re.IGNORECASE,
)
#: Axes of keys: (B, T, d), (B, H, T, d).
_LEAST = 3


def cut_positions(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of keys and values that are cut along another axis than that of positions."""
    seen = set[int]()
    for trio in trios(view):
        for tensor in (trio.key, trio.value):
            made = _before(tensor, view)
            if made is None or made.number in seen:
                continue
            seen.add(made.number)
            yield from _cut(rule, made, view)
    for operation in view.graph.operations:
        if operation.kind == "written" and not operation.elsewhere:
            yield from _written(rule, operation, view)


def _before(tensor: Tensor, view: View) -> Operation | None:
    """What made a tensor, before its last two axes were exchanged."""
    made = view.maker(tensor)
    if made is not None and isinstance(made.event, Permutation) and made.source is not None:
        order = made.event.order
        kept = order[:-2] == tuple(range(len(order) - 2))
        return view.maker(made.source) if kept and order[-1] == len(order) - 2 else None
    return made


def _cut(rule: Rule, made: Operation, view: View) -> Iterator[Report]:
    shape, keys, output = view.shape(made.source), keys_of(made), as_tensor(made.output)
    if made.kind != "index" or shape is None or keys is None or output is None:
        return
    cuts = [at for at, key in enumerate(keys) if not is_whole(key)]
    if not shape.closed or len(shape.axes) < _LEAST or len(cuts) != 1:
        return
    (at,), positions = cuts, len(shape.axes) - 2
    key = keys[at]
    if type(key) is not Slice or at >= positions or not isinstance(made.node, cst.Subscript):
        return
    if not _TIME.search(view.code(made.node.slice[at].slice)):
        return
    yield Report(
        rule,
        made,
        made.node,
        f"`{view.quote(made.node)}` cuts axis {at} of {text_of(shape.sizes())}, but the keys and"
        f" values of attention have their positions along axis {positions}: no position is left"
        " out",
        Culprit(made.node, output),
        None,
        f"cut along axis {positions}, which counts positions",
        hidden="a slice that is longer than its axis takes it whole, and nothing raises",
        moved=(at, positions),
    )


def _written(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """What is written into a buffer, at a place along an axis that it fills already."""
    given = {operand.name: operand for operand in operation.operands}
    starts = _starts(operation, view)
    pair = [view.shape(as_tensor(given[name].value)) if name in given else None for name in "xy"]
    if not starts or None in pair:
        return
    buffer, update = pair
    assert buffer is not None and update is not None
    if not buffer.closed or not update.closed or len(buffer.axes) != len(starts):
        return
    fills = [
        axis.size is not None and axis.size == other.size
        for axis, other in zip(buffer.axes, update.axes, strict=True)
    ]
    placed = [at for at, start in enumerate(starts) if start != "0"]
    room = [at for at, full in enumerate(fills) if not full and at not in placed]
    if len(placed) != 1 or len(room) != 1 or not fills[placed[0]]:
        return
    operand = given["y"]
    tensor = as_tensor(operand.value)
    if operand.node is None or tensor is None:
        return
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` places {text_of(update.sizes())} along axis {placed[0]} of"
        f" {text_of(buffer.sizes())}, which it fills: the place is taken back to 0, and each step"
        f" overwrites the first place of axis {room[0]}",
        Culprit(operand.node, tensor),
        None,
        f"placed along axis {room[0]}, which has room for more than one step",
        hidden="a start that is too large is moved back, and nothing raises",
        moved=(placed[0], room[0]),
    )


def _starts(operation: Operation, view: View) -> list[str]:
    """The places at which something is written, one for each axis, as they are written down."""
    arguments = operation.node.args if isinstance(operation.node, cst.Call) else ()
    listed = [arg.value for arg in arguments if isinstance(arg.value, cst.Tuple | cst.List)]
    if len(listed) != 1:
        return []
    return [view.code(element.value) for element in listed[0].elements]
