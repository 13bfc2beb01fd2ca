"""A tensor joined with itself along the features, where its twin was made for nothing.

Two attentions give two contexts, two directions two outputs: ``cat([context, context], -1)`` has
the size of both, and what the other one has found reaches nothing. Copies side by side are no
mistake by themselves (``cat((angles, angles), -1)`` of rotary tables, Su et al. 2021): what tells
is a tensor of the same kind that the function makes and never reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import libcst as cst

from attncheck.attention import behind
from attncheck.checks.reads import is_kept, is_read
from attncheck.checks.report import Culprit, Report
from attncheck.checks.states import is_named
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Joining
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.tracer.machine import ShapeSite
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

#: How far behind a tensor its maker is looked for: what it was turned round by is none.
_NEAR = 3
#: The channels of ``(B, C, H, W)``, which are features as well.
_CHANNELS, _IMAGES = 1, 4
#: The axes of features where the number of axes is not known: behind batch and time.
_BEHIND_TIME, _LAST = 2, -1


@record
class TwiceJoined:
    """A join of a tensor with itself: the second mention, and what was made beside it."""

    operation: Operation
    again: cst.Name
    tensor: Tensor
    twin: ShapeSite


def twice_joined(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of tensors that are joined with themselves while their twins are never read."""
    for operation in view.graph.operations:
        found = view.remembered(joined_again, operation)
        output = as_tensor(operation.output)
        if found is None or output is None:
            continue
        name, twin = found.again.value, found.twin.name
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` joins `{name}` with itself: its features stand there"
            f" twice, and `{twin}`, which {view.place(found.twin.node)} makes in the same way, is"
            f" never read; {_hidden(found, view)}",
            Culprit(operation.node, output),
            view.sizes(output),
            f"`{name}` beside `{twin}`",
            local=True,
        )


def _hidden(found: TwiceJoined, view: View) -> str:
    """Why nothing raises: both tensors have one shape, as far as is known."""
    own, other = view.sizes(found.tensor), view.sizes(as_tensor(found.twin.value))
    if own is not None and own == other:
        return "both are of one shape, so nothing raises"
    return "nothing raises while both are of one size"


def joined_again(operation: Operation, view: View) -> TwiceJoined | None:
    """What an operation joins with itself, if the one tensor like it is never read."""
    event = operation.event
    if not isinstance(event, Joining) or event.kind != "cat" or operation.place.calls:
        return None
    if operation.elsewhere or operation.clash is not None:
        return None
    twice = _mentioned_twice(operation)
    if twice is None or not _along_features(event.axis, twice[1], view):
        return None
    again, tensor = twice
    twins = list(unread_twins(operation.node, operation.place.function, tensor, view))
    return TwiceJoined(operation, again, tensor, twins[0]) if len(twins) == 1 else None


def _mentioned_twice(operation: Operation) -> tuple[cst.Name, Tensor] | None:
    """The second mention of a name in a join, with its tensor."""
    seen: dict[str, Tensor] = {}
    for operand, tensor in operation.tensors():
        if isinstance(operand.node, cst.Name):
            if seen.get(operand.node.value) is tensor:
                return operand.node, tensor
            seen[operand.node.value] = tensor
    return None


def _along_features(axis: int | None, tensor: Tensor, view: View) -> bool:
    """Whether an axis is the last one of a tensor of several, or that of an image's channels."""
    shape = view.shape(tensor)
    if axis is None or shape is None:
        return False
    if not shape.closed:
        return axis == _LAST or axis >= _BEHIND_TIME
    rank = len(shape.axes)
    return rank > 1 and (axis % rank == rank - 1 or (rank == _IMAGES and axis == _CHANNELS))


def unread_twins(
    node: cst.CSTNode, function: str, tensor: Tensor, view: View
) -> Iterator[ShapeSite]:
    """The names of a function that hold what was made like a tensor, and are never read.

    Those are meant that are there where ``node`` is.
    """
    around = view.source.around(node)
    scope = next((each for each in around if isinstance(each, cst.FunctionDef)), view.source.module)
    latest: dict[str, ShapeSite] = {}
    for sites, _ in islice(view.sites_in(function), 1):
        for site in sites:
            # What stands for a call of flax is written nowhere.
            if not is_named(site) or not view.source.has(site.node) or not view.source.has(node):
                continue
            if view.line(site.node) < view.line(node):
                latest[site.name] = site
    for name, site in latest.items():
        other = as_tensor(site.value)
        if name.startswith("_") or other is None or other is tensor:
            continue
        made_here = site.node not in view.parameters and _is_like(other, tensor, view)
        is_used = is_read(name, scope, view) and is_kept(site.node, name, node, view)
        if made_here and not is_used:
            yield site


def _is_like(other: Tensor, tensor: Tensor, view: View) -> bool:
    """Whether two tensors come of one kind of operation, and no size tells them apart.

    Where a shape is not known, the same expression has to have made both: a method run twice.
    """
    made = view.graph.maker(tensor)
    if made is None:
        return False
    near = list(islice(behind(view.graph, other), _NEAR))
    ours, theirs = view.sizes(tensor), view.sizes(other)
    if ours is None or theirs is None:
        return any(each.node is made.node for each in near)
    if len(ours) != len(theirs) or not any(each.kind == made.kind for each in near):
        return False
    pairs = zip(ours, theirs, strict=True)
    return not any(a and b and view.facts.compare(a, b).clashes for a, b in pairs)
