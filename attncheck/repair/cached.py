"""A causal flag over keys from a cache: set only without one, or a mask for what is joined."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import libcst as cst

from attncheck.checks.behind_keys import Behind, behind
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.tree.pairs import parts

_FLAG = "is_causal"


def without_cache(report: Report, view: View) -> Iterator[Candidate]:
    """Causal only where nothing was joined; for one query not at all; else by a mask."""
    found, node = view.remembered(behind, report.operation), report.node
    given = _flag_of(node)
    if found is None or given is None:
        return
    event = report.operation.event
    size = getattr(getattr(event, "query", None), "size", None)
    if size is not None and size.number == 1:
        yield edit(given.value, "False", "let one query see all keys", safe=False)
    name = _asked(found, view)
    if name is not None:
        words = f"causal without {name} alone: right for one new query at a time"
        yield edit(given.value, f"{name} is None", words, safe=False)
    mask = _mask(report, view)
    if mask is not None:
        changes = (Change(given, mask),)
        yield Candidate(changes, "line the mask up with the last query and key", safe=False)


def _flag_of(node: cst.CSTNode) -> cst.Arg | None:
    """The argument that asks for a causal mask, if it is written as a keyword."""
    arguments = node.args if isinstance(node, cst.Call) else ()
    keywords = ((each, each.keyword) for each in arguments)
    return next((each for each, word in keywords if word and word.value == _FLAG), None)


# -- what decides about the join -------------------------------------------------------------------


def _asked(found: Behind, view: View) -> str | None:
    """The name of which nothing but that it is None decides whether keys are joined; or None."""
    asked = [
        (outer, chosen)
        for outer, chosen in itertools.pairwise(found.way)
        if isinstance(outer, cst.If | cst.IfExp) and outer not in found.attention
    ]
    if len(asked) != 1:
        return None
    ((outer, chosen),) = asked
    name, known = _compared(outer.test)
    joins = chosen is outer.body
    if name is None or joins is not known or chosen is outer.test:
        return None
    return name if _keeps(name, found, outer, view) else None


def _compared(test: cst.BaseExpression) -> tuple[str | None, bool]:
    """The name that a condition compares with None, and whether it wants it to be something."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return None, False
    (target,) = test.comparisons
    none = isinstance(target.comparator, cst.Name) and target.comparator.value == "None"
    if not none or not isinstance(test.left, cst.Name):
        return None, False
    if not isinstance(target.operator, cst.Is | cst.IsNot):
        return None, False
    return test.left.value, isinstance(target.operator, cst.IsNot)


def _keeps(name: str, found: Behind, outer: cst.CSTNode, view: View) -> bool:
    """Whether a name is what it was at the join when the attention is called."""
    inside = next(each for each in reversed(found.way) if isinstance(each, cst.FunctionDef))
    start, end = view.source.span(outer), view.source.span(found.attention[-1])
    return not any(
        start < view.source.span(target) < end and _names(target, name)
        for each in parts(inside)
        for target in _targets(each)
    )


def _targets(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if isinstance(node, cst.AssignTarget | cst.AnnAssign | cst.AugAssign | cst.For | cst.NamedExpr):
        yield node.target


def _names(target: cst.CSTNode, name: str) -> bool:
    return any(isinstance(each, cst.Name) and each.value == name for each in parts(target))


# -- a mask for whatever is joined -----------------------------------------------------------------


def _mask(report: Report, view: View) -> str | None:
    """A mask of torch with a row for each query, of which the last one sees all keys."""
    given = {operand.name: operand for operand in report.operation.operands}
    torch = re.search(r"^import torch(?: as (\w+))?\s*$", view.source.text, re.MULTILINE)
    query, key = given["query"].node, given["key"].node
    spelled = report.operation.spelling.startswith("torch")
    if torch is None or not spelled or "mask" in given:
        return None
    if not isinstance(query, cst.Name) or not isinstance(key, cst.Name):
        return None
    module, q, k = torch[1] or "torch", query.value, key.value
    sizes = f"{q}.size(-2), {k}.size(-2)"
    ones = f"{module}.ones({sizes}, dtype={module}.bool, device={q}.device)"
    return f"attn_mask={ones}.tril({k}.size(-2) - {q}.size(-2))"
