"""Which tensor a finding tells of, and the shape that it should have: its first two parts.

A rule blames an expression; a person names a variable. The principle is one for all rules:

- What has a name is told by it.
- An expression without one is told by the variable that its statement assigns, where that is what
  is wrong: the expression is all that is assigned, or its own shape is right and what is made of it
  is not, or one fix has to change two operands. The statement has to run, and to assign one name.
- An expression that only turns a variable round, compares it, or gives it axes of 1 is told by that
  variable, unless the turn or the axis itself is the mistake.

What a rule does not say of the expected shape is read off the corrected program.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import libcst as cst

from attncheck.algebra.facts import Verdict
from attncheck.algebra.size import ONE
from attncheck.checks.later_rounds import carried_into
from attncheck.checks.report import Culprit, Sizes, sizes_of, text_of
from attncheck.checks.unrepeated import added_axes, is_comparison
from attncheck.checks.view import View
from attncheck.diagnosed import Diagnosed
from attncheck.graph import Operation
from attncheck.operators.events import Fault, Permutation, Triangle
from attncheck.record import record
from attncheck.repair.trial import Repair
from attncheck.retracing import Retraced
from attncheck.tracer.machine import ShapeSite
from attncheck.tracer.trace import Traced
from attncheck.values.tensor import Tensor
from attncheck.values.value import Function, as_tensor, expanded

Target: TypeAlias = "cst.Name | cst.Attribute"

#: Attributes that are an axis order or a part of a tensor, and no tensor of their own.
_VIEWS = frozenset({"T", "mT", "H", "mH", "real", "imag", "data"})
_AS_CORRECTED = "the shape that it has in the corrected code"
#: What an assignment is never looked for outside of.
_BOUNDS = (cst.Lambda, cst.BaseComp, cst.BaseSmallStatement, cst.BaseCompoundStatement)


@record
class Told:
    """A tensor as a finding tells it: its name, itself, its sizes, and those that it should have.

    ``derivation`` is what is said of the expected sizes in the place of the rule's own words.
    """

    name: str
    tensor: Tensor
    sizes: Sizes | None
    expected: Sizes | None
    derivation: str = ""


def told(diagnosed: Diagnosed, repair: Repair) -> Told | None:
    """The tensor that a finding tells of; None where its rule blames none."""
    report, view, culprit = diagnosed.report, diagnosed.view, diagnosed.report.culprit
    carried = carried_into(report.operation, view)
    if carried is not None:
        sizes, began = view.sizes(carried.tensor), sizes_of(carried.began)
        return Told(carried.name, carried.tensor, sizes, began, "as the loop begins with it")
    if culprit is None:
        return None
    sizes = view.sizes(culprit.tensor)
    if culprit.name is not None:
        return Told(culprit.name, culprit.tensor, sizes, report.expected)
    result = None if _is_variable(culprit.node) else _result(diagnosed, repair)
    if result is not None:
        return result
    mended = _mended(diagnosed, repair)
    if mended is not None:
        return mended
    counted = _with_as_many(diagnosed, repair)
    if counted is not None:
        return counted
    node, tensor, expected = _plain(view, culprit.node, culprit.tensor, report.expected)
    derivation = ""
    if expected is None and repair.after is not None:
        expected = _corrected(diagnosed, repair, repair.after, node)
        if text_of(expected) == text_of(view.sizes(tensor)):
            expected = None  # it is right, and what is done with it is not
        derivation = "" if report.derivation else _AS_CORRECTED
    return Told(view.code(node), tensor, view.sizes(tensor), expected, derivation)


def _is_variable(node: cst.CSTNode) -> bool:
    """Whether an expression is a name, or an attribute of one: ``keys``, ``self.pe``."""
    while isinstance(node, cst.Attribute) and node.attr.value not in _VIEWS:
        node = node.value
    return isinstance(node, cst.Name)


# -- the variable that is assigned -----------------------------------------------------------------


def _result(diagnosed: Diagnosed, repair: Repair) -> Told | None:
    """The variable that the culprit's statement assigns, if it is what is wrong."""
    report, view, culprit = diagnosed.report, diagnosed.view, diagnosed.report.culprit
    found = None if culprit is None else _assigned(view, culprit.node)
    table = repair.candidate is not None and repair.candidate.table
    if culprit is None or found is None or not _runs(report.operation, table=table):
        return None
    target, value = found
    whole = value is culprit.node
    sizes = view.sizes(culprit.tensor)
    kept = sizes is not None and report.expected == sizes and not _is_turned(view, culprit)
    if not (whole or kept or table or report.spoils):
        return None
    site = _site(diagnosed, target)
    tensor = None if site is None else as_tensor(site.value)
    if tensor is None:
        tensor = culprit.tensor if whole else None
    made = view.sizes(as_tensor(report.operation.output))
    if tensor is None or not (whole or made is None or view.sizes(tensor) == made):
        return None
    name = view.code(target)
    expected = _assigned_after(diagnosed, repair, target, name)
    if expected is None:
        expected = view.sizes(tensor) if kept else report.expected if whole else None
    return Told(name, tensor, view.sizes(tensor), expected)


