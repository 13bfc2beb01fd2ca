"""The regression asserts of a finding: its fourth part.

They are those that hold behind the corrected line, in the names that are there: the shape of what
it assigns, and where the shape cannot tell, what does: the sum of weights, what a layer was made
with, or the value itself. Where there is no fix, what the finding wants of its tensor is asserted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import libcst as cst

from attncheck.algebra.facts import Verdict
from attncheck.blame import Told, sites_after
from attncheck.checks.report import Sizes, sizes_of, text_of
from attncheck.checks.view import View
from attncheck.diagnosed import Diagnosed
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Attention, Contraction, Fault, Permutation
from attncheck.repair.asserts import (
    asserts,
    asserts_in_part,
    features_assert,
    names_before,
    projection_assert,
    shape_assert,
    weights_elsewhere,
)
from attncheck.repair.reference import reference_assert
from attncheck.repair.trial import Repair
from attncheck.retracing import Retraced
from attncheck.source import Source
from attncheck.tracer.machine import ShapeSite
from attncheck.tracer.trace import Traced
from attncheck.values.tensor import Tensor
from attncheck.values.value import expanded

Writer: TypeAlias = Callable[[list[ShapeSite], Traced, Source, int], tuple[str, ...]]

#: Rules about what weights sum to, which no shape shows.
_ABOUT_SUMS = frozenset({"ATN203", "ATN301"})
#: Rules about axes that are lost for some sizes only: for these the shape shows it.
_ABOUT_AXES = frozenset({"ATN205"})


def regression(diagnosed: Diagnosed, repair: Repair, told: Told | None) -> tuple[str, ...]:
    """The asserts that would have caught a finding and hold once it is corrected."""
    made = _corrected(diagnosed, repair)
    if not made and repair.candidate is None and told is not None:
        wanted = _wanted(diagnosed, told)
        made = () if wanted is None else (wanted,)
    if not made and not _is_mended_here(diagnosed, repair):
        made = _agreement(diagnosed)
    return made or _in_part(diagnosed, repair)


def _is_mended_here(diagnosed: Diagnosed, repair: Repair) -> bool:
    """Whether the fix is in the operation's own line, so that its operands are others there."""
    line = diagnosed.view.line(diagnosed.report.operation.node)
    return any(edit.span.line == line for edit in repair.edits)


# -- with a fix ------------------------------------------------------------------------------------


def _corrected(diagnosed: Diagnosed, repair: Repair) -> tuple[str, ...]:
    """The asserts for the fixed line, from the trace of the patched file."""
    after, candidate, report = repair.after, repair.candidate, diagnosed.report
    if after is None or candidate is None:
        return ()
    if candidate.new_name is not None:
        return projection_assert(report, diagnosed.view, candidate.changes[0].text)
    if candidate.proof is None and report.resized is not None:
        return features_assert(report, diagnosed.view)
    line = repair.edits[0].span.line
    made = _shapes(diagnosed, after, line, asserts)
    if candidate.proof is not None:
        made = (*made, candidate.proof)
    if any("allclose(" in text for text in made) or candidate.proof is not None:
        return made
    if report.rule.code in _ABOUT_SUMS:
        # The shapes agree with the mistake too: the sum tells, where the weights have a name.
        return weights_elsewhere(after.traces, after.source, line) or made
    if (
        report.rule.code not in _ABOUT_AXES
        and _is_hidden(diagnosed)
        and not _shape_tells(diagnosed, after, line)
    ):
        made = (*made, *reference_assert(after, report.place, line))
    return made


def _in_part(diagnosed: Diagnosed, repair: Repair) -> tuple[str, ...]:
    """The asserts about as much of a shape as can be written."""
    if repair.after is None or repair.candidate is None or repair.candidate.new_name is not None:
        return ()
    return _shapes(diagnosed, repair.after, repair.edits[0].span.line, asserts_in_part)


def _shapes(diagnosed: Diagnosed, after: Retraced, line: int, write: Writer) -> tuple[str, ...]:
    """The asserts about the corrected line, from the first trace that gives any."""
    for sites, traced in after.sites_of(diagnosed.report.place):
        made = write(sites, traced, after.source, line)
        if made:
            return made
    return ()


