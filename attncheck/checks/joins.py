"""Tensors joined along another axis than the one along which they differ.

``cat((cls, tokens), dim=2)`` of ``(B, 1, d)`` and ``(B, n, d)`` works where n is 1. They agree on
the axis that they are joined along, and nothing but the join needs them to agree on the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Shape, listed
from attncheck.algebra.size import Size
from attncheck.checks.report import Culprit, Report, Sizes, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Joining, Rearranging
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.value import as_tensor

#: Of so many tensors that are put side by side the odd one is told.
_LEAST_ITEMS = 3
#: A step and what stands beside it.
_PAIR = 2


@record
class Joined:
    """The shapes that are joined, in the sizes they had before, and the axis (from 0)."""

    shapes: tuple[Shape, ...]
    axis: int


def joined(operation: Operation, view: View) -> Joined | None:
    """What an operation joins along an axis of theirs, if the shapes are known."""
    event = operation.event
    if not isinstance(event, Joining) or event.kind != "cat" or event.axis is None:
        return None
    shapes: list[Shape] = []
    for _, tensor in operation.tensors():
        shape = None if tensor.shape is None else listed(tensor.shape, view.facts)
        if shape is None or not shape.closed or any(axis.size is None for axis in shape.axes):
            return None
        shapes.append(shape)
    if len(shapes) < 2 or len({shape.rank for shape in shapes}) != 1 or not shapes[0].axes:
        return None
    return Joined(tuple(shapes), event.axis % len(shapes[0].axes))


def joined_across(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """The report of tensors that agree on the axis they are joined along, and on no other rest."""
    found, made = joined(operation, view), as_tensor(operation.output)
    if found is None or made is None or operation.clash is not None:
        return
    crossed = _crossed_ones(operation, found, view)
    if crossed is not None:
        yield from _crossed_report(rule, operation, view, found, crossed)
        return
    columns = list(zip(*(shape.sizes() for shape in found.shapes), strict=True))
    turned = _turned(columns, found, view)
    if turned is not None:
        yield from _turned_report(rule, operation, view, *turned, found.axis)
        return
    apart = [place for place, sizes in enumerate(columns) if not _agree(sizes, operation, view)]
    if len(apart) != 1 or apart[0] == found.axis or not _is_odd(columns, found, apart[0]):
        return
    (axis,) = apart
    sizes = [view.facts.resolve(size) for size in columns[found.axis] if size is not None]
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` joins along axis {found.axis}, which is {sizes[0]} in all"
        f" of them, and needs axis {axis} to be of one size:"
        f" {' and '.join(text_of(shape.sizes()) for shape in found.shapes)}",
        Culprit(operation.node, made),
        None,
        f"joined along axis {axis}, the only one on which they differ",
        axis=axis,
    )


def crossed_item(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """The report of one of several tensors in a list whose two sizes are exchanged.

    ``stack((a, b, c))`` of ``(B, H, T)``, ``(B, T, H)`` and ``(B, H, T)`` works where T is H.
    """
    if operation.clash is not None or not isinstance(operation.event, Joining | Rearranging):
        return
    tensors = list(operation.tensors())
    shapes = [each.shape for _, each in tensors] if len(tensors) >= _LEAST_ITEMS else []
    listings = [listed(shape, view.facts) for shape in shapes if shape is not None]
    rows = [_before(shape, operation, view) for shape in listings if shape.closed]
    if len(rows) < _LEAST_ITEMS or len(rows) != len(tensors) or len({*map(len, rows)}) != 1:
        return
    for index, own in enumerate(rows):
        others = rows[:index] + rows[index + 1 :]
        places = _exchanged(own, others)
        operand, tensor = tensors[index]
        if places is None:
            continue
        named = operand.node is not None
        what = f"`{view.quote(operand.node)}`" if named else f"number {index + 1} of them,"
        wanted = list(own)
        wanted[places[0]], wanted[places[1]] = own[places[1]], own[places[0]]
        one, other = (own[place] for place in places)
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` puts {what} {text_of(own)} beside"
            f" {text_of(others[0])}: {one} and {other} have changed places",
            Culprit(operand.node or operation.node, tensor),
            tuple(wanted),
            "its axes in the order of those of the others",
            hidden=f"hidden while {one} == {other}",
        )
        return


def _before(shape: Shape, operation: Operation, view: View) -> Sizes:
    """The sizes of a shape as they were before an operation needed them to be others."""
    return tuple(
        None if size is None else view.facts.resolve_but(size, operation.bound)
        for size in shape.sizes()
    )


def _exchanged(own: Sizes, others: list[Sizes]) -> tuple[int, int] | None:
    """Two places at which one tensor has the sizes that all others have the other way round."""
    told = [place for place, size in enumerate(own) if size is not None and _is_name(size)]
    for one, other in itertools.combinations(told, 2):
        turned = own[other], own[one]
        if own[one] != own[other] and all((each[one], each[other]) == turned for each in others):
            return one, other
    return None


def _is_name(size: Size) -> bool:
    """Whether a size is one that the code has fixed and named, and no number."""
    return size.number is None and not any(each.flexible or each.found for each in size.symbols())


def _crossed_ones(operation: Operation, found: Joined, view: View) -> tuple[int, int] | None:
    """Two axes of which one tensor has 1 on the first and the other one has it on the second.

    ``(1, B, d)`` beside ``(B, 1, d)``: a step that is time first, and one that is batch first.
    """
    if len(found.shapes) != _PAIR:
        return None
    left, right = (_before(shape, operation, view) for shape in found.shapes)
    kept = [place for place in range(len(left)) if place != found.axis]
    for one, other in itertools.permutations(kept, 2):
        told = left[one], right[other]
        named = left[other], right[one]
        if all(size is not None and size.number == 1 for size in told) and all(
            size is not None and size.number is None for size in named
        ):
            return one, other
    return None


def _crossed_report(
    rule: Rule, operation: Operation, view: View, found: Joined, places: tuple[int, int]
) -> Iterator[Report]:
    tensors = list(operation.tensors())
    rows = [_before(shape, operation, view) for shape in found.shapes]
    (operand, tensor), wanted = tensors[1], list(rows[1])
    one, other = places
    wanted[one], wanted[other] = wanted[other], wanted[one]
    if operand.node is None:
        return
    named = " and ".join(dict.fromkeys((str(rows[0][other]), str(rows[1][one]))))
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` joins {text_of(rows[0])} and {text_of(rows[1])}: each has"
        f" 1 where the other one has more, so that it works for {named} of 1 only",
        Culprit(operand.node, tensor),
        tuple(wanted),
        f"its axes {min(places)} and {max(places)} in the order of the other's",
        hidden=f"hidden while {rows[1][one]} == 1",
        moved=places,
    )


def _turned(
    columns: list[tuple[Size | None, ...]], found: Joined, view: View
) -> tuple[int, int] | None:
    """The tensor that is 1 long where the others have what it has on the joined axis; and where."""
    for place, sizes in enumerate(columns):
        ones = [index for index, size in enumerate(sizes) if size is not None and size.number == 1]
        if place == found.axis or len(ones) != 1:
            continue
        (index,) = ones
        own = columns[found.axis][index]
        others = [size for at, size in enumerate(sizes) if at != index]
        if own is None or own.number is not None or any(each.flexible for each in own.symbols()):
            continue
        along = [size for at, size in enumerate(columns[found.axis]) if at != index]
        if all(view.equal(own, size) for size in others):
            return None if any(view.equal(own, size) for size in along) else (index, place)
    return None


def _turned_report(
    rule: Rule, operation: Operation, view: View, index: int, place: int, axis: int
) -> Iterator[Report]:
    operand, tensor = list(operation.tensors())[index]
    sizes = view.sizes(tensor)
    if operand.node is None or sizes is None:
        return
    wanted = list(sizes)
    wanted[axis], wanted[place] = sizes[place], sizes[axis]
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` joins along axis {axis}, and `{view.quote(operand.node)}`"
        f" {text_of(sizes)} has its {sizes[axis]} there, where the others have it on axis {place}",
        Culprit(operand.node, tensor),
        tuple(wanted),
        f"with its {sizes[axis]} where the others have theirs",
        hidden=f"hidden while {sizes[axis]} == 1",
        moved=(axis, place),
    )


def _agree(sizes: tuple[Size | None, ...], operation: Operation, view: View) -> bool:
    """Whether sizes are one, without an operation having made them one."""
    facts, (first, *rest) = view.facts, sizes
    for size in rest:
        if first is None or size is None:
            return False
        if first == size:
            continue
        if facts.compare(first, size) is not Verdict.EQUAL:
            return False
        if facts.rests_on(first, operation.bound) or facts.rests_on(size, operation.bound):
            return False
    return True


def _is_odd(columns: list[tuple[Size | None, ...]], found: Joined, axis: int) -> bool:
    """Whether two sizes that were not known to be equal are hardly meant to be.

    The batch is in all of them and is not joined; 1 is what was put in to be joined along.
    """
    along = [size for size in columns[found.axis] if size is not None]
    if any(size.number is not None for size in along):
        return False
    apart = [size for size in columns[axis] if size is not None]
    others = [size for size in apart if size.number != 1]
    fixed = others and not any(symbol.flexible for size in others for symbol in size.symbols())
    return bool(fixed) and len(others) < len(apart)