def _runs(operation: Operation, *, table: bool) -> bool:
    """Whether an operation gives a result at all: of a table also one that is only named wrong."""
    clash = operation.clash
    return clash is None or (table and clash.verdict is Verdict.DISTINCT)


def _is_turned(view: View, culprit: Culprit) -> bool:
    """Whether an expression is a variable turned round, which is as good as a name: ``K.T``."""
    made = view.maker(culprit.tensor)
    if made is None or made.node is not culprit.node or not isinstance(made.event, Permutation):
        return False
    operand, _ = next(made.tensors())
    return operand.node is not None and _is_variable(operand.node)


def _assigned(view: View, node: cst.CSTNode) -> tuple[Target, cst.BaseExpression] | None:
    """The one variable that the statement of an expression assigns, and all that is assigned."""
    for outer in reversed(view.source.around(node)[:-1]):
        if isinstance(outer, cst.Assign):
            target = outer.targets[0].target
            if len(outer.targets) > 1 or not isinstance(target, cst.Name | cst.Attribute):
                return None
            return target, outer.value
        if isinstance(outer, _BOUNDS):
            return None
    return None


def _site(diagnosed: Diagnosed, target: Target) -> ShapeSite | None:
    """What the trace of a finding knows of an assignment's target."""
    traced = diagnosed.traced
    for sites in (traced.sites, *traced.inner.values()):
        for site in sites:
            if site.node is target:
                return site
    return None


def _assigned_after(
    diagnosed: Diagnosed, repair: Repair, target: Target, name: str
) -> Sizes | None:
    """The sizes that a variable is assigned in the corrected program, in the same line."""
    line = diagnosed.view.line(target)
    if repair.after is None:
        return None
    for site, sizes in sites_after(repair.after, diagnosed):
        if site.name == name and repair.after.source.span(site.node).line == line:
            return sizes
    return None


def sites_after(after: Retraced, diagnosed: Diagnosed) -> Iterator[tuple[ShapeSite, Sizes | None]]:
    """The sites of a finding's function in the corrected program, with their sizes."""
    function, place = diagnosed.traced.function, diagnosed.report.place
    own = "" if function is None else function.qualified
    for traced in _own(after, diagnosed):
        for site in traced.sites if place == own else traced.inner.get(place, []):
            yield site, sizes_of(expanded(site.value, traced.facts))


def _own(after: Retraced, diagnosed: Diagnosed) -> Iterator[Traced]:
    """The traces that stand for the finding's own: others have other symbols."""
    function = diagnosed.traced.function
    for traced in after.traces:
        if _root(traced.function) == _root(function):
            yield traced


def _root(function: Function | None) -> str | None:
    return None if function is None else function.qualified


def _with_as_many(diagnosed: Diagnosed, repair: Repair) -> Told | None:
    """A tensor that is reshaped under its own name, with the sizes that the corrected line gives.

    Where the sizes of the reshape are wrong nothing else says what they should be.
    """
    report, view, culprit = diagnosed.report, diagnosed.view, diagnosed.report.culprit
    clash, operation = report.operation.clash, report.operation
    if culprit is None or clash is None or clash.fault is not Fault.COUNT or report.expected:
        return None
    found = _assigned(view, operation.node)
    if found is None or found[1] is not operation.node:
        return None
    name, sizes = view.code(found[0]), view.sizes(culprit.tensor)
    changes = () if repair.candidate is None else repair.candidate.changes
    inside = all(operation.node in view.source.around(change.node) for change in changes)
    expected = _assigned_after(diagnosed, repair, found[0], name)
    if not changes or not inside or name != view.code(culprit.node) or expected is None:
        return None
    return Told(name, culprit.tensor, sizes, expected, f"as many elements as {text_of(sizes)} has")


# -- the variable behind an expression -------------------------------------------------------------


