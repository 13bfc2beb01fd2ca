"""Candidate fixes further back: an axis or a step of what an operand was made by, written anew.

Where nothing at the failing line mends it, one of the steps before may name a wrong axis, or turn
what should not be turned. Each of the other axes it could name is tried, the nearest step first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, islice, pairwise
from typing import Final

import libcst as cst

from attncheck.attention import behind
from attncheck.checks.constructed import constructor
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.wording import argument_of, call_with

#: Steps that are looked at, and what is tried for each of them.
_NEAR: Final = 10
_MOST_RANK: Final = 5


def earlier_steps(report: Report, view: View) -> Iterator[Candidate]:
    """The steps behind an operation, each with another axis, or left out."""
    seen: set[cst.CSTNode] = set()
    for _, tensor in report.operation.tensors():
        for made in islice(behind(view.graph, tensor), _NEAR):
            vary = _VARIED.get(made.kind)
            if made.elsewhere or vary is None or made.node in seen:
                continue
            if made.place != report.operation.place and made.kind not in _SIZED:
                continue  # what a helper does it does for others, too
            seen.add(made.node)
            if isinstance(made.node, cst.Call):
                yield from vary(made, made.node, view)


def _rank(made: Operation, view: View) -> int:
    """The number of axes of what a step is given; 0 if nobody knows."""
    sources = [view.shape(tensor) for _, tensor in made.tensors()]
    ranks = [shape.rank for shape in sources if shape is not None and shape.rank is not None]
    return min(max(ranks, default=0), _MOST_RANK)


def _other_axes(made: Operation, node: cst.Call, view: View) -> Iterator[Candidate]:
    """Another axis for the one that a step names."""
    argument = argument_of(node)
    rank = _rank(made, view)
    if argument is None or not rank:
        return
    written = view.code(argument)
    count = rank + 1 if made.kind in _NEW else rank
    number = int(written) if written.lstrip("-").isdigit() else None
    if number is None:
        return
    for axis in range(count - 1, -1, -1):
        if axis != number % count:
            text = str(axis - count) if written.startswith("-") else str(axis)
            yield edit(argument, text, f"name axis {text}", safe=False)


def _left_out(made: Operation, node: cst.Call, view: View) -> Iterator[Candidate]:
    """A step left out: what it is given as it is."""
    if isinstance(node.func, cst.Attribute) and made.spelling.partition(".")[2].startswith("T"):
        receiver = node.func.value
        words = f"leave out .{node.func.attr.value}"
        yield edit(node, view.source.code(receiver), words, safe=False)


def _other_pairs(made: Operation, node: cst.Call, view: View) -> Iterator[Candidate]:
    """Two other axes exchanged, or none."""
    arguments = [argument.value for argument in node.args][-2:]
    rank = _rank(made, view)
    written = [view.code(argument) for argument in arguments]
    if len(arguments) != 2 or not all(each.lstrip("-").isdigit() for each in written):
        return
    for pair in combinations(range(1, rank), 2):  # the batch stays in front
        if {int(each) % rank for each in written} != set(pair):
            text = ", ".join(map(str, pair))
            changed = view.source.code(node)
            end = changed.rfind(written[0] + "," if written[0] + "," in changed else written[0])
            yield edit(node, f"{changed[:end]}{text})", f"exchange axes {text}", safe=False)
    yield from _left_out(made, node, view)


def _exchanged_sizes(made: Operation, node: cst.Call, view: View) -> Iterator[Candidate]:
    """Two sizes that stand side by side in the place of each other."""
    for sizes in _lists_of_sizes(node):
        for one, other in pairwise(sizes):
            texts = [view.source.code(each) for each in (one, other)]
            if texts[0] != texts[1]:
                changes = (Change(one, texts[1]), Change(other, texts[0]))
                words = f"exchange {texts[0]} and {texts[1]}"
                yield Candidate(changes, words, safe=False, same_size=True)


def _lists_of_sizes(node: cst.Call) -> Iterator[list[cst.BaseExpression]]:
    """The expressions of sizes that a call is given, in one tuple or side by side."""
    for argument in node.args:
        if isinstance(argument.value, cst.Tuple | cst.List):
            yield [element.value for element in argument.value.elements]
    plain = [argument.value for argument in node.args if argument.keyword is None]
    yield [each for each in plain if not isinstance(each, cst.Tuple | cst.List)]


def _all_features(made: Operation, node: cst.Call, view: View) -> Iterator[Candidate]:
    """The last two axes projected together by what projects the last one: all heads at once."""
    making, _ = constructor(view, made)
    if making is None:
        return
    words = "project the last two axes together"
    named = [each.value for each in making.args if each.keyword and each.keyword.value == "axis"]
    second = [each.value for each in making.args[1:2] if each.keyword is None]
    axis = next(iter([*named, *second]), None)
    if axis is None:
        yield edit(making, call_with(view, making, "axis=(-2, -1)"), words, safe=False)
    else:  # an edit is made between the brackets of a tuple
        text = "-2, -1" if isinstance(axis, cst.Tuple) else "(-2, -1)"
        yield edit(axis, text, words, safe=False)


def _then(*ways: Callable[[Operation, cst.Call, View], Iterator[Candidate]]) -> _Vary:
    def vary(made: Operation, node: cst.Call, view: View) -> Iterator[Candidate]:
        for way in ways:
            yield from way(made, node, view)

    return vary


_Vary = Callable[[Operation, cst.Call, View], Iterator[Candidate]]
#: Steps that put in an axis.
_NEW: Final = frozenset({"unsqueeze", "stack"})
#: Steps that are given sizes.
_SIZED: Final = frozenset({"resize"})
#: What is tried for a step, by the name of its operator.
_VARIED: Final[dict[str, _Vary]] = {
    "swap": _other_pairs,
    "concatenate": _other_axes,
    "stack": _other_axes,
    "chunk": _other_axes,
    "split": _other_axes,
    "unsqueeze": _then(_other_axes, _left_out),
    "squeeze": _then(_other_axes, _left_out),
    "permute_all": _left_out,
    "reduce": _other_axes,
    "resize": _exchanged_sizes,
    "dense_general": _all_features,
}
