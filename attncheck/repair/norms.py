"""Norms and cosines over the axis of features, and transforms back along that of time."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.compared_copies import copies_compared
from attncheck.checks.constructed import constructor, layer_of
from attncheck.checks.inverse_axis import astray
from attncheck.checks.normed_apart import NormedApart, norms_apart
from attncheck.checks.normed_whole import wholes_normed
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.repair.candidate import Candidate, Change
from attncheck.repair.wording import call_with


def norms_of_features(report: Report, view: View) -> Iterator[Candidate]:
    """``F.normalize(q, dim=-1)`` for ``F.normalize(q)``, all of one statement together."""
    found = view.remembered(norms_apart, report.operation) or ()
    changes = [_change(each, view) for each in found]
    written = tuple(change for change in changes if change is not None)
    if found and len(written) == len(changes):
        yield Candidate(written, f"norms over axis {found[0].wanted}")


def cosines_of_features(report: Report, view: View) -> Iterator[Candidate]:
    """``F.cosine_similarity(q, k, dim=-1)`` for ``F.cosine_similarity(q, k)``."""
    found = view.remembered(copies_compared, report.operation)
    call: cst.CSTNode | None = report.node
    if layer_of(report.operation) is not None:
        made = report.node.func if isinstance(report.node, cst.Call) else None
        call = constructor(view, report.operation)[0] or made
    change = None if found is None else _over(report.operation, call, "-1", view)
    if change is not None:
        yield Candidate((change,), "compare over the last axis")


def norms_of_rows(report: Report, view: View) -> Iterator[Candidate]:
    """``norm(rows, axis=-1, keepdims=True)`` for ``norm(rows)``."""
    for found in view.once(wholes_normed):
        if found.norm is report.operation and isinstance(report.node, cst.Call):
            torch = report.operation.spelling.startswith("torch")
            words = ("dim", "keepdim") if torch else ("axis", "keepdims")
            axis = -1 if found.axis == 1 else found.axis
            text = f"{words[0]}={axis}" + f", {words[1]}=True" * found.kept
            change = Change(report.node, call_with(view, report.node, text))
            yield Candidate((change,), "a norm for each row", table=found.kept)


def back_along(report: Report, view: View) -> Iterator[Candidate]:
    """``irfft(spectrum, axis=1)`` for ``irfft(spectrum)`` of one that was made along axis 1."""
    found = view.remembered(astray, report.operation)
    axis = None if found is None else str(found.wanted)
    change = None if axis is None else _over(report.operation, report.node, axis, view)
    if change is not None:
        yield Candidate((change,), f"transform back along axis {axis}")


def _change(apart: NormedApart, view: View) -> Change | None:
    shape = view.shape(apart.norm.vectors)
    last = shape is not None and shape.closed and apart.wanted == len(shape.axes) - 1
    told = apart.norm.told
    return _over(told, told.node, "-1" if last else str(apart.wanted), view)


def _over(told: Operation, call: cst.CSTNode | None, axis: str, view: View) -> Change | None:
    """Another axis for an operation, where its call names one, or left it to the default."""
    argument = next((each for each in told.operands if each.name == "axis"), None)
    if argument is not None and argument.node is not None:
        return Change(argument.node, axis)
    if not isinstance(call, cst.Call):
        return None
    word = "dim" if told.spelling.startswith("torch") else "axis"
    return Change(call, call_with(view, call, f"{word}={axis}"))
