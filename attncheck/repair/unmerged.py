"""Fixes where rows that were laid out in a line meet the tensor they came from: its axes again."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.size import product
from attncheck.checks.report import Report, Sizes
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.functions import module_for
from attncheck.repair.wording import bracketed


def with_axes_of_other(report: Report, view: View) -> Iterator[Candidate]:
    """An operand ``(B*T, d)`` viewed as the other, ``(B, T, d)``, is."""
    operands = list(report.operation.tensors())
    if len(operands) != 2:
        return
    for (operand, tensor), (other, whole) in (operands, operands[::-1]):
        sizes, wanted = view.sizes(tensor), view.sizes(whole)
        if operand.node is None or other.node is None or not sizes or wanted is None:
            continue
        if not _is_merged(sizes, wanted, view):
            continue
        shown = view.code(other.node)
        if tensor.library == "torch":
            text = f"{bracketed(view, operand.node)}.view_as({shown})"
        else:
            module = module_for(view, tensor.library)
            shape = f"{bracketed(view, other.node)}.shape"
            text = f"{bracketed(view, operand.node)}.reshape({shape})"
            if module is not None:
                shape = f"tf.shape({shown})" if module.name == "tf" else shape
                text = f"{module.name}.reshape({view.code(operand.node)}, {shape})"
        yield edit(operand.node, text, f"give it the axes of `{shown}` back")


def _is_merged(sizes: Sizes, wanted: Sizes, view: View) -> bool:
    """Whether the first axis of one tensor is made of the first ones of the other, which has more.

    What both may hold the same number of elements by chance is not meant: all other axes agree.
    """
    split = len(wanted) - len(sizes) + 1
    firsts, (whole, *rest) = wanted[:split], sizes
    if split < 2 or whole is None or None in firsts:
        return False
    return whole == product(size for size in firsts if size) and all(
        one is not None and other is not None and not view.facts.compare(one, other).clashes
        for one, other in zip(rest, wanted[split:], strict=True)
    )
