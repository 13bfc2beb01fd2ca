"""Axes of 1 of a mask, put where the scores have an axis that the mask has not."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks import listed_masks
from attncheck.checks.compared_rows import compared_rows
from attncheck.checks.fast_parts import slow_part
from attncheck.checks.featured_masks import MAKERS
from attncheck.checks.mask_arguments import Exchanged, exchanged
from attncheck.checks.painted import painted_wrong
from attncheck.checks.report import Culprit, Report
from attncheck.checks.turned_masks import turned_mask
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.heads import size_text
from attncheck.repair.recounted import recounted
from attncheck.repair.slices import painted_right
from attncheck.repair.wording import (
    argument_of,
    bracketed,
    flipped,
    index_with_axes,
    index_with_axis,
    with_axis_of_one,
)


def move_axis(report: Report, view: View) -> Iterator[Candidate]:
    """``unsqueeze(3)`` as ``unsqueeze(2)``, ``mask[:, :, None]`` as ``mask[:, None, :]``.

    The report's axis is where the queries are, counted from the end.
    """
    node, queries = report.node, report.axis
    if view.remembered(painted_wrong, report.operation) is not None:
        yield from painted_right(report, view)
        return
    if report.culprit is None:
        return
    if view.remembered(slow_part, report.operation) is not None:
        yield from _with_fast_part(report, view)
        return
    if report.operation.kind in MAKERS:
        yield from _of_positions(report.culprit, view)
        return
    if view.remembered(compared_rows, report.operation) is not None:
        yield from _behind(report.culprit, view)
        return
    listed = listed_masks.exchanged(report.operation, view)
    if listed:
        nodes = [operand.node for operand, _ in listed if operand.node is not None]
        swapped = zip(nodes, reversed(nodes), strict=True)
        changes = tuple(Change(node, view.code(other)) for node, other in swapped)
        yield Candidate(changes, "give the query's mask first")
        return
    other = exchanged(report.operation, view)
    if other is not None and isinstance(node, cst.Call):
        yield from _by_name(node, other, view)
        return
    if view.remembered(turned_mask, report.operation) is not None:
        text = flipped(view, report.culprit.node, report.culprit.tensor)
        if text is not None:
            yield edit(report.culprit.node, text, "turn the mask round")
        return
    yield from recounted(report, view)
    if queries is None:
        yield from _spread(report, view)
        return
    yield from _where_queries_are(node, queries, report.culprit, view)


def _where_queries_are(
    node: cst.CSTNode, queries: int, culprit: Culprit, view: View
) -> Iterator[Candidate]:
    """The axis of 1 that an index or a call puts in, where the axis of the queries is."""
    sizes = view.sizes(culprit.tensor)
    description = "put the axis of 1 where the queries are"
    if isinstance(node, cst.Subscript):
        text = _indexed(view, node, queries)
        if text is not None:
            yield edit(node, text, description, safe=False)
    elif isinstance(node, cst.Call) and node.args:
        argument = node.args[-1].value
        negative = isinstance(argument, cst.UnaryOperation)
        if negative or sizes is not None:
            axis = queries if negative or sizes is None else len(sizes) + queries
            yield edit(argument, str(axis), description, safe=False)


def _behind(culprit: Culprit, view: View) -> Iterator[Candidate]:
    """The axis of 1 of a matrix behind its own axes, where it stands in front."""
    node, words = culprit.node, "let positions meet positions"
    made = view.maker(culprit.tensor)
    argument = argument_of(node) if isinstance(node, cst.Call) else None
    change = None
    if argument is not None:
        change = Change(argument, "2" if view.code(argument) == "0" else "-1")
    elif isinstance(node, cst.Subscript) and made is not None and made.node is node:
        new = view.code(node.slice[0]).rstrip(", ")
        change = Change(node, f"{bracketed(view, node.value)}[:, :, {new}]")
    if change is not None:
        yield Candidate((change,), words, safe=False, table=True)


def _by_name(call: cst.Call, other: Exchanged, view: View) -> Iterator[Candidate]:
    """The mask given by the name of the argument that it is meant for."""
    words = f"pass it as {other.meant}"
    for place, argument in enumerate(call.args):
        if argument.value is not other.operand.node:
            continue
        if argument.keyword is not None:
            yield edit(argument.keyword, other.meant, words)
        elif all(each.keyword is not None for each in call.args[place + 1 :]):
            yield edit(argument.value, f"{other.meant}={view.code(argument.value)}", words)


def _of_positions(culprit: Culprit, view: View) -> Iterator[Candidate]:
    """The tokens that were embedded, or one feature, in the place of all features."""
    made = view.maker(culprit.tensor)
    for operand, _ in () if made is None or made.kind != "embedding" else made.tensors():
        if isinstance(operand.node, cst.Name) and view.code(culprit.node) != operand.node.value:
            yield edit(culprit.node, operand.node.value, "make it of the tokens", safe=False)
    text = f"{bracketed(view, culprit.node)}[..., 0]"
    yield edit(culprit.node, text, "make it of one number for each position", safe=False)


def _spread(report: Report, view: View) -> Iterator[Candidate]:
    """``mask[:, None, None, :]`` for a mask that lacks two axes between its own."""
    culprit = report.culprit
    sizes = None if culprit is None else view.sizes(culprit.tensor)
    if culprit is None or sizes is None or report.expected is None:
        return
    if len(report.expected) == len(sizes) - 1:
        text = index_with_axis(bracketed(view, culprit.node), 1, len(sizes))
        yield edit(culprit.node, text, "take the axis of 1 away", safe=False)
        return
    items = index_with_axes(sizes, report.expected)
    new = [at for at, item in enumerate(items or ()) if item == "None"]
    if items is None or not new:
        return
    text = f"{bracketed(view, culprit.node)}[{', '.join(items)}]"
    if len(new) == 1:
        text = with_axis_of_one(view, culprit.node, culprit.tensor, new[0], len(sizes))
    words = "axes" if len(new) > 1 else "axis"
    yield edit(culprit.node, text, f"give the mask the {words} of 1 that it lacks", safe=False)


def _indexed(view: View, node: cst.Subscript, queries: int) -> str | None:
    """An index whose last ``None`` stands where the queries are instead."""
    items = [view.code(element.slice) for element in node.slice]
    if items[-1:] != ["None"] and items[-1:] != ["np.newaxis"]:
        return None
    new = items.pop()
    while len(items) < -queries - 1 or items[queries + 1] == "...":
        if "..." not in items:
            return None
        items.insert(items.index("...") + 1, ":")
    items.insert(len(items) + queries + 1, new)
    return f"{bracketed(view, node.value)}[{', '.join(items)}]"


def _with_fast_part(report: Report, view: View) -> Iterator[Candidate]:
    """``i // p`` for ``i % t`` and for ``i // t`` of tokens merged as ``(t p)``."""
    found, node = view.remembered(slow_part, report.operation), report.node
    text = None if found is None else size_text(report, view, found.fast)
    if text is not None and isinstance(node, cst.BinaryOperation):
        written = f"{view.source.code(node.left)} // {text}"
        yield edit(node, written, "count with the part that changes fast", safe=False)
