"""Triangles that a name calls a causal mask, off by one whichever way they are read.

A triangle of ones that keeps ``j <= i`` is causal where it says what is seen, one that has ones for
``j > i`` where it says what is hidden. Any other shows the next position, or hides a position from
itself, and so does one triangle put where the other was meant.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.evidence.identifiers import names_causal
from attncheck.graph import Operation
from attncheck.operators.events import Triangle
from attncheck.rule import Rule
from attncheck.values.value import as_tensor

_SHOWN = "of query i it has the keys up to i + {}, of which the last is still to come"
_TURNED = (
    "it has the keys from i on: read as what is seen, each query sees itself and what comes after,"
    " and read as what is hidden, no query sees itself and the first one nothing"
)


def off_by_name(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each triangle of ones that is called causal and is not."""
    for made in view.graph.operations:
        event, output = made.event, as_tensor(made.output)
        if made.elsewhere or not isinstance(event, Triangle) or output is None:
            continue
        mark = view.meanings.mark(output)
        claim = None if mark is None or mark.is_constant else mark.causal()
        if claim is None or not claim.reach or not _is_called_causal(made, view):
            continue
        if claim.reach > 0 or (claim.reach == -1 and event.kind == "triu"):
            words = _SHOWN.format(claim.reach) if claim.reach > 0 else _TURNED
            yield Report(
                rule,
                made,
                made.node,
                f"`{view.quote(made.node)}` is called causal, but {words}",
                Culprit(made.node, output),
                view.sizes(output),
                "the same shape, with ones where j <= i for what is seen (tril), or where j > i for"
                " what is hidden (triu from the first diagonal above)",
                named=True,
                local=True,
            )


def _is_called_causal(made: Operation, view: View) -> bool:
    """Whether the function that makes a triangle, or what it is assigned to, is called causal."""
    function = made.place.function.rpartition(".")[2]
    names = [function] if "mask" in function.lower() else []
    statement = made.statement
    for part in getattr(statement, "body", ()) if statement is not None else ():
        if type(part) is cst.Assign:
            names += [view.code(target.target) for target in part.targets]
    return any(map(names_causal, names))
