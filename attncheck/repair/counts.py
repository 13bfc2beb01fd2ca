"""What a masked mean divides by, counted for each sequence of a batch."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.padded_means import padded_mean
from attncheck.checks.pooled_means import whole_count
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.wording import bracketed, call_with

#: Statements and brackets in which a quotient needs none of its own.
_ALONE = (cst.Assign, cst.AnnAssign, cst.Return, cst.Arg, cst.Element)
#: (batch, positions, 1) or (batch, positions, features).
_WITH_FEATURES = 3


def count_of_each(report: Report, view: View) -> Iterator[Candidate]:
    """``mask.sum(dim=1, keepdim=True)`` in the place of ``mask.sum()``."""
    found = view.remembered(whole_count, report.operation)
    sizes = None if found is None else view.sizes(found.mask)
    if found is None or sizes is None or not isinstance(report.node, cst.Call):
        return
    torch = found.counted.spelling.startswith("torch.")
    axis = "dim=1, keepdim=True" if torch else "axis=1, keepdims=True"
    # A mask with an axis for the features has that left when the positions are summed.
    given = axis if len(sizes) < _WITH_FEATURES else axis.partition(",")[0]
    yield edit(report.node, call_with(view, report.node, given), "count each sequence", safe=False)


def count_of_kept(report: Report, view: View) -> Iterator[Candidate]:
    """``(x * mask).sum(dim=1) / mask.sum(dim=1)`` in the place of ``(x * mask).mean(dim=1)``."""
    found, call = view.remembered(padded_mean, report.operation), report.node
    if found is None or not found.product or found.mask.node is None:
        return
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return
    code, function = view.source.code(call), view.source.code(call.func)
    given = [view.source.code(each) for each in call.args[_is_of_module(report) :]]
    summed = f"{function.removesuffix('mean')}sum{code.removeprefix(function)}"
    mask = bracketed(view, found.mask.node)
    counted = f"{mask}.sum({', '.join(each.rstrip(', ') for each in given)})"
    text = f"{summed} / {counted}"
    if not isinstance(view.source.around(call)[-2], _ALONE):
        text = f"({text})"
    yield edit(call, text, "divide by how many the mask keeps", safe=False)


def _is_of_module(report: Report) -> bool:
    """Whether a call's first argument is what the mean is taken of: ``np.mean(x, axis=1)``."""
    node, (source, _) = report.node, next(report.operation.tensors())
    func = node.func if isinstance(node, cst.Call) else None
    method = isinstance(func, cst.Attribute) and func.value is source.node
    return not method