def _shape_tells(diagnosed: Diagnosed, after: Retraced, line: int) -> bool:
    """Whether the corrected `line` assigns a name another shape than the mistaken one."""
    view = diagnosed.view
    before = {
        site.name: text_of(sizes_of(expanded(site.value, facts)))
        for sites, facts in view.sites_in(diagnosed.report.place)
        for site in sites
        if view.line(site.node) == line
    }
    return any(
        "?" not in before.get(site.name, "?") and before[site.name] != text_of(sizes)
        for site, sizes in sites_after(after, diagnosed)
        if after.source.span(site.node).line == line and sizes is not None and None not in sizes
    )


def _is_hidden(diagnosed: Diagnosed) -> bool:
    """Whether the mistake runs, or does while two sizes coincide: then no shape shows it."""
    clash = diagnosed.report.operation.clash
    return clash is None or clash.verdict is Verdict.DISTINCT


# -- without ---------------------------------------------------------------------------------------


def _wanted(diagnosed: Diagnosed, told: Told) -> str | None:
    """The assert that the tensor has the shape that it should have."""
    view, report = diagnosed.view, diagnosed.report
    expected, sizes = told.expected, told.sizes
    if expected is None or expected == sizes or not told.name.replace(".", "").isidentifier():
        return None
    line = view.line(report.node)
    for sites, _ in view.sites_in(report.place):
        names = names_before(sites, diagnosed.traced, view.source, line, but=told.name)
        written = [
            None if size is None or (size.number or 1) != 1 else names.write(size)
            for size in expected
        ]
        text = shape_assert(told.name, written)
        if text is not None:
            return text
    return None


def _agreement(diagnosed: Diagnosed) -> tuple[str, ...]:
    """The assert that the two axes agree which an operation needs to be of one size."""
    operation, view = diagnosed.report.operation, diagnosed.view
    operands = list(operation.tensors())[:2]
    axes = None if len(operands) < 2 else _clashing(operation, view, diagnosed.report.expected)
    if axes is None or any(operand.node is None for operand, _ in operands):
        return ()
    sides = [_side(view, *each, axis) for each, axis in zip(operands, axes, strict=True)]
    return (f"assert {sides[0]} == {sides[1]}",)


def _clashing(operation: Operation, view: View, expected: Sizes | None) -> tuple[int, int] | None:
    """The axes of the first two operands that are in contradiction, or None."""
    event, clash = operation.event, operation.clash
    if clash is None or clash.left is None or clash.right is None:
        return None
    if isinstance(event, Attention):
        sizes = event.features.left.size, event.features.right.size
        return (-1, -1) if sizes == (clash.left, clash.right) else None
    if clash.fault is Fault.BROADCAST:
        left, right = (view.sizes(tensor) or () for _, tensor in [*operation.tensors()][:2])
        for axis in range(-1, -min(len(left), len(right)) - 1, -1):
            if {left[axis], right[axis]} == {clash.left, clash.right}:
                return None if _is_one(expected, axis) else (axis, axis)
    if not isinstance(event, Contraction):
        return None
    for pair, left_axis, right_axis in zip(
        event.pairs, event.left_axes, event.right_axes, strict=False
    ):
        if (pair.left.size, pair.right.size) == (clash.left, clash.right):
            return left_axis, right_axis
    return None


def _is_one(expected: Sizes | None, axis: int) -> bool:
    """Whether the operand to blame should have a 1 at an axis, to be stretched there."""
    size = expected[axis] if expected is not None and len(expected) >= -axis else None
    return size is not None and size.number == 1


def _side(view: View, operand: Operand, tensor: Tensor, axis: int) -> str:
    """An axis of an operand, or of what it is turned round from."""
    made = view.maker(tensor)
    while made is not None and made.node is operand.node and isinstance(made.event, Permutation):
        axis = made.event.order[axis]
        operand, tensor = next(made.tensors())
        made = view.maker(tensor)
    return f"{_bracketed(view, operand.node)}.shape[{axis}]"


def _bracketed(view: View, node: cst.CSTNode | None) -> str:
    code = view.code(node)
    return code if isinstance(node, cst.Name | cst.Attribute) else f"({code})"
