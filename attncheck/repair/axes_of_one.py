"""An axis of 1 for what lacks one beside the others: to be joined, or multiplied batch by batch."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.facts import Verdict
from attncheck.algebra.size import ONE
from attncheck.checks.copied_rows import CopiedRows
from attncheck.checks.report import Report, Sizes
from attncheck.checks.view import View
from attncheck.graph import Operand
from attncheck.operators.events import Fault, Joining
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.wording import argument_of, bracketed, with_axis_of_one
from attncheck.values.tensor import Tensor


def joined_beside(report: Report, view: View) -> Iterator[Candidate]:
    """``cat((context, word), -1)`` of ``(B, d)`` and ``(B, 1, e)``: the first gets the axis."""
    clash = report.operation.clash
    if clash is None or (clash.fault is not Fault.RANK and clash.left is not None):
        return
    given = [
        (operand, tensor, sizes)
        for operand, tensor in report.operation.tensors()
        if (sizes := view.sizes(tensor)) is not None
    ]
    longest = max(given, key=lambda each: len(each[2]), default=None)
    if longest is None:
        return
    places = [place for place, size in enumerate(longest[2]) if size == ONE]
    for operand, tensor, sizes in given:
        if len(sizes) + 1 != len(longest[2]) or operand.node is None:
            continue
        for place in places:
            text = with_axis_of_one(view, operand.node, tensor, place, len(sizes))
            yield edit(operand.node, text, f"give it an axis of 1 at {place}", safe=False)


def stacked(report: Report, view: View) -> Iterator[Candidate]:
    """``cat((a, b), 1)`` of vectors as ``stack((a, b), 1)``, which makes the axis."""
    clash, event, node = report.operation.clash, report.operation.event, report.node
    if clash is None or clash.fault is not Fault.AXIS or not isinstance(event, Joining):
        return
    ranks = {len(view.sizes(tensor) or ()) for _, tensor in report.operation.tensors()}
    if ranks != {event.axis} or event.kind != "cat" or not isinstance(node, cst.Call):
        return
    if isinstance(node.func, cst.Attribute):
        yield edit(node.func.attr, "stack", "stack them along a new axis", safe=False)


def behind_batch(copied: CopiedRows, view: View) -> Iterator[Candidate]:
    """``repeat(expand_dims(x, 1), n, axis=1)`` for ``repeat(x, n, axis=0)``."""
    node, (operand, tensor) = copied.made.node, next(copied.made.tensors())
    axis = argument_of(node) if isinstance(node, cst.Call) else None
    sizes = view.sizes(tensor)
    if axis is None or operand.node is None or sizes is None or view.code(axis) != "0":
        return
    text = with_axis_of_one(view, operand.node, tensor, 1, len(sizes))
    changes = (Change(operand.node, text), Change(axis, "1"))
    yield Candidate(changes, "repeat an axis of 1 behind the batch", safe=False)


def vectors_of_a_batch(report: Report, view: View) -> Iterator[Candidate]:
    """``H @ q`` of ``(B, T, d)`` and ``(B, d)``: a vector for each matrix, and not one matrix."""
    operands = list(report.operation.tensors())
    if len(operands) != 2:
        return
    (left, x), (right, y) = operands
    sizes = view.sizes(x), view.sizes(y)
    if left.node is None or right.node is None or not _is_batched(*sizes, view):
        return
    column = with_axis_of_one(view, right.node, y, 2, 2)
    product = _product(report.node, left, right, column, view)
    what = "multiply each matrix with its own vector"
    if product is not None:
        text = f"{product}.squeeze(-1)" if _is_torch(x) else f"{product}[..., 0]"
        yield edit(report.node, text, what, safe=False)
    yield edit(right.node, column, f"{what}, as a column", safe=False)


def _is_batched(left: Sizes | None, right: Sizes | None, view: View) -> bool:
    """Whether there is a matrix and a vector of its length for each item of a batch."""
    if left is None or right is None or len(left) != 3 or len(right) != 2:
        return False
    pairs = ((left[0], right[0]), (left[2], right[1]))
    return all(
        a is not None and b is not None and view.facts.compare(a, b) is Verdict.EQUAL
        for a, b in pairs
    )


def _product(
    node: cst.CSTNode, left: Operand, right: Operand, column: str, view: View
) -> str | None:
    """The product with the vectors as columns, in brackets where it is an operator."""
    assert left.node is not None
    if isinstance(node, cst.BinaryOperation):
        return f"({bracketed(view, left.node)} @ {column})"
    given = [each.value for each in node.args] if isinstance(node, cst.Call) else []
    if isinstance(node, cst.Call) and given == [left.node, right.node]:
        return f"{view.source.code(node.func)}({view.source.code(left.node)}, {column})"
    return None


def _is_torch(tensor: Tensor) -> bool:
    return tensor.library == "torch"
