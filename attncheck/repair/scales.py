"""Candidate fixes for scores scaled wrongly: the other operator, one factor less, another root."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.size import Size
from attncheck.checks.broken_roots import roots_broken, text_of_root
from attncheck.checks.logarithmic_scales import log_scale
from attncheck.checks.report import Report
from attncheck.checks.scales import Factor
from attncheck.checks.score_scale import Misscaled, misscaled
from attncheck.checks.view import View
from attncheck.repair.asserts import Names, names_before
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.wording import bracketed
from attncheck.tracer.trace import Traced

#: What a power can be taken of without brackets: a name, an attribute, an axis.
_TIGHT = re.compile(r"[\w.]+(?:\[\d+\])?")
#: The other of two operators, by the type of its node or by the name of its function.
_OTHER_TOKEN = {
    "Multiply": "/",
    "Divide": "*",
    "MultiplyAssign": "/=",
    "DivideAssign": "*=",
}
_OTHER_NAME = {
    "mul": "div",
    "multiply": "divide",
    "mul_": "div_",
    "div": "mul",
    "true_divide": "multiply",
    "divide": "multiply",
    "div_": "mul_",
}


def other_scale(report: Report, view: View) -> Iterator[Candidate]:
    """The edits that scale scores by the root of the right size, once and downwards."""
    scale = view.remembered(log_scale, report.operation)
    if scale is not None and scale.operand.node is not None:
        node = scale.operand.node
        yield edit(node, f"{bracketed(view, node)}.exp()", "take the scale itself", safe=False)
    for broken in view.once(roots_broken):
        written = text_of_root(broken, view)
        if broken.division is report.node and written is not None:
            yield edit(
                broken.division, written[0], f"raise to the power of {written[1]}", safe=False
            )
            return
    for found in misscaled(view):
        if found.factor.operation is report.operation:
            yield from _KINDS[found.kind](found, view)
            return


def _turned(found: Misscaled, view: View) -> Iterator[Candidate]:
    """The other operator where the factor is used; else the other sign where it was made."""
    yield from _other_operator(found.factor, view)
    power = _power(found.factor)
    if power is not None and isinstance(power.right, cst.UnaryOperation):
        yield edit(power.right, view.code(power.right.expression), "take the root, not 1 over it")
    elif power is not None:
        yield edit(power.right, f"-{bracketed(view, power.right)}", "take 1 over the root")


def _other_operator(factor: Factor, view: View) -> Iterator[Candidate]:
    operation = factor.operation
    node = operation.node
    operator = getattr(node, "operator", None)
    other = _OTHER_TOKEN.get(type(operator).__name__)
    if operator is not None and other is not None:
        yield edit(operator, other, f"write {other}", safe=False)
        return
    given = factor.operand
    if given is not None and given.name == "scale" and given.node is not None:
        yield edit(
            given.node, f"1 / {bracketed(view, given.node)}", "scale by 1 over it", safe=False
        )
        return
    name = getattr(node, "func", None)
    name = getattr(name, "attr", name)
    other = _OTHER_NAME.get(getattr(name, "value", ""))
    if name is not None and other is not None:
        yield edit(name, other, f"call {other}", safe=False)


def _power(factor: Factor) -> cst.BinaryOperation | None:
    """The power by which a factor was made: ``d ** -0.5``."""
    node = None if factor.number is None else factor.number.node
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Power):
        return node
    return None


def _twice(found: Misscaled, view: View) -> Iterator[Candidate]:
    """One of the two factors left out."""
    for factor in (found.factor, found.earlier):
        node = None if factor is None else factor.operation.node
        if factor is None or node is None or factor.operation.elsewhere:
            continue
        for operand, _ in factor.operation.tensors():
            whole = isinstance(node, cst.BinaryOperation | cst.Call)
            if operand.node is not None and whole and operand.node is not node:
                code = view.source.code(operand.node)
                yield edit(node, code, f"use {view.code(operand.node)} as it is", safe=False)


def _other_size(found: Misscaled, view: View) -> Iterator[Candidate]:
    """The root of the size that is summed: where the number was made, else where it is used."""
    size = found.product.size
    assert size is not None
    for node in _sizes_written(found.factor):
        text = _size_text(node, size, view)
        if text is not None and text != view.code(node):
            if _is_base(found.factor, node) and not _TIGHT.fullmatch(text):
                text = f"({text})"
            yield edit(node, text, f"take the root of {text}", safe=False)
    yield from _at_use(found, view)


def _sizes_written(factor: Factor) -> Iterator[cst.CSTNode]:
    """The expressions of the size whose root a factor is."""
    power = _power(factor)
    if power is not None:
        yield power.left
        return
    node = None if factor.number is None else factor.number.node
    while isinstance(node, cst.BinaryOperation):
        node = node.right
    if isinstance(node, cst.Call) and node.args:
        yield node.args[0].value


def _is_base(factor: Factor, node: cst.CSTNode) -> bool:
    """Whether an expression is raised to a power, which binds tighter than what it may become."""
    power = _power(factor)
    return power is not None and power.left is node


def _size_text(node: cst.CSTNode, size: Size, view: View) -> str | None:
    """How the function that an expression stands in writes a size, before that expression."""
    span = view.source.span(node)
    for traced in (view.traced, view.making):
        if traced is None or not _stands_in(traced, span.line, view):
            continue
        text = _names(traced, span.line, view).write(traced.facts.resolve(size))
        if text is not None and not text.isdigit():
            return text
    return None


def _stands_in(traced: Traced, line: int, view: View) -> bool:
    """Whether a line is one of the function that was traced."""
    if traced.function is None:
        return False
    span = view.source.span(traced.function.node)
    return span.line <= line <= span.end_line


def _names(traced: Traced, line: int, view: View) -> Names:
    return names_before(traced.sites, traced, view.source, line - 1)


def _at_use(found: Misscaled, view: View) -> Iterator[Candidate]:
    """The root of the last size of the query itself, in the place of the number."""
    operand = found.factor.operand
    queries = [each for each, tensor in found.product.operation.tensors()]
    if operand is None or operand.node is None or not queries or queries[0].node is None:
        return
    size = f"{bracketed(view, queries[0].node)}.shape[-1]"
    up = found.factor.powers.factors[0][1] > 0
    is_division = isinstance(getattr(found.factor.operation.node, "operator", None), cst.Divide)
    sign = "" if up or is_division else "-"
    text = f"{size} ** {sign}0.5"
    yield edit(operand.node, text, f"take the root of {size}", safe=False)


def _before_softmax(found: Misscaled, view: View) -> Iterator[Candidate]:
    """The scores scaled where they are made, and the weights as they are."""
    node, product = found.factor.operation.node, found.product.operation
    operand = found.factor.operand
    kept = [each.node for each, _ in found.factor.operation.tensors() if each is not operand]
    if operand is None or operand.node is None or len(kept) != 1 or kept[0] is None:
        return
    if product.elsewhere or not isinstance(node, cst.BinaryOperation):
        return
    symbol = _SYMBOLS.get(type(node.operator).__name__)
    text = f"{bracketed(view, product.node)} {symbol} {bracketed(view, operand.node)}"
    changes = (Change(product.node, text), Change(node, view.source.code(kept[0])))
    yield Candidate(changes, "scale the scores", safe=False, several=True)


_SYMBOLS = {"Multiply": "*", "Divide": "/"}
_KINDS = {"turned": _turned, "twice": _twice, "size": _other_size, "late": _before_softmax}
