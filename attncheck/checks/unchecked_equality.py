"""Dot attention needs ``d_s == d_h``, which should be asserted where nothing else says so.

Luong et al. 2015, section 3.1: the score "dot" is only defined for states of one size.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.facts import Verdict
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Contraction
from attncheck.rule import Rule

RULE = Rule(
    "ATN602",
    "unchecked-equality",
    "right only if two independent sizes are equal, and nothing checks it",
    "note",
    fix="none",
)
ON = (Contraction,)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Note a product of two states whose sizes have different names and are not compared."""
    event = operation.event
    tensors = list(operation.tensors())
    if not isinstance(event, Contraction) or len(tensors) != 2 or operation.clash is not None:
        return
    for pair in event.pairs:
        if pair.left.size is None or pair.right.size is None or not view.facts.open_pair:
            continue
        names = {str(pair.left.size), str(pair.right.size)}
        if names != view.facts.open_pair:
            continue
        if view.facts.compare(pair.left.size, pair.right.size) is Verdict.EQUAL:
            continue
        if view.coincide(pair.left.size, pair.right.size):
            continue
        operand, tensor = tensors[1]
        if operand.node is None:
            return
        yield Report(
            RULE,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` is right only if {pair.left.size} =="
            f" {pair.right.size}, which nothing checks",
            Culprit(operand.node, tensor),
            view.sizes(tensor),
            "dot scores are defined for a query and keys of one size",
        )
        return
