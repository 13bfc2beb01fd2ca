"""Masks of opposite senses merged into one: ``causal & padding``, where padding is true.

A mask that is true for what may be seen and one that is true for what is to be hidden have nothing
in common. Joined by ``&`` they are true for the past that is padding, and by ``|`` false for the
future that is none: whoever goes by that sees nothing else. Read the other way round they hide
next to nothing, which only counts where no other mask does the rest.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from attncheck.attention import behind
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.meaning.elements import BINARY
from attncheck.meaning.marks import PARTS, Mark
from attncheck.meaning.uses import Use
from attncheck.operators.events import Elementwise
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

#: What merges masks, and whether what may be seen is true in both that are merged so, or false.
_TRUE_IF_SEEN = {"&": True, "and": True, "*": True, "minimum": True, "|": False, "or": False}
_TRUE_IF_SEEN["maximum"] = False


@record
class Opposed:
    """Two masks that one operation merges, and the one that has the sense the merge does not have.

    ``value`` is what the merged mask is where both let see, ``rest`` what it is for something else.
    """

    operation: Operation
    operand: Operand
    wrong: Tensor
    marks: tuple[Mark, Mark]
    value: float
    rest: float


def over_opposed_masks(rule: Rule, use: Use, view: View) -> Iterator[Report]:
    """A report of `rule` where a mask that is put on scores was merged from opposite ones."""
    for made in behind(view.graph, use.tensor):
        found = _opposed(made, view)
        if found is None:
            continue
        (claim,) = found.marks[0].claims[:1]
        merged = view.meanings.supposing(made, Mark(found.value, found.rest, (claim,)))
        final = merged.mark(use.tensor)
        if final is not None and _is_wrong(use, final, view):
            yield _report(rule, found, use.hides(final.visible), view)
            return


def _is_wrong(use: Use, final: Mark, view: View) -> bool:
    """Whether what both masks let see is hidden; or is all else seen that no other mask hides."""
    if use.hides(final.visible):
        return not use.hides(final.hidden)
    alone = use.site is not None and not any(
        other.operation is not use.operation and other.site == use.site for other in view.mask_uses
    )
    return alone and use.hides(final.hidden)


def _opposed(made: Operation, view: View) -> Opposed | None:
    """The masks that an operation merges, if one is true for what the other is false for."""
    event = made.event
    if not isinstance(event, Elementwise) or event.symbol not in _TRUE_IF_SEEN or made.elsewhere:
        return None
    masks = list(made.tensors())
    marks = [view.meanings.mark(tensor) for _, tensor in masks]
    if len(marks) != 2 or not all(map(_tells, marks)):
        return None
    left, right = marks
    assert left is not None
    assert right is not None
    if left.visible == right.visible or set(left.claims) & set(right.claims):
        return None
    function = BINARY[event.symbol]
    cases = itertools.product((left.visible, left.hidden), (right.visible, right.hidden))
    value, *others = (float(function(*case)) for case in cases)
    wrong = masks[bool(left.visible) is _TRUE_IF_SEEN[event.symbol]]
    rest = [other for other in others if other != value]
    if not rest or wrong[0].node is None:
        return None
    return Opposed(made, *wrong, (left, right), value, rest[0])


def _tells(mark: Mark | None) -> bool:
    """Whether it is known which positions a mask of ones and zeros hides."""
    if mark is None or mark.is_constant or mark.jointly:
        return False
    return {mark.visible, mark.hidden} == {0, 1}


def _report(rule: Rule, found: Opposed, hidden: bool, view: View) -> Report:
    """The report: of the mask to be negated, or of both where the use is the wrong way round."""
    made = found.operation
    told = [
        f"`{view.quote(operand.node or made.node)}` is true for {_true_for(mark)}"
        for (operand, _), mark in zip(made.tensors(), found.marks, strict=True)
    ]
    if hidden:
        does, node, tensor = "what both let see is hidden", found.operand.node, found.wrong
    else:
        does, node = "what one of them alone is to hide is attended to", made.node
        tensor = as_tensor(made.output) or found.wrong
    assert node is not None
    return Report(
        rule,
        made,
        node,
        f"`{view.quote(made.node)}` merges masks of opposite senses: {told[0]}, and {told[1]};"
        f" {does}",
        Culprit(node, tensor),
        view.sizes(tensor),
        "the same shape, with both masks true for what may be seen, or both for what is to be"
        " hidden",
        named=any(mark.is_named for mark in found.marks),
    )


def _true_for(mark: Mark) -> str:
    seen, unseen = PARTS[mark.claims[0].kind]
    return seen if mark.visible else unseen
