"""Masks that are undone on the way to softmax: ``tanh`` of -inf is -1, which hides nothing.

Pointer networks clip their scores, ``C * tanh(u)`` (Bello et al. 2016, "Neural Combinatorial
Optimization", appendix A.1), and mask what they have clipped. The other way round what was -inf is
-C, and what was to be hidden keeps its share of the weight.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from attncheck.attention import Site
from attncheck.checks.entries import masked_again
from attncheck.checks.masks import written_into
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.meaning.elements import number_of, operand_of
from attncheck.meaning.uses import Use
from attncheck.operators.events import COPYING, MOVES, Elementwise, Reduction
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

#: What functions give for what is far below 0.
_LOWEST = {
    "tanh": -1.0,
    "sigmoid": 0.0,
    "relu": 0.0,
    "softplus": 0.0,
    "elu": -1.0,
    "arctan": -math.pi / 2,
}
#: Scores so far below 0 may be hidden well enough, and factors as large as that take them there.
_HIDDEN, _MOST = -20.0, 20.0
_MOST_STEPS = 40


@record
class Undone:
    """A mask on scores, and the later operation that takes what it hides back up to ``number``."""

    use: Use
    squash: Operation
    number: float


def undone_masks(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each mask whose -inf does not reach the softmax."""
    for found in masks_undone(view):
        operation = found.use.operation
        output = as_tensor(operation.output)
        if operation.elsewhere or found.squash.elsewhere or output is None:
            continue
        squash = view.quote(found.squash.node)
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` hides scores, and `{squash}`"
            f" ({view.place(found.squash.node)}) takes what is hidden to {found.number:.3g}:"
            " softmax gives these positions a share of the weight, as if nothing were masked",
            Culprit(operation.node, output),
            view.sizes(output),
            f"the same shape, masked behind `{squash}` and right before softmax",
            local=operation.place == found.squash.place,
        )


def masks_undone(view: View) -> Iterator[Undone]:
    """The masks of a trace that no softmax sees, each once."""
    uses = {use.operation.number: use for use in view.mask_uses if not (use.late or use.library)}
    late = {use.site.softmax.number for use in view.mask_uses if use.late and use.site}
    told = set[int]()
    for site in view.sites:
        for found in _on_the_way(site, uses, view) if uses else ():
            if found.use.operation.number in told:
                continue
            masked = site.softmax.number in late or masked_again(site, view)
            if not masked and not written_into(site, view):
                told.add(found.use.operation.number)
                yield found


def _on_the_way(site: Site, uses: dict[int, Use], view: View) -> Iterator[Undone]:
    """The way back from a softmax to the first mask, if scores are squashed behind that."""
    tensor, squash, number = site.scores_in, None, 0.0
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None:
            return
        if made.number in uses:
            if squash is not None:
                yield Undone(uses[made.number], squash, number)
            return
        lowest = _lowest(made)
        if lowest is not None and (squash is None or squash.kind != "clip"):
            squash, number = made, lowest
        before = made.source if lowest is not None else _before(made, view)
        if before is None:
            return
        tensor = before


def _lowest(made: Operation) -> float | None:
    """What an operation makes of the lowest scores, if that is not far below all others."""
    if not isinstance(made.event, Elementwise):
        return None
    if made.kind == "clip":
        low = number_of(operand_of(made, "low"))
        return low if low is not None and low > _HIDDEN else None
    return _LOWEST.get(made.event.symbol)


def _before(made: Operation, view: View) -> Tensor | None:
    """The scores that an operation only moves, scales by a number, or takes the largest from."""
    tensors = [tensor for _, tensor in made.tensors()]
    if isinstance(made.event, MOVES) or made.kind in COPYING:
        return made.source
    if not isinstance(made.event, Elementwise) or not tensors:
        return None
    if made.event.symbol == "dropout":
        return tensors[0]
    if made.event.symbol not in ("*", "/", "-", "+"):
        return None
    if len(tensors) == 1:
        numbers = [abs(number) for each in made.operands if (number := number_of(each))]
        return None if any(number > _MOST for number in numbers) else tensors[0]
    shift = view.graph.maker(tensors[1])
    is_shift = shift is not None and isinstance(shift.event, Reduction) and made.event.symbol == "-"
    return tensors[0] if is_shift else None
