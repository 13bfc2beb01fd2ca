"""A layer made for the other layout, batch first or time first; heads in front of positions."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.cells_over_batch import OverBatch, over_batch
from attncheck.checks.constructed import layer_of, name_of_layer
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.operators.events import Attention
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.wording import bracketed, call_with, exchanged
from attncheck.tree.pairs import parts
from attncheck.values.value import TRUE


def other_layout(report: Report, view: View) -> Iterator[Candidate]:
    """The constructor with ``batch_first`` turned, or added; axes of what is given exchanged."""
    for found in view.once(over_batch):
        if found.loop.iter is report.node:
            yield from _step_by_step(found, view)
            return
    if isinstance(report.operation.event, Attention) and report.layer is None:
        yield from _heads_first(report, view)
    if report.moved is not None and report.culprit is not None:
        one, other = report.moved
        yield edit(
            report.culprit.node,
            exchanged(view, report.culprit.node, report.culprit.tensor, one, other),
            f"exchange axes {one} and {other}",
            safe=False,
        )
        return
    if not isinstance(report.layer, cst.Call):
        return
    given = next((each for each in report.operation.operands if each.name == "batch_first"), None)
    # A function that packs or unpacks keeps nothing that an assert could ask.
    made = layer_of(report.operation) is not None
    name = name_of_layer(view, report.layer) if made else None
    if given is None:
        text = call_with(view, report.layer, "batch_first=True")
        yield _made(report.layer, text, name, first=True)
    elif given.node is not None:
        first = given.value != TRUE
        yield _made(given.node, str(first), name, first=first)


def _step_by_step(found: OverBatch, view: View) -> Iterator[Candidate]:
    """The loop along the steps, and what it has gathered stacked along them."""
    steps = f"{bracketed(view, found.loop.iter)}.unbind(dim=1)"
    change = Change(found.loop.iter, steps)
    around = view.source.around(found.loop)
    scope = next((node for node in reversed(around) if isinstance(node, cst.FunctionDef)), None)
    stacked = [
        part
        for part in (() if scope is None else parts(scope.body))
        if isinstance(part, cst.Call)
        and isinstance(part.func, cst.Attribute)
        and part.func.attr.value == "stack"
        and len(part.args) == 1
    ]
    words = "go through the steps"
    if len(stacked) == 1:
        along = Change(stacked[0], call_with(view, stacked[0], "dim=1"))
        yield Candidate((change, along), words, safe=False, several=True)
    yield Candidate((change,), words, safe=False)


def _heads_first(report: Report, view: View) -> Iterator[Candidate]:
    """Queries, keys and values with their heads in front of the positions, and the result back."""
    sizes = view.sizes(report.culprit.tensor) if report.culprit is not None else None
    nodes = [operand.node for operand, _ in report.operation.tensors()][:3]
    if sizes is None or None in nodes or not report.operation.spelling.startswith("torch."):
        return
    swap = f".transpose({len(sizes) - 3}, {len(sizes) - 2})"
    parts = [Change(node, f"{bracketed(view, node)}{swap}") for node in nodes if node is not None]
    words = "transpose the heads in front of the positions"
    # Where the result is turned already, that is right as soon as what goes in is.
    yield Candidate(tuple(parts), words, safe=False)
    yield Candidate((*parts, Change(report.node, swap, after=True)), words, safe=False)


def _made(node: cst.CSTNode, text: str, name: str | None, *, first: bool) -> Candidate:
    attribute = f"{'' if first else 'not '}{name}.batch_first"
    proof = None if name is None else f"assert {attribute}"
    return Candidate((Change(node, text),), f"batch_first={first}", safe=False, proof=proof)
