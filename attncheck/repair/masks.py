"""Masks that hide what they should: on the scores and not on the weights, and below all others.

A mask is moved from the weights to the scores where the softmax is called in the expression that
multiplies, or can be called again there, so that the whole fix is in one line.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace

import libcst as cst

from attncheck.checks.entries import Entry, entry_of
from attncheck.checks.overwritten_weights import overwrites
from attncheck.checks.report import Report
from attncheck.checks.undone_masks import masks_undone
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.record import record
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.recomputed import Earlier, assigned_earlier
from attncheck.repair.statements import exchanged_statements
from attncheck.repair.wording import (
    array_module,
    bracketed,
    call_with,
    functions_for,
    library_of,
)
from attncheck.values.tensor import Tensor

_INSTEAD = "mask the scores instead, so that softmax shares the weight among what is left"


def _added(report: Report) -> Iterator[Candidate]:
    """``scatter_add_`` for ``scatter_``: the weights of repeated words added up."""
    name = getattr(report.node, "func", None)
    if isinstance(name, cst.Attribute):
        in_place = "_" if name.attr.value.endswith("_") else ""
        yield edit(name.attr, f"scatter_add{in_place}", "add what is scattered", safe=False)


def mask_scores(report: Report, view: View) -> Iterator[Candidate]:
    """``softmax(e) * mask`` as ``softmax(np.where(mask > 0, e, -1e9))``, or torch's masked_fill.

    Where softmax was called before, it is called again, or there with the scores masked.
    """
    if view.remembered(overwrites, report.operation):
        yield from _added(report)
    tensors = list(report.operation.tensors())
    if len(tensors) != 2 or report.node is not report.operation.node:
        return
    for (operand, weights), (mask, tensor) in (tensors, tensors[::-1]):
        if operand.node is None or mask.node is None:
            continue
        for call, made in _softmax_calls(weights, view):
            scores = _argument(call, made)
            if scores is None:
                continue
            text = _hidden_scores(report.operation, view, scores, (mask, tensor), weights.library)
            if call is operand.node:
                written = _replaced(view, call, scores, text)
                if written is not None:
                    yield edit(report.node, written, _INSTEAD, safe=False)
                continue
            earlier = assigned_earlier(operand.node, call, view)
            if earlier is not None:
                yield from _again(report, view, earlier, (scores, text))
                if earlier.always and earlier.is_still(mask.node):
                    yield edit(scores, text, "mask the scores as well, before softmax", safe=False)


def _softmax_calls(weights: Tensor, view: View) -> Iterator[tuple[cst.Call, Operation]]:
    """The calls that a softmax was made by: of a library, or of a helper that runs it."""
    made = view.maker(weights)
    while made is not None and made.kind == "dropout" and made.source is not None:
        made = view.maker(made.source)
    if made is not None:
        for node in (made.node, *(caller.node for caller in made.place.calls)):
            if isinstance(node, cst.Call):
                yield node, made


def _again(
    report: Report, view: View, earlier: Earlier, change: tuple[cst.CSTNode, str]
) -> Iterator[Candidate]:
    """The expression that gave the weights, written again with the scores masked."""
    written = _replaced(view, earlier.value, *change)
    if written is None or not (earlier.kept and earlier.is_still(earlier.value)):
        return
    node, statement = report.node, view.source.around(report.node)[-2]
    if isinstance(node, cst.AugAssign):
        written = f"{view.code(node.target)} = {written}"
    elif isinstance(statement, cst.Expr) and isinstance(node, cst.Call):
        written = f"{view.base_name(node)} = {written}"
    yield edit(node, written, _INSTEAD, safe=False)


def _hidden_scores(
    operation: Operation,
    view: View,
    scores: cst.CSTNode,
    mask: tuple[Operand, Tensor],
    library: str | None,
) -> str:
    """Scores without those that a mask of the weights takes out."""
    library = library or mask[1].library
    assert mask[0].node is not None
    if _takes_out(operation, view):
        return _hiding(library, view, scores, mask[0].node)
    given = (view, scores, *_uncast(view, *mask))
    return _filled(*given) if library == "torch" else _chosen(library, *given)


def _takes_out(operation: Operation, view: View) -> bool:
    """Whether what a mask is true of is replaced, and not what it is false of."""
    entry = entry_of(operation, view)
    if entry is None or entry.put is None:
        return False
    return entry.how == "fill" or entry.put.name == "x"


def hide_scores(report: Report, view: View) -> Iterator[Candidate]:
    """Minus infinity in the place of the number filled in, or filled in instead of a product.

    Of a mask that is undone: the statement that does so in front of the one that masks.
    """
    masked = report.operation
    undone = next((each for each in masks_undone(view) if each.use.operation is masked), None)
    if undone is not None:
        turned = exchanged_statements(report.node, undone.squash.node, view)
        if turned is not None:
            words = "mask the scores last"
            yield Candidate((), words, False, edits=turned[:1], shown=turned[1])
        return
    entry = entry_of(report.operation, view)
    way = _way(library_of(view, report.operation))
    if entry is None or entry.mask.node is None or way is None:
        return
    node, scores = report.node, entry.scores.node
    if entry.put is not None:
        changed, text = entry.put.node, way.lowest
    elif scores is not None:
        mask = _uncast(view, entry.mask, entry.mask_tensor)
        changed, text = node, way.write(view, scores, *mask)
        if isinstance(node, cst.AugAssign):
            text = f"{view.code(node.target)} = {text}"
    if changed is None:
        return
    yield replace(
        edit(changed, text, "hide these scores below all others", safe=False),
        proof=_proof(entry, view, way),
    )


def _proof(entry: Entry, view: View, way: _Way) -> str | None:
    """The assert that hidden scores are as low as can be, where the scores have a name."""
    name = _assigned(entry.operation)
    mask, boolean = _uncast(view, entry.mask, entry.mask_tensor)
    if name is None:
        return None
    if entry.how == "fill":
        return way.proof(name, view.code(mask))
    if entry.how == "choice":
        operands = {operand.name: operand for operand in entry.operation.operands}
        if entry.put is operands.get("x"):
            return way.proof(name, view.code(mask))
    return way.proof(name, _hidden(view, mask, boolean or entry.how == "choice"))


def _assigned(operation: Operation) -> str | None:
    """The name that an operation's statement gives to its result as a whole, or None."""
    for part in getattr(operation.statement, "body", ()):
        if part is operation.node and isinstance(part, cst.AugAssign):
            target: cst.CSTNode = part.target
        elif isinstance(part, cst.Assign) and part.value is operation.node:
            target = part.targets[0].target
        else:
            continue
        return target.value if isinstance(target, cst.Name) else None
    return None


