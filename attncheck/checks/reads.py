"""Whether a name of a function is ever read: what is never read has been made for nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from attncheck.checks.view import View
from attncheck.tree.pairs import inner, parts

_GROUPS = (cst.Tuple, cst.List)


def is_read(name: str, scope: cst.CSTNode, view: View) -> bool:
    """Whether a scope reads a name, for more than to assign it again: ``x = x.flip(1)``.

    What is not certain counts as read: an attribute or an argument that is called so.
    """
    return any(_is_named(part, name, view) for part in _read(scope, name))


def is_kept(target: cst.CSTNode, name: str, node: cst.CSTNode, view: View) -> bool:
    """Whether what a target gave a name is read up to the statement of ``node``, or after it.

    It does not if that statement gives the name something else: ``q, k = turn(q), turn(q)``.
    """
    (block, line), (home, made) = _statement(node, view), _statement(target, view)
    if line is None or made is None or block is not home:
        return True
    assigned = [each for each in line.body if isinstance(each, cst.Assign)]
    given = {part for each in assigned for to in each.targets for part in targets_in(to.target)}
    if all(part.value != name for part in given):
        return True
    start, end = view.source.span(made).end_line, view.source.span(line).end_line
    between = [each for each in inner(block) if start < view.line(each) <= end]
    return any(
        _is_named(part, name, view) for each in between for part in parts(each) if part not in given
    )


def _statement(node: cst.CSTNode, view: View) -> tuple[cst.CSTNode, cst.SimpleStatementLine | None]:
    """The block and the line that an expression stands in; no line in the head of a block."""
    way = view.source.around(node)
    for block, line in zip(reversed(way[:-1]), reversed(way[1:]), strict=True):
        if isinstance(line, cst.SimpleStatementLine):
            return block, line
    return view.source.module, None


def _is_named(node: cst.CSTNode, name: str, view: View) -> bool:
    if isinstance(node, cst.FormattedString):
        return re.search(rf"\b{re.escape(name)}\b", view.source.code(node)) is not None
    return isinstance(node, cst.Name) and node.value == name


def _read(node: cst.CSTNode, name: str) -> Iterator[cst.CSTNode]:
    """A node and what is inside of it, but for targets and for what a name is given from itself."""
    yield node
    targets = [each.target for each in node.targets] if isinstance(node, cst.Assign) else []
    turns = [node.target] if isinstance(node, cst.For) else []
    skipped: set[cst.CSTNode] = {
        part for target in (*targets, *turns) for part in targets_in(target)
    }
    if isinstance(node, cst.Assign):
        for target in targets:
            skipped.update(_given_itself(target, node.value, name))
    for child in inner(node):
        yield from _unless(child, skipped, name)


def _given_itself(target: cst.CSTNode, value: cst.CSTNode, name: str) -> Iterator[cst.CSTNode]:
    """What a name is given in an assignment, also beside others: ``q, k = turn(q), turn(k)``."""
    if isinstance(target, cst.Name) and target.value == name:
        yield value
    if not isinstance(target, _GROUPS) or not isinstance(value, _GROUPS):
        return
    if len(target.elements) == len(value.elements):
        for to, given in zip(target.elements, value.elements, strict=True):
            yield from _given_itself(to.value, given.value, name)


def _unless(node: cst.CSTNode, skipped: set[cst.CSTNode], name: str) -> Iterator[cst.CSTNode]:
    """What is read in a node, if it is not left out, or in what of it is not."""
    if node in skipped:
        return
    if skipped and isinstance(node, (cst.AssignTarget, cst.Element, *_GROUPS)):
        for child in inner(node):
            yield from _unless(child, skipped, name)
        return
    yield from _read(node, name)


def targets_in(target: cst.CSTNode) -> Iterator[cst.Name]:
    """The names that an assignment gives something to."""
    if isinstance(target, cst.Name):
        yield target
    elif isinstance(target, _GROUPS):
        for element in target.elements:
            yield from targets_in(element.value)
