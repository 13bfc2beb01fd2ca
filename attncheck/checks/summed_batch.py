"""Einsums that sum the scores of all sequences, which the mask of each sequence spreads out again.

``"bd,bnd->n"`` has no b in its result: the scores are added up over the batch. A mask of ``(B, n)``
gives them the shape that was meant, and every sequence attends by the scores of all together.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.size import Size
from attncheck.checks.entries import entries
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import COPYING, Einsum, Elementwise
from attncheck.operators.patterns import DOTS
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_PAIR = 2
_MOST_STEPS = 8
_PUT_ON = frozenset({"fill", "choice"})


@record
class SummedBatch:
    """An einsum without the letter of its batch, the size of that, and the mask that has it."""

    scores: Operation
    letter: str
    size: Size
    masked: Operation
    mask: Tensor


def summed_batches(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each einsum that adds up the scores of all sequences."""
    for found in view.once(batches_summed):
        output = as_tensor(found.scores.output)
        sizes = view.sizes(output)
        if output is None or sizes is None:
            continue
        yield Report(
            rule,
            found.scores,
            found.scores.node,
            f"`{view.quote(found.scores.node)}` has `{found.letter}` in both operands and not in"
            f" its result: it adds up the scores of all {found.size} sequences, and"
            f" `{view.quote(found.masked.node)}` ({view.place(found.masked.node)}) spreads the sum"
            f" over a mask of {view.text(found.mask)}; every sequence attends by the same scores",
            Culprit(found.scores.node, output),
            (found.size, *sizes),
            f"scores for each sequence by itself: `{found.letter}` in the result as well",
            hidden="" if found.size.number else f"hidden while {found.size} == 1",
        )


def batches_summed(view: View) -> list[SummedBatch]:
    """The einsums of a trace whose scores are summed over the batch that they are masked in."""
    found: dict[object, SummedBatch] = {}
    for site in view.sites:
        for entry in entries(site, view):
            scores = as_tensor(entry.scores.value)
            made = None if scores is None else _product(scores, view)
            if made is None or made.elsewhere or made.clash is not None:
                continue
            lost = _lost_letter(made, view)
            if lost is None or entry.how not in _PUT_ON or made.node in found:
                continue
            if _is_of_each(entry.mask_tensor, as_tensor(made.output), lost[1], view):
                found[made.node] = SummedBatch(made, *lost, entry.operation, entry.mask_tensor)
    return list(found.values())


def _product(scores: Tensor, view: View) -> Operation | None:
    """The einsum that scores are, scaled at most."""
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(scores)
        if made is None or isinstance(made.event, Einsum):
            return made
        tensors = [tensor for _, tensor in made.tensors()]
        scaled = isinstance(made.event, Elementwise) or made.kind in COPYING
        if not scaled or len(tensors) != 1:
            return None
        scores = tensors[0]
    return None


def _lost_letter(made: Operation, view: View) -> tuple[str, Size] | None:
    """The first letter of both operands, if the result lacks it; and its size."""
    event, tensors = made.event, [tensor for _, tensor in made.tensors()]
    if not isinstance(event, Einsum) or len(event.inputs) != _PAIR or len(tensors) != _PAIR:
        return None
    letters = {operand[0] for operand in event.inputs if operand}
    if len(letters) != 1 or not event.output or any(DOTS in operand for operand in event.inputs):
        return None
    (letter,) = letters
    sizes = [view.sizes(tensor) for tensor in tensors]
    size = next((each[0] for each in sizes if each and each[0] is not None), None)
    if letter in event.output or size is None or size.number == 1:
        return None
    # Something else is summed as well: products over the first axis alone may be meant so.
    both = set(event.inputs[0]) & set(event.inputs[1]) - {letter} - set(event.output)
    return (letter, size) if both else None


def _is_of_each(mask: Tensor, scores: Tensor | None, size: Size, view: View) -> bool:
    """Whether a mask has the axis that was summed away, in front of those of the scores."""
    sizes, own = view.sizes(mask), view.sizes(scores)
    if sizes is None or own is None or len(sizes) != len(own) + 1 or not view.equal(sizes[0], size):
        return False
    pairs = zip(sizes[1:], own, strict=True)
    return all(
        view.equal(one, other) or (one is not None and one.number == 1) for one, other in pairs
    )