def for_each_head(report: Report, view: View) -> Iterator[Candidate]:
    """A mask of each sequence for each of its heads, as ``torch.nn.MultiheadAttention`` has it."""
    operation, culprit, call = report.operation, report.culprit, report.operation.node
    query = next((tensor for _, tensor in operation.tensors()), None)
    mask = None if culprit is None else view.shape(culprit.tensor)
    if operation.kind != "multihead_attention" or culprit is None or not isinstance(call, cst.Call):
        return
    given = [operand.name for operand, tensor in operation.tensors() if tensor is culprit.tensor]
    shape = view.shape(query)
    if given != ["attn_mask"] or mask is None or mask.rank != 3 or shape is None or shape.rank != 3:
        return
    if mask.axes[0].size in (shape.axes[0].size, shape.axes[1].size):
        heads = f"{view.code(call.func)}.num_heads"
        text = f"{bracketed(view, culprit.node)}.repeat_interleave({heads}, dim=0)"
        change = Change(culprit.node, text)
        # What comes behind the attention was not known before: it needs nothing more of sizes.
        yield Candidate((change,), "repeat it for each head", safe=False, same_size=True)


def pass_mask(report: Report, view: View) -> Iterator[Candidate]:
    """The mask passed on to the call that takes one, or what it makes kept under its old name."""
    if report.operation.kind == "masked_fill":
        yield from kept_result(report, view)
    if report.lacking is None or report.culprit is None:
        return
    call, keyword = report.lacking
    mask = view.code(report.culprit.node)
    text = call_with(view, call, f"{keyword}={mask}")
    yield edit(call, text, f"pass {mask} on", safe=False)


def kept_result(report: Report, view: View) -> Iterator[Candidate]:
    """``x = x.masked_fill(...)`` for the call alone."""
    function = getattr(report.node, "func", None)
    if isinstance(function, cst.Attribute):
        name, code = view.source.code(function.value), view.source.code(report.node)
        yield edit(report.node, f"{name} = {code}", f"keep it as {name}", safe=False)


def _argument(call: cst.Call, made: Operation) -> cst.BaseExpression | None:
    """The expression that softmax normalises: the first argument, or a method's receiver."""
    if made.node is call and ".Tensor." in made.spelling and isinstance(call.func, cst.Attribute):
        return call.func.value
    return call.args[0].value if call.args and call.args[0].keyword is None else None


def _replaced(view: View, outer: cst.CSTNode, part: cst.CSTNode, text: str) -> str | None:
    """An expression with one of its parts written anew; None if that is on another line."""
    whole, inner = view.source.span(outer), view.source.span(part)
    if not whole.line == inner.line == inner.end_line == whole.end_line:
        return None
    code = view.source.code(outer)
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
    return f"{functions_for(view, library)}.where({condition}, {view.code(scores)}, -1e9)"


def _filled(view: View, scores: cst.CSTNode, mask: cst.CSTNode, boolean: bool) -> str:
    hidden = _hidden(view, mask, boolean)
    return f'{bracketed(view, scores)}.masked_fill({hidden}, float("-inf"))'


def _hiding(library: str | None, view: View, scores: cst.CSTNode, mask: cst.CSTNode) -> str:
    """Scores without those that a mask is true of."""
    if library == "torch":
        return f'{bracketed(view, scores)}.masked_fill({view.code(mask)}, float("-inf"))'
    where = f"{functions_for(view, library)}.where"
    return f"{where}({view.code(mask)}, -1e9, {view.code(scores)})"


def _hidden(view: View, mask: cst.CSTNode, boolean: bool) -> str:
    """Where a mask of what is kept hides."""
    if (
        boolean
        and isinstance(mask, cst.UnaryOperation)
        and isinstance(mask.operator, cst.BitInvert)
    ):
        return view.code(mask.expression)
    return f"~{bracketed(view, mask)}" if boolean else f"{bracketed(view, mask)} == 0"


@record
class _Way:
    """How a library hides scores: the number, the expression, and the assert that it is so."""

    lowest: str
    write: Callable[[View, cst.CSTNode, cst.CSTNode, bool], str]
    proof: Callable[[str, str], str]


def _way(library: str | None) -> _Way | None:
    """How a library hides scores; None where that is not known."""
    if library not in ("numpy", "jax", "tensorflow"):
        return _TORCH if library == "torch" else None
    module = array_module(library)

    def proof(scores: str, hidden: str) -> str:
        return f"assert {module}.all({module}.where({hidden}, {scores}, -1e9) == -1e9)"

    return _Way("-1e9", functools.partial(_chosen, library), proof)


_TORCH = _Way(
    'float("-inf")',
    _filled,
    lambda scores, hidden: f"assert torch.isneginf({scores}.masked_select({hidden})).all()",
)
