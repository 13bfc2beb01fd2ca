"""Rotary halves taken of a whole width, which is only split into heads afterwards.

``cat((-x[..., d // 2:], x[..., :d // 2]), -1)`` rotates features i and i + d/2 as a pair (Su et al.
2021, "RoFormer", section 3.2.2). Of all heads together these are features of different heads: a
head's scores have one half of each pair only, and no longer depend on relative positions alone.
Neighbours as pairs, 2i and 2i + 1, stay in one head, whenever heads are split.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.algebra.size import Size, const
from attncheck.checks.heads import counts_heads
from attncheck.checks.report import Culprit, Report
from attncheck.checks.rotated_pairs import rotates_halves
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import COPYING, Elementwise, Joining, Rearranging, Reshaping
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_COMBINING = frozenset({"*", "+"})


def rotated_widths(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each rotation by halves of what is split into heads behind it."""
    told = set[object]()
    for operation in view.graph.operations:
        if not isinstance(operation.event, Joining):
            continue
        output = as_tensor(operation.output)
        found = None if output is None else _split_later(operation, output, view)
        if found is None or output is None:
            continue
        rotated, split, heads = found
        place = rotated.place.calls[0] if rotated.place.calls else None
        node = rotated.node if place is None else place.node
        if node in told or (place is None and rotated.elsewhere):
            continue
        told.add(node)
        tensor = as_tensor(rotated.output)
        assert tensor is not None
        around = rotated.place.function if place is None else place.function
        yield Report(
            rule,
            rotated,
            node,
            f"`{view.quote(node)}` rotates the halves of all features against each other, i and i +"
            f" {_half(output, view)}; `{view.quote(split.node)}` ({view.place(split.node)})"
            f" splits them into {heads} heads only afterwards: the two of a pair are in different"
            " heads, whose scores do not depend on relative positions alone",
            Culprit(node, tensor),
            None,
            "split into heads first, so that each head's own features are rotated",
            function=around,
            named=True,
        )


def _half(tensor: Tensor, view: View) -> str:
    width = _width(tensor, view)
    return "half of them" if width is None else str(width // const(2))


def _split_later(
    cat: Operation, output: Tensor, view: View
) -> tuple[Operation, Operation, Size] | None:
    """What a rotation gives, the operation that splits its features into heads, and how many."""
    if not rotates_halves(output, view):
        return None
    width = _width(output, view)
    reached: dict[int | None, Operation] = {cat.number: cat}
    for later in view.graph.after(cat):
        before = next((reached[each] for each in later.read if each in reached), None)
        if before is None:
            continue
        if isinstance(later.event, Reshaping | Rearranging):
            heads = _heads(later, width, view)
            if heads is not None and before is not cat:
                return before, later, heads
        elif isinstance(later.event, Elementwise) and later.event.symbol in _COMBINING:
            reached[later.number] = later
        elif later.kind in COPYING:
            reached[later.number] = before
    return None


def _width(tensor: Tensor, view: View) -> Size | None:
    shape = view.shape(tensor)
    return shape.tail[-1].size if shape is not None and shape.tail else None


def _heads(made: Operation, width: Size | None, view: View) -> Size | None:
    """How many heads an operation splits the features of a width into, head by head."""
    splits = [made.event.outcome] if isinstance(made.event, Reshaping) else []
    if isinstance(made.event, Rearranging):
        splits += made.event.splits
    for split in splits:
        axes = split.shape.tail[-2:] if split.shape.tail else ()
        if len(axes) == 2 and _are_heads(*axes, width, view):
            return axes[0].size
    return None


def _are_heads(heads: Axis, each: Axis, width: Size | None, view: View) -> bool:
    """Whether two axes are heads, as many as a name says, and the features of each."""
    if heads.size is None or each.size is None or width is None:
        return False
    if heads.size.number is not None or counts_heads(each):
        return False
    if view.equal(each.size, width // heads.size):
        return True
    return counts_heads(heads) and view.equal(heads.size * each.size, width)
