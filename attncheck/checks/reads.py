"""Whether a name of a function is ever read: what is never read has been made for nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from attncheck.checks.view import View
from attncheck.tree.pairs import inner

_GROUPS = (cst.Tuple, cst.List)


def is_read(name: str, scope: cst.CSTNode, view: View) -> bool:
    """Whether a scope reads a name, for more than to assign it again: ``x = x.flip(1)``.

    What is not certain counts as read: an attribute or an argument that is called so.
    """
    return any(_is_named(part, name, view) for part in _read(scope, name))


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
    itself = any(isinstance(part, cst.Name) and part.value == name for part in targets)
    if itself and isinstance(node, cst.Assign):
        skipped.add(node.value)
    for child in inner(node):
        yield from _unless(child, skipped, name)


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