def _plain(
    view: View, node: cst.CSTNode, tensor: Tensor, expected: Sizes | None
) -> tuple[cst.CSTNode, Tensor, Sizes | None]:
    """The variable that an expression only turns round or compares; else the expression itself."""
    inner, own, wanted = node, tensor, expected
    while not _is_variable(inner):
        made = view.maker(own)
        operands = [] if made is None or made.node is not inner else list(made.tensors())
        if made is None or len(operands) != 1 or operands[0][0].node is None:
            return node, tensor, expected
        turned = _before(made, view, view.sizes(own), wanted)
        if turned is None:
            return node, tensor, expected
        (wanted,) = turned
        operand, own = operands[0]
        assert operand.node is not None
        inner = operand.node
    return inner, own, wanted


def _before(
    made: Operation, view: View, sizes: Sizes | None, wanted: Sizes | None
) -> tuple[Sizes | None] | None:
    """The wanted sizes as they are before an operation; None if it changes more than the order."""
    event = made.event
    if isinstance(event, Permutation):
        if wanted is None or sizes is None:
            return (wanted,)
        if len(wanted) != len(event.order) or _is_reordered(sizes, wanted):
            return None
        before = list(wanted)
        for place, axis in enumerate(event.order):
            before[axis] = wanted[place]
        return (tuple(before),)
    added = added_axes(made, view)
    if added is not None:
        fits = wanted is not None and sizes is not None and len(wanted) == len(sizes)
        if wanted is None or not fits or any(wanted[axis] != ONE for axis in added):
            return None
        return (tuple(size for axis, size in enumerate(wanted) if axis not in added),)
    keeps = isinstance(event, Triangle) or is_comparison(event)
    source = made.source
    same = source is not None and view.sizes(source) == sizes
    return (wanted,) if keeps and same else None


def _mended(diagnosed: Diagnosed, repair: Repair) -> Told | None:
    """The variable that the fix changes, if it is another expression than the rule blames.

    Within the culprit it has to have the culprit's shape.
    """
    report, view, culprit = diagnosed.report, diagnosed.view, diagnosed.report.culprit
    changes = () if repair.candidate is None else repair.candidate.changes
    if culprit is None or repair.after is None or len(changes) != 1:
        return None
    (change,) = changes
    if change.node is culprit.node or not _is_variable(change.node):
        return None
    around, name = view.source.around(change.node), view.code(change.node)
    tensor = _before_line(diagnosed, name, view.line(change.node))
    sizes = None if tensor is None else view.sizes(tensor)
    if tensor is None or sizes is None:
        return None
    if culprit.node in around and view.sizes(culprit.tensor) == sizes:
        return Told(name, tensor, sizes, report.expected)
    if report.operation.clash is not None and report.operation.node in around:
        expected = _replaced(diagnosed, repair.after, change.text)
        if expected is not None:
            return Told(name, tensor, sizes, expected, _AS_CORRECTED)
    return None


def _before_line(diagnosed: Diagnosed, name: str, line: int) -> Tensor | None:
    """The tensor that a name of the finding's function holds before a line."""
    view = diagnosed.view
    for sites, _ in view.sites_in(diagnosed.report.place):
        known = [site for site in sites if site.name == name and view.line(site.node) < line]
        if known:
            return as_tensor(known[-1].value)
    return None


def _replaced(diagnosed: Diagnosed, after: Retraced, text: str) -> Sizes | None:
    """The sizes of an operand of the corrected program, by how it is written."""
    for traced in _own(after, diagnosed):
        for operation in traced.graph.operations:
            for operand, tensor in operation.tensors():
                if operand.node is not None and after.source.code(operand.node) == text:
                    return sizes_of(expanded(tensor, traced.facts))
    return None


def _is_reordered(sizes: Sizes, wanted: Sizes) -> bool:
    """Whether the wanted sizes are those that are there, in whatever order."""
    return sorted(map(str, sizes)) == sorted(map(str, wanted))


def _corrected(
    diagnosed: Diagnosed, repair: Repair, after: Retraced, node: cst.CSTNode
) -> Sizes | None:
    """The sizes of a variable where the finding was, or of what stands there in its place."""
    view, changes = diagnosed.view, () if repair.candidate is None else repair.candidate.changes
    text = next((change.text for change in changes if change.node is node), None)
    if text is not None:
        return _replaced(diagnosed, after, text)
    line, name = view.line(diagnosed.report.node), view.code(node)
    found: Sizes | None = None
    for site, sizes in sites_after(after, diagnosed):
        if site.name == name and after.source.span(site.node).line < line:
            found = sizes
    return found
