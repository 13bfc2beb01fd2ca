"""Causal masks over keys from a cache: a flag set only without one, a border that is moved."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import libcst as cst

from attncheck.checks.behind_keys import Behind, behind
from attncheck.checks.joined_triangles import behind_triangle
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Creation, Selection, Triangle
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.wording import bracketed, call_with
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


def moved_border(report: Report, view: View) -> Iterator[Candidate]:
    """``tril(diagonal=S - T)``: the border of a triangle where the queries' own keys stand."""
    triangle, node = report.operation, report.node
    if isinstance(triangle.event, Selection) and isinstance(node, cst.Subscript):
        yield from _other_rows(node, view)
    if not isinstance(triangle.event, Triangle) or not isinstance(node, cst.Call):
        return
    sizes = _sizes_written(triangle, view)
    if sizes is None or view.remembered(behind_triangle, triangle) is None:
        return
    upper = triangle.event.kind == "triu"
    text = f"{sizes[1]} - {sizes[0]}{' + 1' if upper else ''}"
    given = next((each for each in triangle.operands if each.name == "diagonal"), None)
    words = "let the last query see the last key"
    if given is not None and given.node is not None:
        yield edit(given.node, text, words, safe=False)
    elif given is None:
        word = "diagonal" if triangle.spelling.startswith("torch") else "k"
        yield edit(node, call_with(view, node, f"{word}={text}"), words, safe=False)


def _other_rows(node: cst.Subscript, view: View) -> Iterator[Candidate]:
    """``table[S - T : S, :S]``: the rows of the last T positions in the place of the first T."""
    rows, columns = (element.slice for element in node.slice[-2:])
    if not isinstance(rows, cst.Slice) or not isinstance(columns, cst.Slice):
        return
    if rows.upper is not None and columns.upper is not None:
        count, total = bracketed(view, rows.upper), bracketed(view, columns.upper)
        words = "take the rows of the last positions"
        yield edit(rows, f"{total} - {count} : {total}", words, safe=False)


def _sizes_written(triangle: Operation, view: View) -> tuple[str, str] | None:
    """How the numbers of queries and of keys are written where a mask is made; None if unseen."""
    made = None if triangle.source is None else view.graph.maker(triangle.source)
    call = None if made is None or made.elsewhere else made.node
    if made is None or not isinstance(made.event, Creation) or not isinstance(call, cst.Call):
        return None
    given = [argument.value for argument in call.args if argument.keyword is None]
    if given and isinstance(given[0], cst.Tuple | cst.List):
        given = [element.value for element in given[0].elements]
    if len(given) < 2:
        return None
    rows, columns = (bracketed(view, each) for each in given[-2:])
    return rows, columns


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
