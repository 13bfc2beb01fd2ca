"""Two tensors put behind each other, and cut apart again as if they stood in the other order.

``context = cat([text, image], 1)`` ends with the ``n`` tokens of the image, so that
``context[:, :n]`` is the beginning of the text: nothing raises, and each projection is given the
tokens of the other. A queue that drops as many steps as it was given is cut alike, and no mistake:
what tells is that both parts go into layers, each into its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.size import Size
from attncheck.checks.constructed import layer_of
from attncheck.checks.picked import is_whole, keys_of
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Contraction, Joining
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import NONE, Slice, as_size, as_tensor


@record
class Miscut:
    """A join of two tensors, and the two cuts that take its first ``size`` places for the last."""

    joined: Operation
    last: Operand
    axis: int
    size: Size
    first: Operation
    rest: Operation


def parts_in_order(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of joined tensors that are cut apart in the other order."""
    for found in view.once(miscut):
        tensor = found.first.source
        output = as_tensor(found.first.output)
        if tensor is None or output is None:
            continue
        yield Report(
            rule,
            found.first,
            found.first.node,
            f"`{view.quote(found.first.node)}` takes the first {found.size} places of axis"
            f" {found.axis} for what `{view.quote(found.joined.node)}` ({_line(found, view)}) has"
            f" put last, the {found.size} of `{view.quote(found.last.node)}`: each part holds"
            " places of the other, and nothing raises, for the sizes are the same",
            Culprit(found.first.node, output),
            view.sizes(output),
            f"the last {found.size} places, and the rest from the front",
            named=True,
        )


def _line(found: Miscut, view: View) -> str:
    return view.place(found.joined.node)


def miscut(view: View) -> list[Miscut]:
    """The joins of a trace that are cut apart in the other order, once for each pair of cuts."""
    found: dict[object, Miscut] = {}
    for operation in view.graph.operations:
        event = operation.event
        if isinstance(event, Joining) and event.kind == "cat" and not operation.elsewhere:
            for each in _cuts_of(operation, event, view):
                found.setdefault(each.first.node, each)
    return list(found.values())


def _cuts_of(joined: Operation, event: Joining, view: View) -> Iterator[Miscut]:
    pairs = list(joined.tensors())
    sizes = view.sizes(as_tensor(joined.output))
    if event.axis is None or sizes is None or len(pairs) != 2:
        return
    axis = event.axis % len(sizes)
    first, last = (_length(tensor, axis, view) for _, tensor in pairs)
    if first is None or last is None or not _are_apart(first, last):
        return
    cuts = [
        (cut, other)
        for cut, key in _slices(joined, axis, view)
        for other, rest in _slices(joined, axis, view)
        if _is_before(key, last, view) and _is_from(rest, last, view)
    ]
    for front, rest in cuts:
        layers = [_layers(each, view) for each in (front, rest)]
        if all(layers) and layers[0].isdisjoint(layers[1]):
            yield Miscut(joined, pairs[1][0], axis, last, front, rest)


def _length(tensor: Tensor, axis: int, view: View) -> Size | None:
    sizes = view.sizes(tensor)
    return None if sizes is None or axis >= len(sizes) else sizes[axis]


def _are_apart(first: Size, last: Size) -> bool:
    """Whether two lengths are no numbers, and have no symbol in common."""
    return last.number is None and not set(first.symbols()) & set(last.symbols())


def _slices(joined: Operation, axis: int, view: View) -> Iterator[tuple[Operation, Slice]]:
    """The plain slices of one axis alone of what a join has made."""
    for operation in view.graph.users(joined):
        keys = keys_of(operation) if operation.kind == "index" and not operation.elsewhere else None
        if keys is None or len(keys) <= axis or operation.source is not joined.output:
            continue
        key, others = keys[axis], (*keys[:axis], *keys[axis + 1 :])
        if type(key) is Slice and key.step in (None, NONE) and all(map(is_whole, others)):
            yield operation, key


def _is_before(key: Slice, size: Size, view: View) -> bool:
    """Whether a slice is ``:size``."""
    upper = None if key.upper is None else as_size(key.upper)
    return key.lower in (None, NONE) and view.equal(upper, size)


def _is_from(key: Slice, size: Size, view: View) -> bool:
    """Whether a slice is ``size:``."""
    lower = None if key.lower is None else as_size(key.lower)
    return key.upper in (None, NONE) and view.equal(lower, size)


def _layers(cut: Operation, view: View) -> set[str]:
    """The layers that are given what a slice has cut, as they are called."""
    return {
        view.code(operation.node.func)
        for operation in view.graph.users(cut)
        if isinstance(operation.event, Contraction)
        and layer_of(operation) is not None
        and isinstance(operation.node, cst.Call)
        and not operation.elsewhere
    }
