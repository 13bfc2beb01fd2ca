"""Candidate fixes for a view where a transpose is meant: split, transpose, merge.

The elements are viewed in the pieces that they lie in, the pieces put in the order that is wanted,
and merged. Where no pieces are found, pairs of axes are exchanged before or after the view.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from attncheck.algebra.dealing import Piece, dealt, stretches
from attncheck.checks.heads import sizes_written
from attncheck.checks.pattern_names import exchanged
from attncheck.checks.pattern_splits import split_otherwise
from attncheck.checks.report import Report
from attncheck.checks.strided_stacks import stacks_strided
from attncheck.checks.view import View
from attncheck.operators.events import Reshaping
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.functions import module_for
from attncheck.repair.heads import size_text
from attncheck.repair.mapped import other_place
from attncheck.repair.put_together import in_order_of_cut
from attncheck.repair.wording import argument_of, bracketed, ordered


def transposed_view(report: Report, view: View) -> Iterator[Candidate]:
    """Views and a transpose in place of the one view, or another axis to stack along."""
    node, culprit = report.node, report.culprit
    if not isinstance(node, cst.Call) or culprit is None:
        return
    for found in view.once(stacks_strided):
        argument = argument_of(node)
        if found.stack.node is node and argument is not None:
            axis = str(found.axis + 1)
            yield edit(argument, axis, f"stack along axis {axis}", safe=False)
            return
    yield from in_order_of_cut(report, view)
    if report.moved is not None:
        yield from _cut_alike(report, view, node, culprit.tensor.library)
        return
    if report.operation.spelling.startswith("einops"):
        yield from _renamed(report, view, node)
        return
    yield from other_place(report, view)
    yield from _in_pieces(report, view, node)
    sizes = view.sizes(culprit.tensor)
    arguments = sizes_written(report.operation)
    if sizes is not None and len(arguments) < len(sizes):
        # Axes are merged: those that belong together have to stand together first.
        yield from _before(report, view)
    yield from _after(report, view, node, arguments)
    yield from _before(report, view)


# -- by the pieces ---------------------------------------------------------------------------------


def _in_pieces(report: Report, view: View, node: cst.Call) -> Iterator[Candidate]:
    """The tensor viewed in its pieces, these put in the wanted order, and merged as wanted."""
    culprit, event = report.culprit, report.operation.event
    shape = None if culprit is None else view.shape(culprit.tensor)
    if culprit is None or shape is None or not shape.closed or not isinstance(event, Reshaping):
        return
    pieces = dealt(shape.axes, event.outcome.shape.axes, view.facts)
    arguments = sizes_written(report.operation)
    if pieces is None or len(arguments) != len(event.outcome.shape.axes):
        return
    code = bracketed(view, culprit.node)
    torch = report.operation.spelling.startswith("torch")
    library = "torch" if torch else culprit.tensor.library
    module = module_for(view, library)
    verb = node.func.attr.value if isinstance(node.func, cst.Attribute) else "reshape"
    runs = stretches(pieces)
    split = len(runs) > len(shape.axes)
    if split:
        runs = [[piece] for piece in pieces]
        texts = _texts(report, view, pieces, arguments)
        if texts is None:
            return
        code = module.reshaped(code, texts) if module else f"{code}.{verb}({', '.join(texts)})"
    order = sorted(range(len(runs)), key=lambda index: runs[index][0].new)
    if order == sorted(order):
        return  # what is mixed up was so before this view
    code = module.permuted(code, order) if module else code + ordered(order, library)
    if any(len(run) > 1 for run in runs) or len(runs) > len(arguments):
        sizes = [view.code(argument) for argument in arguments]
        code = module.reshaped(code, sizes) if module else f"{code}.reshape({', '.join(sizes)})"
    yield edit(node, code, _words(order, split=split))


def _words(order: Sequence[int], *, split: bool) -> str:
    moved = [str(place) for place, index in enumerate(order) if place != index]
    axes = f"{', '.join(moved[:-1])} and {moved[-1]}"
    if split:
        return f"split in the order of the elements, then transpose {axes}"
    return f"transpose axes {axes} before they are merged"


def _texts(
    report: Report, view: View, pieces: Sequence[Piece], arguments: Sequence[cst.BaseExpression]
) -> list[str] | None:
    """How the sizes of the pieces are written: as the view writes them, or by names."""
    written: dict[int, str] = {}
    for place, argument in enumerate(arguments):
        mine = [index for index, piece in enumerate(pieces) if piece.new == place]
        factors = [argument] if len(mine) == 1 else list(_factors(argument))
        if len(factors) == len(mine):
            written |= {i: view.code(each) for i, each in zip(mine, factors, strict=True)}
    texts: list[str] = []
    for index, piece in enumerate(pieces):
        text = written.get(index) or size_text(report, view, piece.size)
        if piece.size.number is not None:
            text = str(piece.size)
        texts.append(text or "-1")
    return texts if texts.count("-1") < 2 else None


def _factors(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The factors of a product as they are written."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        yield from _factors(node.left)
        yield from _factors(node.right)
    else:
        yield node


def _cut_alike(
    report: Report, view: View, node: cst.Call, library: str | None
) -> Iterator[Candidate]:
    """An axis cut into its pieces in the other order, and these exchanged."""
    one, other = sorted(report.moved or ())
    arguments = sizes_written(report.operation)
    words = f"cut the axis alike, then transpose {one} and {other}"
    if report.operation.spelling.startswith("einops"):
        literals = [each.value for each in node.args if isinstance(each.value, cst.SimpleString)]
        for literal in literals:
            text = re.sub(r"\(\s*(\w+)\s+(\w+)\s*\)", r"(\2 \1)", literal.value, count=1)
            if 0 <= literal.value.find("(") < literal.value.find("->"):
                yield edit(literal, text, "cut the axis alike")
    elif len(arguments) > other and module_for(view, library) is None:
        torch = report.operation.spelling.startswith("torch")
        swap = f".transpose({one}, {other})" if torch else f".swapaxes({one}, {other})"
        turned = (
            Change(arguments[one], view.code(arguments[other])),
            Change(arguments[other], view.code(arguments[one])),
        )
        yield Candidate((*turned, Change(node, swap, after=True)), words)


# -- by the names of a pattern ---------------------------------------------------------------------


def _renamed(report: Report, view: View, node: cst.Call) -> Iterator[Candidate]:
    """A pattern whose left side names the axes as the patterns before it do."""
    found = [each for each in exchanged(view) if each.operation is report.operation]
    literals = [each.value for each in node.args if isinstance(each.value, cst.SimpleString)]
    split = view.remembered(split_otherwise, report.operation)
    if split is not None and len(literals) == 1:
        group = r"\s+".join(map(re.escape, split.group))
        left, arrow, right = literals[0].value.partition("->")
        text = re.sub(rf"\(\s*{group}\s*\)", f"({' '.join(split.wanted)})", left)
        yield edit(literals[0], text + arrow + right, "take the axis apart as it was merged")
        return
    if not found or len(literals) != 1:
        return
    names = dict([found[0].names, found[0].names[::-1]])
    left, arrow, right = literals[0].value.partition("->")
    renamed = re.sub(r"\w+", lambda word: names.get(word[0], word[0]), left)
    yield edit(literals[0], renamed + arrow + right, "name the axes as before")


# -- by pairs of axes ------------------------------------------------------------------------------


def _after(
    report: Report, view: View, node: cst.Call, arguments: Sequence[cst.BaseExpression]
) -> Iterator[Candidate]:
    """Split in the order that the elements have, then transpose."""
    torch = report.operation.spelling.startswith("torch")
    module = None if report.culprit is None else module_for(view, report.culprit.tensor.library)
    rank = len(arguments)
    for i in range(rank):
        for j in range(i + 1, rank):
            swap = f".transpose({i}, {j})" if torch else f".swapaxes({i}, {j})"
            words = f"split in the order of the elements, then transpose {i} and {j}"
            turned = (
                Change(arguments[i], view.code(arguments[j])),
                Change(arguments[j], view.code(arguments[i])),
            )
            if module is None:
                yield Candidate((*turned, Change(node, swap, after=True)), words)
                continue
            before, after = module.exchanged("\0", i, j, rank).split("\0")
            called = Change(node.func, before + view.code(node.func))
            yield Candidate((called, *turned, Change(node, after, after=True)), words)


def _before(report: Report, view: View) -> Iterator[Candidate]:
    """Transpose two axes back before they are merged."""
    culprit = report.culprit
    sizes = None if culprit is None else view.sizes(culprit.tensor)
    if culprit is None or sizes is None:
        return
    torch = report.operation.spelling.startswith("torch")
    module = module_for(view, culprit.tensor.library)
    code = bracketed(view, culprit.node)
    for i in range(len(sizes)):
        for j in range(i + 1, len(sizes)):
            swap = f"{code}.transpose({i}, {j})" if torch else f"{code}.swapaxes({i}, {j})"
            if module is not None:
                swap = module.exchanged(view.code(culprit.node), i, j, len(sizes))
            changes: tuple[Change, ...] = (Change(culprit.node, swap),)
            if torch and isinstance(report.node, cst.Call):
                function = report.node.func
                if isinstance(function, cst.Attribute) and function.attr.value == "view":
                    changes = (*changes, Change(function.attr, "reshape"))
            yield Candidate(changes, f"transpose axes {i} and {j} before they are merged")
