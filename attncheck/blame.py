"""Which tensor a finding tells of, and the shape that it should have: its first two parts.

A rule blames an expression; a person names a variable. The principle is one for all rules:

- What has a name is told by it.
- An expression without one is told by the variable that its statement assigns, where that is what
  is wrong: the expression is all that is assigned, or its own shape is right and what is made of it
  is not, or one fix has to change two operands. The statement has to run, and to assign one name.
- An expression that only turns a variable round, or compares it, is told by that variable, unless
  the turn itself is the mistake.

What a rule does not say of the expected shape is read off the corrected program.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import libcst as cst

from attncheck.analysis import Retraced
from attncheck.checks.report import Culprit, Sizes, sizes_of
from attncheck.checks.view import View
from attncheck.diagnosed import Diagnosed
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise, Permutation, Triangle
from attncheck.record import record
from attncheck.repair.trial import Repair
from attncheck.tracer.machine import ShapeSite
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor, expanded

Target: TypeAlias = "cst.Name | cst.Attribute"

#: Attributes that are an axis order or a part of a tensor, and no tensor of their own.
_VIEWS = frozenset({"T", "mT", "H", "mH", "real", "imag", "data"})
#: Elementwise operations whose result stands for the tensor itself: masks made of it.
_COMPARING = frozenset({"==", "!=", "<", "<=", ">", ">=", "~", "not"})
#: What an assignment is never looked for outside of.
_BOUNDS = (cst.Lambda, cst.BaseComp, cst.BaseSmallStatement, cst.BaseCompoundStatement)


@record
class Told:
    """A tensor as a finding tells it: its name, itself, its sizes, and those that it should have.

    ``derivation`` is what is said of the expected sizes if the rule says nothing.
    """

    name: str
    tensor: Tensor
    sizes: Sizes | None
    expected: Sizes | None
    derivation: str = ""


def told(diagnosed: Diagnosed, repair: Repair) -> Told | None:
    """The tensor that a finding tells of; None where its rule blames none."""
    report, view, culprit = diagnosed.report, diagnosed.view, diagnosed.report.culprit
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
    node, tensor, expected = _plain(view, culprit.node, culprit.tensor, report.expected)
    sizes, derivation = view.sizes(tensor), ""
    if expected is None and repair.after is not None:
        expected = _corrected(diagnosed, repair.after, view.code(node))
        derivation = "the shape that it has in the corrected code"
    return Told(view.code(node), tensor, sizes, expected, derivation)


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
    if culprit is None or found is None or report.operation.clash is not None:
        return None
    target, value = found
    whole = value is culprit.node
    sizes = view.sizes(culprit.tensor)
    kept = sizes is not None and report.expected == sizes and not _is_turned(view, culprit)
    table = repair.candidate is not None and repair.candidate.table
    if not (whole or kept or table):
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
    """The sites of a finding's function in the corrected program, with their sizes.

    They are those of the trace that stands for the finding's own: others have other symbols.
    """
    function, place = diagnosed.traced.function, diagnosed.report.place
    root = None if function is None else function.qualified
    for traced in after.traces:
        if root == (None if traced.function is None else traced.function.qualified):
            sites = traced.sites if place == (root or "") else traced.inner.get(place, [])
            for site in sites:
                yield site, sizes_of(expanded(site.value, traced.facts))


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
    keeps = isinstance(event, Triangle) or (
        isinstance(event, Elementwise) and event.symbol in _COMPARING
    )
    source = made.source
    same = source is not None and view.sizes(source) == sizes
    return (wanted,) if keeps and same else None


def _mended(diagnosed: Diagnosed, repair: Repair) -> Told | None:
    """The variable that the fix changes inside of the culprit, if that has the culprit's shape."""
    view, culprit = diagnosed.view, diagnosed.report.culprit
    changes = () if repair.candidate is None else repair.candidate.changes
    if culprit is None or len(changes) != 1 or changes[0].node is culprit.node:
        return None
    (change,) = changes
    if not _is_variable(change.node) or culprit.node not in view.source.around(change.node):
        return None
    name, sizes = view.code(change.node), view.sizes(culprit.tensor)
    for sites, _ in view.sites_in(diagnosed.report.place):
        known = [s for s in sites if s.name == name and view.line(s.node) < view.line(change.node)]
        tensor = as_tensor(known[-1].value) if known else None
        if tensor is not None and sizes is not None and view.sizes(tensor) == sizes:
            return Told(name, tensor, sizes, diagnosed.report.expected)
    return None


def _is_reordered(sizes: Sizes, wanted: Sizes) -> bool:
    """Whether the wanted sizes are those that are there, in whatever order."""
    return sorted(map(str, sizes)) == sorted(map(str, wanted))


def _corrected(diagnosed: Diagnosed, after: Retraced, name: str) -> Sizes | None:
    """The sizes of a variable where the finding was, in the corrected program."""
    line = diagnosed.view.line(diagnosed.report.node)
    found: Sizes | None = None
    for site, sizes in sites_after(after, diagnosed):
        if site.name == name and after.source.span(site.node).line < line:
            found = sizes
    return found
