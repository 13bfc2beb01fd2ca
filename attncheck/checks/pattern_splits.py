"""einops patterns that take a merged axis apart in another order than it was merged in.

``"b t n c -> (b n) t c"`` lays the places of one sequence side by side, sequence by sequence;
``"(n b) t c -> b t n c"`` reads them place by place. Sizes agree, no element moves, and every
sequence gets places of all others.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.reshape import Order, Reshaped
from attncheck.algebra.shape import COPIES, Axis
from attncheck.checks import reshape_not_transpose
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Rearranging
from attncheck.operators.patterns import Malformed, read_side
from attncheck.record import record
from attncheck.values.value import Const


@record
class SplitOtherwise:
    """The names of a group of a pattern as they stand there, and in the order of what was merged.

    ``sizes`` are the sizes in that order, as they lie, and ``read`` as they are read.
    """

    group: tuple[str, ...]
    wanted: tuple[str, ...]
    lie: tuple[Axis, ...]
    read: tuple[Axis, ...]


def check_trace(view: View) -> Iterator[Report]:
    """Report patterns that read the parts of a merged axis in another order than they lie in."""
    for operation in view.graph.operations:
        found = view.remembered(split_otherwise, operation)
        operand, tensor = next(operation.tensors(), (None, None))
        if found is None or operand is None or operand.node is None or tensor is None:
            continue
        if operation.elsewhere or operation.clash is not None:
            continue
        lie, read = (text_of(tuple(axis.size for axis in side)) for side in (found.lie, found.read))
        yield Report(
            reshape_not_transpose.RULE,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` takes ({' '.join(found.group)}) apart as {read}, but"
            f" its elements lie as {lie}: what comes out along each of them is a mixture, and"
            " nothing raises",
            Culprit(operand.node, tensor),
            view.sizes(tensor),
            f"taken apart as ({' '.join(found.wanted)}), in the order in which it was merged",
        )


def split_otherwise(operation: Operation, view: View) -> SplitOtherwise | None:
    """How a pattern takes a merged axis apart in another order than it was merged in, or None."""
    event = operation.event
    if not isinstance(event, Rearranging) or not operation.spelling.startswith("einops"):
        return None
    groups = [group for group in _groups(operation) if len(group) > 1]
    if len(groups) != len(event.splits):
        return None
    found = (_of(group, split, view) for group, split in zip(groups, event.splits, strict=True))
    return next((each for each in found if each is not None), None)


def _groups(operation: Operation) -> list[tuple[str, ...]]:
    """The groups of a pattern's left side, each with its names."""
    pattern = next((each.value for each in operation.operands if each.name == "pattern"), None)
    if type(pattern) is not Const or not isinstance(pattern.value, str):
        return []
    try:
        groups = read_side(pattern.value.partition("->")[0]).groups
    except Malformed:
        return []
    return [tuple(map(str, group)) for group in groups if group is not ...]


def _of(group: tuple[str, ...], split: Reshaped, view: View) -> SplitOtherwise | None:
    if split.order is not Order.SCRAMBLED or split.regrouped is None:
        return None
    old, new = split.regrouped
    parts = old[0].parts if len(old) == 1 else ()
    if len(parts) != len(group) or len(new) != len(group):
        return None
    if any(part.made == COPIES for part in parts):
        return None  # copies that are read in another order are told as that
    places: list[int] = []
    for part in parts:
        fits = [at for at, axis in enumerate(new) if view.equal(part.size, axis.size)]
        if len(fits) != 1:
            return None
        places.append(fits[0])
    if len(set(places)) != len(places) or places == sorted(places):
        return None
    wanted = tuple(group[place] for place in places)
    return SplitOtherwise(group, wanted, parts, new)
