"""Masks turned round, and triangles moved by one.

A mask is negated where it is used; where it cannot be (it is added, or fills), what it was made
from is: the nearest operation behind it that was given something boolean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from attncheck.attention import behind
from attncheck.checks.dropped_best import bound_of_best
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.meaning.marks import Mark
from attncheck.meaning.uses import Use, Way, boolean_uses
from attncheck.operators.events import Elementwise
from attncheck.repair.cached import moved_border, without_cache
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.wording import bracketed, call_with
from attncheck.values.tensor import Tensor

#: A comparison's sign, and the one that says the opposite.
_OPPOSITE = {
    cst.Equal: "!=",
    cst.NotEqual: "==",
    cst.LessThan: ">=",
    cst.GreaterThanEqual: "<",
    cst.GreaterThan: "<=",
    cst.LessThanEqual: ">",
}
#: The sign that takes the border of a comparison in, or leaves it out.
_SHIFTED = {
    cst.LessThan: "<=",
    cst.LessThanEqual: "<",
    cst.GreaterThan: ">=",
    cst.GreaterThanEqual: ">",
}
#: The sign that hides what is on the other side of a bound, and never the bound itself, by the way.
_TURNED: dict[Way, dict[type[cst.BaseCompOp], str]] = {
    Way.DROPS: {
        cst.GreaterThan: "<",
        cst.GreaterThanEqual: "<",
        cst.LessThan: ">",
        cst.LessThanEqual: ">",
    },
    Way.KEEPS: {
        cst.GreaterThan: "<=",
        cst.GreaterThanEqual: "<=",
        cst.LessThan: ">=",
        cst.LessThanEqual: ">=",
    },
}
_DIAGONAL_WORDS = ("diagonal", "k")

#: Library attention that keeps where a mask is true, by operator.
_KEEPING = frozenset(["scaled_dot_product_attention", "value_first_attention", "softmax"])


def negated(report: Report, view: View) -> Iterator[Candidate]:
    """The mask negated where it is used, else where it was made; by its name, it is a decision."""
    for use in (*view.mask_uses, *boolean_uses(view.graph)):
        if use.operation is report.operation and use.operand.node is report.node:
            turned = _bound_turned(use, view)
            for candidate in turned or (*_at_use(use, view), *_at_makers(use, view)):
                yield replace(candidate, safe=not report.named)
    for operand, tensor in report.operation.tensors():
        # One of two masks that are merged: it is put on nothing here.
        if isinstance(report.operation.event, Elementwise) and operand.node is report.node:
            yield from _negated_operand(report.operation, operand, tensor, view)


def _bound_turned(use: Use, view: View) -> list[Candidate]:
    """A comparison with a bound that hides what is below it, where it has hidden what is above."""
    node = use.operand.node
    if not isinstance(node, cst.Comparison) or bound_of_best(use, view) is None:
        return []
    signs = _TURNED.get(use.way, {})
    found = [(each.operator, signs.get(type(each.operator))) for each in node.comparisons]
    return [edit(operator, sign, "hide what is below it") for operator, sign in found if sign]


def _at_use(use: Use, view: View) -> Iterator[Candidate]:
    mark, node = view.meanings.mark(use.tensor), use.operand.node
    if node is None or (mark is not None and not _is_truth(mark)):
        return
    if mark is None:
        # Of an argument that comes in from outside nothing but its use can be turned round.
        if use.way in (Way.DROPS, Way.KEEPS):
            yield edit(node, _not(view, node, use.tensor), f"negate {view.code(node)}")
    elif use.library and use.way is Way.ADDED:
        yield from _as_booleans(use, mark, view)
    elif use.way in (Way.DROPS, Way.KEEPS):
        yield edit(node, _not(view, node, use.tensor), f"negate {view.code(node)}")


def _as_booleans(use: Use, mark: Mark, view: View) -> Iterator[Candidate]:
    """A mask of ones and zeros as the boolean that the attention takes."""
    node = use.operand.node
    if node is None:
        return
    kept = use.operation.kind in _KEEPING
    sign = "!=" if bool(mark.visible) is kept else "=="
    yield edit(node, f"{bracketed(view, node)} {sign} 0", "hide by a mask of booleans")


def _is_truth(mark: Mark) -> bool:
    return {mark.visible, mark.hidden} <= {0, 1}


def _not(view: View, node: cst.CSTNode, tensor: Tensor) -> str:
    """An expression for the opposite of a mask, as a programmer would write it."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.BitInvert):
        return view.source.code(node.expression)
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        (target,) = node.comparisons
        sign = _OPPOSITE.get(type(target.operator))
        if sign is not None:
            return f"{view.source.code(node.left)} {sign} {view.source.code(target.comparator)}"
    if tensor.dtype == "bool":
        return f"~{bracketed(view, node)}"
    return f"{bracketed(view, node)} == 0"


def _at_makers(use: Use, view: View) -> Iterator[Candidate]:
    for made in behind(view.graph, use.tensor):
        if made.elsewhere:
            continue
        for operand, tensor in made.tensors():
            mark = view.meanings.mark(tensor)
            if mark is not None and _is_truth(mark) and operand.node is not None:
                yield from _negated_operand(made, operand, tensor, view)


def _negated_operand(
    made: Operation, operand: Operand, tensor: Tensor, view: View
) -> Iterator[Candidate]:
    node = operand.node
    assert node is not None
    described = f"negate {view.code(node)}"
    if isinstance(made.node, cst.BinaryOperation) and tensor.dtype != "bool":
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Subtract):
            yield edit(node, view.source.code(node.right), described)
        else:
            yield edit(node, f"(1 - {bracketed(view, node)})", described)
    else:
        yield edit(node, _not(view, node, tensor), described)


# -- diagonals -------------------------------------------------------------------------------------


def shifted(report: Report, view: View) -> Iterator[Candidate]:
    """The diagonal of a triangle moved by one or two, the border of a comparison, or a flag."""
    node = report.node
    yield from without_cache(report, view)
    yield from moved_border(report, view)
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        (target,) = node.comparisons
        sign = _SHIFTED.get(type(target.operator))
        if sign is not None:
            yield edit(target.operator, sign, "let each position see itself", safe=False)
    diagonal = next((each for each in report.operation.operands if each.name == "diagonal"), None)
    if not isinstance(node, cst.Call):
        return
    upper = "triu" in report.operation.spelling
    wanted = "1" if upper else "0"
    description = "let each position see itself and nothing after it"
    if diagonal is not None and diagonal.node is not None:
        yield edit(diagonal.node, wanted, description, safe=False)
    elif upper:
        word = "k" if report.operation.spelling.startswith("numpy") else "diagonal"
        yield edit(node, call_with(view, node, f"{word}={wanted}"), description, safe=False)
