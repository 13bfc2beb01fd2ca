"""Roots that the order of operations breaks: ``scores / d ** 1/2`` is ``(scores / d) / 2``.

A power binds tighter than a division, so ``d ** 1/2`` raises to the power of 1 and then divides by
2. Nobody writes a power of 1 on purpose, so that this is a root that was meant, if it was not put
in brackets: ``(d ** 1) / 2`` is what it says. ``d ** -1/2`` may be meant as 1 over 2d, and is told
only of a size of what was multiplied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from attncheck.attention import behind
from attncheck.checks.report import Culprit, Report
from attncheck.checks.states import function_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Attention, Elementwise
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.tree.pairs import parts
from attncheck.values.value import Const, Scalar, as_powers, as_tensor

#: The exponent as it is written, with its own brackets at most, and what it is divided by.
_BROKEN = re.compile(
    r"\*\*\s*(?P<exponent>\(\s*(?P<inner>[-+]?\s*1(?:\.0*)?)\s*\)|(?P<plain>[-+]?\s*1(?:\.0*)?))"
    r"\s*/\s*(?P<by>[24])(?:\.0*)?$"
)
#: What stands before a power that is a factor: ``scores / d ** 1``.
_PRODUCTS = (cst.Multiply, cst.Divide)


@record
class BrokenRoot:
    """A division by 2 or 4 that was to be a root: the division, its power, where it scales what."""

    operation: Operation
    division: cst.BinaryOperation
    power: cst.BinaryOperation


def broken_roots(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each number that scales scores and is no root, though it was meant as one."""
    for found in view.once(roots_broken):
        output = as_tensor(found.operation.output)
        written = text_of_root(found, view)
        if output is None or written is None:
            continue
        base, exponent = view.quote(found.power.left), written[1]
        root = {"0.5": "sqrt({})", "-0.5": "1/sqrt({})"}.get(exponent, f"{{}} ** {exponent}")
        meant = root.format(base)
        here = _stands_in(found.division, found.operation, view)
        yield Report(
            rule,
            found.operation,
            found.division,
            f"`{view.quote(found.division)}` has no root in it: a power binds tighter than a"
            f" division, so that `{base}` is raised to the power of {view.quote(found.power.right)}"
            f" and the result divided by {view.quote(found.division.right)}, where"
            f" `{meant}` was meant; no shape changes, so nothing raises",
            Culprit(found.operation.node, output),
            view.sizes(output),
            f"the same shape, scaled by `{base}` to the power of {exponent} (Vaswani et al. 2017,"
            " section 3.2.1)",
            function=None if here else function_of(view, found.division),
            local=True,
        )


def roots_broken(view: View) -> list[BrokenRoot]:
    """The broken roots behind the scores of each attention of a trace."""
    found: dict[cst.CSTNode, BrokenRoot] = {}
    for operation in _scaling(view):
        for division in _divisions(operation):
            power = _power(division)
            if power is None or division in found or operation.elsewhere:
                continue
            each = BrokenRoot(operation, division, power)
            written = text_of_root(each, view)
            if written is None or (written[1][0] == "-" and not _is_of_a_size(operation, view)):
                continue
            found[division] = each
    return list(found.values())


def text_of_root(found: BrokenRoot, view: View) -> tuple[str, str] | None:
    """How a broken root is written with a number for its exponent, and that number; or None.

    None as well where brackets say that the power is meant as it stands.
    """
    text = view.source.code(found.division)
    written = _BROKEN.search(text)
    if written is None:
        return None
    sign = "-" if "-" in written["exponent"] else ""
    exponent = sign + ("0.5" if written["by"] == "2" else "0.25")
    return f"{text[: written.start('exponent')]}{exponent}", exponent


def _scaling(view: View) -> Iterator[Operation]:
    """The operations behind scores, and the library's attention, that multiply with a number."""
    for site in view.sites:
        for made in behind(view.graph, site.scores_in):
            if isinstance(made.event, Elementwise) and made.event.symbol in ("*", "/"):
                yield made
    for operation in view.graph.operations:
        if isinstance(operation.event, Attention):
            yield operation


def _divisions(operation: Operation) -> Iterator[cst.BinaryOperation]:
    """The divisions that an operation is, or that one of its numbers was made by."""
    node = operation.node
    if isinstance(node, cst.BinaryOperation) and isinstance(operation.event, Elementwise):
        yield node
    for operand in operation.operands:
        if not isinstance(operand.value, Scalar | Const):
            continue
        made = operand.value.node or operand.node
        for part in () if made is None else parts(made):
            if isinstance(part, cst.BinaryOperation):
                yield part


def _power(division: cst.BinaryOperation) -> cst.BinaryOperation | None:
    """The power right before the sign of a division; None if it is none, or of a tensor."""
    if not isinstance(division.operator, cst.Divide):
        return None
    left = division.left
    if isinstance(left, cst.BinaryOperation) and isinstance(
        left.operator, cst.Multiply | cst.Divide
    ):
        left = left.right
    if isinstance(left, cst.BinaryOperation) and isinstance(left.operator, cst.Power):
        return left
    return None


def _is_of_a_size(operation: Operation, view: View) -> bool:
    """Whether a number is 1 over a size of an axis of what is scaled, or was multiplied."""
    source = operation.source
    before = None if source is None else view.graph.maker(source)
    near = [made for made in (operation, before) if made is not None]
    powers = [as_powers(operand.value) for made in near for operand in made.operands]
    inverted = {
        view.facts.resolve(size)
        for each in powers
        for size, exponent in (() if each is None else each.factors)
        if exponent == -1 and size.number not in (2, 4)
    }
    makers = [] if source is None else [operation, *behind(view.graph, source)]
    return any(
        axis.size is not None and view.facts.resolve(axis.size) in inverted
        for made in makers
        for _, tensor in made.tensors()
        for shape in [view.shape(tensor)]
        if shape is not None
        for axis in (*shape.lead, *shape.trail)
    )


def _stands_in(node: cst.CSTNode, operation: Operation, view: View) -> bool:
    return function_of(view, node) == operation.place.function
