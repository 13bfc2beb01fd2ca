"""Triangles that a name calls a causal mask, and that show the next position however they are read.

A triangle of ones that keeps ``j <= i`` is causal where it says what is seen, one that has ones for
``j > i`` where it says what is hidden. With ones for ``j <= i + 1``, or for ``j > i + 1``, each
query sees a key that is still to come. What hides a position from itself too may be meant so, and
what is transposed afterwards is read the other way.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.evidence.identifiers import names_causal
from attncheck.graph import Operation
from attncheck.operators.events import Permutation, Triangle
from attncheck.rule import Rule
from attncheck.values.value import as_tensor

#: Operators that exchange axes, also where no shape is known.
_TURNS = frozenset({"swap", "permute", "permute_all", "transpose_matrix", "matrix_transpose"})


def off_by_name(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each triangle of ones that is called causal and is not."""
    for made in view.graph.operations:
        event, output = made.event, as_tensor(made.output)
        if made.elsewhere or not isinstance(event, Triangle) or output is None:
            continue
        mark = view.meanings.mark(output)
        claim = None if mark is None or mark.is_constant else mark.causal()
        reach = 0 if claim is None or claim.reach is None else claim.reach
        if reach < 1 or not _is_called_causal(made, view) or _is_turned(made, view):
            continue
        yield Report(
            rule,
            made,
            made.node,
            f"`{view.quote(made.node)}` is called causal, but shows the next position: of query i"
            f" it has the keys up to i + {reach}",
            Culprit(made.node, output),
            view.sizes(output),
            "the same shape, with ones where j <= i for what is seen (tril), or where j > i for"
            " what is hidden (triu from the first diagonal above)",
            named=True,
            local=True,
            worded=True,
        )


def _is_turned(made: Operation, view: View) -> bool:
    """Whether rows and columns of what an operation gave are exchanged later, or may be."""
    return any(
        isinstance(later.event, Permutation) or later.kind in _TURNS
        for later in view.graph.derived(made)
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
