"""A mask moved from the weights to the scores: from after softmax to its argument.

Only where the softmax is called in the expression that multiplies, so that the whole fix is in one
line.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.wording import array_module, bracketed
from attncheck.values.tensor import Tensor


def mask_scores(report: Report, view: View) -> Iterator[Candidate]:
    """``softmax(e) * mask`` as ``softmax(np.where(mask > 0, e, -1e9))``, or torch's masked_fill."""
    tensors = list(report.operation.tensors())
    if len(tensors) != 2 or report.node is not report.operation.node:
        return
    for (softmax, weights), (operand, mask) in (tensors, tensors[::-1]):
        call, made = softmax.node, view.maker(weights)
        if made is None or operand.node is None or not isinstance(call, cst.Call):
            continue
        scores = _argument(call, made) if _is_softmax(call, made) else None
        if scores is None:
            continue
        library = weights.library or mask.library
        given = (view, scores, *_uncast(view, operand, mask))
        text = _filled(*given) if library == "torch" else _chosen(library, *given)
        written = _replaced(view, call, scores, text)
        if written is not None:
            yield edit(
                report.node,
                written,
                "mask the scores instead, so that softmax shares the weight among what is left",
                safe=False,
            )


def _is_softmax(call: cst.Call, made: Operation) -> bool:
    """Whether a call is the operation that made the weights, or a helper that runs it."""
    return made.node is call or any(caller.node is call for caller in made.place.calls)


def _argument(call: cst.Call, made: Operation) -> cst.BaseExpression | None:
    """The expression that softmax normalises: the first argument, or a method's receiver."""
    if made.node is call and ".Tensor." in made.spelling and isinstance(call.func, cst.Attribute):
        return call.func.value
    return call.args[0].value if call.args and call.args[0].keyword is None else None


def _replaced(view: View, call: cst.Call, part: cst.CSTNode, text: str) -> str | None:
    """A call with one of its parts written anew; None if that is on another line."""
    whole, inner = view.source.span(call), view.source.span(part)
    if not whole.line == inner.line == inner.end_line == whole.end_line:
        return None
    code = view.source.code(call)
    return code[: inner.column - whole.column] + text + code[inner.end_column - whole.column :]


def _uncast(view: View, operand: Operand, mask: Tensor) -> tuple[cst.CSTNode, bool]:
    """The mask as it is written without a cast to numbers, and whether it is boolean."""
    assert operand.node is not None
    made = view.maker(mask)
    if made is not None and made.kind == "identity" and made.node is operand.node:
        inner, tensor = next(made.tensors())
        if tensor.dtype == "bool" and inner.node is not None:
            return inner.node, True
    return operand.node, mask.dtype == "bool"


def _chosen(
    library: str | None, view: View, scores: cst.CSTNode, mask: cst.CSTNode, boolean: bool
) -> str:
    condition = view.code(mask) if boolean else f"{bracketed(view, mask)} > 0"
    return f"{array_module(library)}.where({condition}, {view.code(scores)}, -1e9)"


def _filled(view: View, scores: cst.CSTNode, mask: cst.CSTNode, boolean: bool) -> str:
    hidden = f"~{bracketed(view, mask)}" if boolean else f"{bracketed(view, mask)} == 0"
    return f'{bracketed(view, scores)}.masked_fill({hidden}, float("-inf"))'
