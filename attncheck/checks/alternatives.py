"""Places of a function of which one condition lets only one run, though it is written twice.

``q = q if flash else q * scale`` and, further down, ``if flash: x = sdpa(q, k, v)``: what is scaled
never gets there.
"""

from __future__ import annotations

import itertools

import libcst as cst

from attncheck.checks.view import View


def are_alternatives(first: cst.CSTNode, second: cst.CSTNode, view: View) -> bool:
    """Whether two pieces of code stand in opposite branches of one condition, as it is written."""
    here, there = (_conditions(node, view) for node in (first, second))
    return any(there.get(test, taken) is not taken for test, taken in here.items())


def _conditions(node: cst.CSTNode, view: View) -> dict[str, bool]:
    """The conditions around a piece of code, by their text, and whether each holds there."""
    found: dict[str, bool] = {}
    for outer, inner in itertools.pairwise(view.source.around(node)):
        if isinstance(outer, cst.If | cst.IfExp) and inner is not outer.test:
            test, holds = outer.test, inner is outer.body
            if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
                test, holds = test.expression, not holds
            found[view.code(test)] = holds
    return found
