"""Candidate fixes for a tensor that lacks copies of its rows: repeated where it is used or made."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.report import Report
from attncheck.checks.unrepeated import added_axes, is_comparison, unrepeated
from attncheck.checks.view import View
from attncheck.graph import Operand
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.sizes import name_of_size
from attncheck.repair.wording import bracketed, functions_for
from attncheck.values.tensor import Tensor


def with_copies(report: Report, view: View) -> Iterator[Candidate]:
    """``mask.repeat_interleave(heads, dim=0)``; by the name for the number of copies.

    Where the use has no such name the expression that made the tensor may have one.
    """
    found = view.remembered(unrepeated, report.operation)
    if found is None:
        return
    tensors = list(report.operation.tensors())
    operand, tensor, axis = _innermost(*tensors[found.index], found.axis, view)
    made = view.maker(tensor)
    uses = [(operand.node, report.operation.place.function)]
    if made is not None and made.node is not operand.node:
        uses.append((made.node, made.place.function))
    for node, function in uses:
        count = None if node is None else name_of_size(view, found.count, function, node)
        if node is not None and count is not None:
            yield _repeated(view, node, tensor, (axis, count, found.tiled))
    other = tensors[1 - found.index][0].node
    if operand.node is not None and isinstance(other, cst.Name):
        place = axis - len(view.sizes(tensor) or ())
        ways = (other, operand.node)
        count = " // ".join(f"{bracketed(view, each)}.shape[{place}]" for each in ways)
        yield _repeated(view, operand.node, tensor, (axis, count, found.tiled))


def _innermost(
    operand: Operand, tensor: Tensor, axis: int, view: View
) -> tuple[Operand, Tensor, int]:
    """What an expression only compares, or gives axes of 1, and where the axis is in that."""
    while True:
        made = view.maker(tensor)
        operands = [] if made is None or made.node is not operand.node else list(made.tensors())
        if made is None or len(operands) != 1 or operands[0][0].node is None:
            return operand, tensor, axis
        added = added_axes(made, view)
        if added is None and not is_comparison(made.event):
            return operand, tensor, axis
        axis -= sum(place < axis for place in added or ())
        operand, tensor = operands[0]


def _repeated(
    view: View, node: cst.CSTNode, tensor: Tensor, copies: tuple[int, str, bool]
) -> Candidate:
    """An expression repeated along an axis: so often, as a whole or each row in its place."""
    axis, count, tiled = copies
    whole, rank = bracketed(view, node), len(view.sizes(tensor) or ())
    counts = ", ".join(count if place == axis else "1" for place in range(rank))
    if tensor.library == "torch":
        text = f"{whole}.repeat_interleave({count}, dim={axis})"
        if tiled:
            text = f"{whole}.repeat({counts})"
    else:
        module, code = functions_for(view, tensor.library), view.code(node)
        text = f"{module}.repeat({code}, {count}, axis={axis})"
        if tiled:
            text = f"{module}.tile({code}, ({counts}{',' * (rank == 1)}))"
    return edit(node, text, f"repeat it along axis {axis}", safe=False)
