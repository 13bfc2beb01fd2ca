"""Attention weights shown as the reason for a prediction, with nothing beside them that tests it.

Weights say where a layer looked, not what the prediction rests on: other weights often give the
same one (Jain and Wallace 2019, "Attention is not Explanation"; Wiegreffe and Pinter 2019,
"Attention is not not Explanation", section 3, on what a test has to be).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import COPYING, MOVES, Attention
from attncheck.rule import Rule
from attncheck.source import split_lines
from attncheck.tracer.machine import ShapeSite
from attncheck.tree.pairs import inner
from attncheck.values.value import as_tensor

if TYPE_CHECKING:
    import libcst as cst

RULE = Rule(
    "ATN701",
    "weights-as-explanation",
    "attention weights shown as the reason for a prediction, with no ablation beside them",
    severity="warning",
    fix="none",
    default=False,
)
#: What draws a matrix: of matplotlib and seaborn.
_DRAWING = frozenset({"imshow", "matshow", "heatmap", "pcolormesh", "clustermap"})
#: What a function is called that says what a prediction rests on.
_EXPLAINS = re.compile(
    r"expla(?:in|nation)|importan(?:ce|t)|attribution|relevance|salien(?:cy|t)|interpret|rationale"
)
#: What tests whether the weights matter, in a name or a comment.
_TESTS = re.compile(
    r"ablat|occlu|counterfactual|perturb|erasure|leave_one_out|integrated_?grad|captum"
    r"|\bshap\b|\blime\b|deletion|intervention|permut(?:ed|ation)_(?:weights|attention)",
    re.IGNORECASE,
)


def check_trace(view: View) -> Iterator[Report]:
    """Report weights that are drawn, or that a function returns as an explanation."""
    found = {each.softmax.number for each in view.sites if each.sums or each.scores is not None}
    weights = {id(site): made for site in view.traced.sites if (made := _maker(site, found, view))}
    if not weights or _is_tested(view.source.text):
        return
    shown = [site for site in view.traced.sites if id(site) in weights]
    for call in _drawings(view):
        name = view.base_name(call.args[0].value)
        site = next((each for each in reversed(shown) if each.name == name), None)
        if site is not None:
            yield _report(weights[id(site)], call, site, "draws them", view)
    for site in shown:
        if site.name == "return" and _EXPLAINS.search(site.function.lower()):
            yield _report(weights[id(site)], site.node, site, "gives them as a reason", view)


@functools.lru_cache(maxsize=8)
def _is_tested(text: str) -> bool:
    """Whether a file holds a test of what weights are said to explain: read once for all traces."""
    return any(_TESTS.search(line) for line in split_lines(text))


def _maker(site: ShapeSite, found: set[int], view: View) -> Operation | None:
    """The attention whose weights the value at a site is, moved or cut at most; or None."""
    tensor = as_tensor(site.value)
    shape = view.shape(tensor)
    axes = () if shape is None else (*shape.lead, *shape.trail)
    summed = {number for axis in axes for number in axis.normalised}
    while tensor is not None:
        made = view.graph.maker(tensor)
        if made is None or made.number in found:
            return made
        if isinstance(made.event, Attention):
            return made if made.number in summed else None
        if not isinstance(made.event, MOVES) and made.kind not in COPYING:
            return None
        tensor = next((source for _, source in made.tensors()), None)
    return None


def _drawings(view: View) -> Iterator[cst.Call]:
    """The calls of the traced code that draw a matrix."""
    function = view.traced.function
    for node in _own_parts(view.source.module if function is None else function.node):
        function_name = getattr(node, "func", None)
        called = getattr(function_name, "attr", function_name)
        if getattr(called, "value", "") in _DRAWING and getattr(node, "args", None):
            yield cast("cst.Call", node)


def _own_parts(root: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """All nodes of a function, or of a module but for its functions and classes."""
    waiting = list(inner(root))
    while waiting:
        node = waiting.pop()
        if type(node).__name__ not in ("FunctionDef", "ClassDef"):
            yield node
            waiting += inner(node)


def _report(made: Operation, node: cst.CSTNode, site: ShapeSite, does: str, view: View) -> Report:
    tensor = as_tensor(site.value)
    assert tensor is not None
    message = (
        f"`{view.quote(node)}` {does}: weights say where the layer looked, not what the prediction"
        " rests on; nothing here tests that it would change with them"
    )
    return Report(
        RULE,
        made,
        node,
        message,
        Culprit(node, tensor),
        view.sizes(tensor),
        "a test beside them: the change of the prediction when the positions with the largest"
        " weights are left out, against leaving out as many others",
        function=site.function,
    )
