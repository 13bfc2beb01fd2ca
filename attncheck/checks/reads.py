"""Whether a name of a function is ever read: what is never read has been made for nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from attncheck.checks.view import View
from attncheck.tree.pairs import inner, parts

_GROUPS = (cst.Tuple, cst.List)
_WORD = re.compile(r"\w+")


def is_read(name: str, scope: cst.CSTNode, view: View) -> bool:
    """Whether a scope reads a name, for more than to assign it again: ``x = x.flip(1)``.

    What is not certain counts as read: an attribute or an argument that is called so.
    """
    known = view.once(_known)
    if scope not in known:
        known[scope] = set(_names_read(scope, view))
    return name in known[scope]


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
    lines = inner(block)
    between = lines[lines.index(made) + 1 : lines.index(line) + 1]
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
        return name in _WORD.findall(view.source.code(node))
    return isinstance(node, cst.Name) and node.value == name


def _known(_: View) -> dict[cst.CSTNode, set[str]]:
    """The names that a scope reads, once they have been asked for."""
    return {}


def _names_read(scope: cst.CSTNode, view: View) -> Iterator[str]:
    """The names that are read in a scope, but for what a name is given from itself."""
    waiting: list[tuple[cst.CSTNode, frozenset[str]]] = [(scope, frozenset())]
    while waiting:
        node, given = waiting.pop()
        if isinstance(node, cst.Name):
            yield from {node.value} - given
        elif isinstance(node, cst.FormattedString):
            yield from set(_WORD.findall(view.source.code(node))) - given
        elif isinstance(node, cst.Assign):
            targets = [each.target for each in node.targets]
            waiting += ((part, given) for target in targets for part in _written_to(target))
            waiting += ((part, given | own) for part, own in _given(node.value, targets))
        elif isinstance(node, cst.For):
            waiting += ((part, given) for part in _written_to(node.target))
            waiting += ((part, given) for part in inner(node) if part is not node.target)
        else:
            waiting += ((part, given) for part in inner(node))


def _given(
    value: cst.BaseExpression, targets: Sequence[cst.BaseExpression]
) -> Iterator[tuple[cst.CSTNode, frozenset[str]]]:
    """The parts of an assigned value, each with the names that it is given to.

    Those side by side have their own: ``q, k = turn(q), turn(k)``.
    """
    own = frozenset(target.value for target in targets if isinstance(target, cst.Name))
    groups = [target for target in targets if isinstance(target, _GROUPS)]
    if not isinstance(value, _GROUPS) or not groups:
        yield value, own
        return
    for index, element in enumerate(value.elements):
        beside = [
            group.elements[index].value
            for group in groups
            if len(group.elements) == len(value.elements)
        ]
        for part, names in _given(element.value, beside):
            yield part, own | names


def _written_to(target: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What of a target is no name that it gives something to: ``scores[mask]``."""
    if isinstance(target, _GROUPS):
        for element in target.elements:
            yield from _written_to(element.value)
    elif not isinstance(target, cst.Name):
        yield target


def targets_in(target: cst.CSTNode) -> Iterator[cst.Name]:
    """The names that an assignment gives something to."""
    if isinstance(target, cst.Name):
        yield target
    elif isinstance(target, _GROUPS):
        for element in target.elements:
            yield from targets_in(element.value)
