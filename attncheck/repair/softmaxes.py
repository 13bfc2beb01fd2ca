"""Another axis for softmax: in its call, in that of a helper, in a layer, in a sum by hand."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.constructed import constructor, layer_of, name_of_layer
from attncheck.checks.merged_heads import starts_with_heads
from attncheck.checks.report import Report
from attncheck.checks.softmax_axis import axis_parameter
from attncheck.checks.turned_tables import exchanged_axes, tables_turned
from attncheck.checks.view import View
from attncheck.operators.events import Einsum
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.subscripts import turned_product
from attncheck.repair.wording import argument_of, call_with
from attncheck.values.value import as_tensor


def other_axis_of_softmax(report: Report, view: View) -> Iterator[Candidate]:
    """Another axis in the softmax, in the helper's call, or in the sum of a hand-written one."""
    if isinstance(report.operation.event, Einsum):
        yield from turned_product(report, view)
    if report.axis is None:
        yield from _behind_heads(report, view)
        yield from _queries_first(report, view)
        return
    shape = view.shape(as_tensor(report.operation.output))
    last = shape is not None and shape.closed and report.axis == len(shape.axes) - 1
    axis = "-1" if last else str(report.axis)
    site = view.site_of(report.operation.number)
    total = None if site is None or site.total is None or site.total.elsewhere else site.total.node
    own = report.node if total is None or report.node is not report.operation.node else None
    torch = report.operation.spelling.startswith("torch")
    if site is not None and site.total is not None:
        torch = site.total.spelling.startswith("torch")
    axis_word, word = ("dim", "keepdim") if torch else ("axis", "keepdims")
    made = next((each.node for each in report.operation.operands if each.name == "axis"), None)
    if made is not None and layer_of(report.operation) is not None:
        call, _ = constructor(view, report.operation)
        name = None if call is None else name_of_layer(view, call)
        proof = f"assert {name}.dim == {axis}" if name and name.startswith("self.") else None
        yield Candidate((Change(made, axis),), f"normalise axis {axis}", proof=proof)
        return
    for node in (own, total):
        if not isinstance(node, cst.Call):
            continue
        argument = argument_of(node)
        if argument is not None:
            words = f"{'sum up along' if site is None else 'normalise'} axis {axis}"
            # Probabilities of classes go into no sum that could show what the axes are.
            alone = site is not None and not site.sums and node is own
            yield Candidate((Change(argument, axis),), words, same_size=alone)
            if node is total:
                yield from _kept(node, argument, axis, word)
        elif node is total:
            yield edit(
                node,
                call_with(view, node, f"{axis_word}={axis}, {word}=True"),
                f"sum each row by itself ({axis_word}={axis})",
            )
        elif isinstance(node.func, cst.Call):
            # A layer is called with nothing but its input: another one has to be made.
            yield from _softmax_layer(node.func, axis, view)
        else:
            # A helper that is not told the axis takes it under a name of its own.
            named = None if site is None or total is None else axis_parameter(site)
            text = call_with(view, node, f"{named or axis_word}={axis}")
            yield edit(node, text, f"normalise axis {axis}")


def _behind_heads(report: Report, view: View) -> Iterator[Candidate]:
    """``scores.flatten(3)`` for ``scores.flatten(2)``: the heads left out of what is merged."""
    site = view.site_of(report.operation.number)
    shape = view.shape(as_tensor(report.operation.output))
    node = None if report.culprit is None else report.culprit.node
    if site is None or shape is None or not isinstance(node, cst.Call):
        return
    if not starts_with_heads(site, shape, view):
        return
    axes = [each.value for each in node.args if isinstance(each.value, cst.Integer)]
    function = node.func
    if isinstance(function, cst.Attribute) and function.attr.value == "flatten" and axes:
        start = axes[0].evaluated_value + 1
        yield edit(axes[0], str(start), f"flatten from axis {start} on")


def _queries_first(report: Report, view: View) -> Iterator[Candidate]:
    """``q.unsqueeze(2) + k.unsqueeze(1)`` for ``q.unsqueeze(1) + k.unsqueeze(2)``."""
    for found in view.once(tables_turned):
        changes = exchanged_axes(found, view) if found.operation is report.operation else ()
        if changes:
            written = tuple(Change(node, text) for node, text in changes)
            words = "put the queries before the keys"
            yield Candidate(written, words, safe=False, same_size=True, table=True)


def _softmax_layer(made: cst.Call, axis: str, view: View) -> Iterator[Candidate]:
    """``layers.Softmax(axis=1)`` in the place of ``layers.Activation("softmax")``."""
    code, name = view.source.code(made), view.source.code(made.func)
    if name.endswith(".Activation") and made.args and made.args[0].keyword is None:
        module, first = name.removesuffix("Activation"), view.source.code(made.args[0].value)
        rest = code.removeprefix(f"{name}({first}")
        yield edit(made, f"{module}Softmax(axis={axis}{rest}", f"normalise axis {axis}")


def _kept(
    node: cst.Call, argument: cst.BaseExpression, axis: str, word: str
) -> Iterator[Candidate]:
    """A sum over another axis, which is kept as 1 so that it lines up with what it divides."""
    words = [each.keyword.value for each in node.args if each.keyword is not None]
    if not any(word in ("keepdims", "keepdim") for word in words):
        changes = (Change(argument, axis), Change(node.args[-1], f", {word}=True", after=True))
        yield Candidate(changes, f"sum each row by itself (axis={axis})")
