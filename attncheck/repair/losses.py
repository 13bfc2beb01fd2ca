"""Fixes of losses: the classes on the second axis, predictions beside their own targets."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.wording import bracketed, index_with_axis


def classes_second(report: Report, view: View) -> Iterator[Candidate]:
    """``cross_entropy(logits.transpose(1, 2), targets)`` for scores (n, t, c), classes (n, t)."""
    tensors = list(report.operation.tensors())[:2]
    if len(tensors) != 2:
        return
    (scores, x), (_, y) = tensors
    sizes, classes = view.sizes(x), view.sizes(y)
    if scores.node is None or sizes is None or x.library != "torch":
        return
    if len(sizes) == 3 and (classes is None or len(classes) == 2):
        text = f"{bracketed(view, scores.node)}.transpose(1, 2)"
        yield edit(scores.node, text, "put the classes on axis 1")


def element_by_element(report: Report, view: View) -> Iterator[Candidate]:
    """The axes of 1 taken away that make every prediction meet every target."""
    culprit = report.culprit
    if culprit is None:
        return
    sizes = view.sizes(culprit.tensor) or ()
    ones = [i for i, size in enumerate(sizes) if size is not None and size.number == 1]
    code = bracketed(view, culprit.node)
    for axis in reversed(ones):
        if culprit.tensor.library == "torch":
            yield edit(culprit.node, f"{code}.squeeze({axis})", f"drop axis {axis}, which is 1")
        else:
            yield edit(culprit.node, index_with_axis(code, axis, len(sizes)), "drop the axis of 1")
