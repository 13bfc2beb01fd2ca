"""einops patterns of one function that give two axes each other's names.

``"b n (h d) -> b h n d"`` says which axis is h and which n; ``"b n h d -> b n (h d)"`` on what came
of it calls h what was n, and merges another axis than was split. Axes are known by their birth, so
that a transpose in between takes the names along.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Shape, Tag
from attncheck.checks import reshape_not_transpose
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.patterns import Malformed, read_side
from attncheck.record import record
from attncheck.values.value import Const, as_tensor


@record
class Exchanged:
    """Two names that a pattern gives to each other's axes: the operation, and the names."""

    operation: Operation
    names: tuple[str, str]


def check_trace(view: View) -> Iterator[Report]:
    """Report patterns whose names contradict those of the patterns before them."""
    for found in exchanged(view):
        operation = found.operation
        operand, tensor = next(operation.tensors())
        first, second = found.names
        if operand.node is None or operation.elsewhere:
            continue
        message = (
            f"`{view.quote(operation.node)}` calls {first} the axis that the patterns before call"
            f" {second}, and the reverse: another axis is moved or merged than was split"
        )
        yield Report(
            reshape_not_transpose.RULE,
            operation,
            operation.node,
            message,
            Culprit(operand.node, tensor),
            None,
            f"a pattern in which {first} and {second} stand where these axes are",
            named=True,
        )


def exchanged(view: View) -> Iterator[Exchanged]:
    """The patterns of a trace that exchange two names."""
    known: dict[object, dict[str, set[Tag]]] = {}
    seen: set[tuple[object, object]] = set()
    for operation in view.graph.operations:
        sides = _sides(operation, view)
        if sides is None:
            continue
        place = operation.place
        # A lambda is a part of the function that it stands in.
        calls = (each.node for each in place.calls if each.function != place.function)
        run = (place.function, *calls)
        names = known.setdefault(run, {})
        pair = _exchanged(sides[0], names)
        if pair is not None and (run, operation.node) in seen:
            # A loop comes round again with its axes the other way: names start anew.
            names.clear()
        elif pair is not None:
            yield Exchanged(operation, pair)
        else:
            for side in sides:
                for name, tag in side.items():
                    names.setdefault(name, set()).add(tag)
        seen.add((run, operation.node))


def _exchanged(side: dict[str, Tag], names: dict[str, set[Tag]]) -> tuple[str, str] | None:
    for one, tag in side.items():
        for other, second in side.items():
            ours, theirs = names.get(one, set()), names.get(other, set())
            if tag in theirs and second in ours and tag not in ours and second not in theirs:
                return one, other
    return None


def _sides(operation: Operation, view: View) -> tuple[dict[str, Tag], dict[str, Tag]] | None:
    """The axes by their names on either side of a pattern; None if an operation has none."""
    if not operation.spelling.startswith("einops") or "einsum" in operation.kind:
        return None
    pattern = next((each.value for each in operation.operands if each.name == "pattern"), None)
    tensor = next((tensor for _, tensor in operation.tensors()), None)
    if type(pattern) is not Const or not isinstance(pattern.value, str) or tensor is None:
        return None
    left, _, right = pattern.value.partition("->")
    given, made = view.shape(tensor), view.shape(as_tensor(operation.output))
    try:
        return _named(left, given), _named(right, made)
    except Malformed:
        return None


def _named(side: str, shape: Shape | None) -> dict[str, Tag]:
    """The births of the axes that have a name of their own."""
    groups = read_side(side).groups
    if shape is None or not shape.closed or ... in groups or len(groups) != len(shape.axes):
        return {}
    named: dict[str, Tag] = {}
    for group, axis in zip(groups, shape.axes, strict=True):
        if group is ... or len(group) != 1 or axis.tag is None:
            continue
        (name,) = group
        if isinstance(name, str):
            named[name] = axis.tag
    return named
