"""Candidate fixes for a recurrent layer's states that still have the axis of its layers.

``(layers, B, H)`` is meant as the state of the last layer, ``(B, H)``, or as one of a single step.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.constructed import layer_of
from attncheck.checks.report import Report
from attncheck.checks.runs import runs
from attncheck.checks.view import View
from attncheck.graph import Operand
from attncheck.operators.events import Elementwise
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.wording import bracketed
from attncheck.values.tensor import Tensor


def top_layer(report: Report, view: View) -> Iterator[Candidate]:
    """The state of the last layer in the place of all of them, alone or as one step."""
    states = [state for run in runs(view) if not run.both for state in run.states]
    if not states or report.operation.elsewhere:
        return
    for operand, tensor in report.operation.tensors():
        node = _state(operand, tensor, states, view)
        if node is not None:
            code = f"{bracketed(view, node)}[-1]"
            yield edit(node, code, "take the state of the last layer", safe=False)
            words = "take the state of the last layer, as one step"
            yield edit(node, f"{code}.unsqueeze(1)", words, safe=False)


def _state(
    operand: Operand, tensor: Tensor, states: list[Tensor], view: View
) -> cst.CSTNode | None:
    """The expression of the states in an operand, behind a projection or a function of each."""
    while not any(tensor is state for state in states):
        made = view.maker(tensor)
        if made is None or made.node is not operand.node:
            return None
        sources = list(made.tensors())
        if layer_of(made) is None and not (
            isinstance(made.event, Elementwise) and len(sources) == 1
        ):
            return None
        if not sources:
            return None
        operand, tensor = sources[0]
    return operand.node
