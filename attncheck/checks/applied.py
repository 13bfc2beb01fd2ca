"""Whether what an argument brings ever reaches a result of its function, by the text alone.

Reading an argument into other names, or to decide what these become, is no use of it as long as
none of them is used either. Checking it (``assert``, ``raise``) is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from attncheck.record import record
from attncheck.tree.pairs import inner

#: Names that reach every local variable.
_ALL_LOCALS = frozenset({"locals", "vars", "eval", "exec"})
_CHECKS = (cst.Assert, cst.Raise, cst.Del, cst.Pass, cst.Global, cst.Nonlocal, cst.Import)


@record
class _Flow:
    """Names that are read, and those that hold what comes of it; None where it is put to use."""

    reads: frozenset[str]
    into: frozenset[str] | None


def is_applied(function: cst.FunctionDef, name: str) -> bool:
    """Whether a function puts its argument `name` to use."""
    flows = list(_flows(function.body))
    if any(flow.reads & _ALL_LOCALS for flow in flows):
        return True
    held = {name}
    while True:
        before = len(held)
        for flow in flows:
            if flow.reads & held:
                if flow.into is None:
                    return True
                held |= flow.into
        if len(held) == before:
            return False


def _flows(block: cst.CSTNode) -> Iterator[_Flow]:
    """What each statement of a block reads, and into which names."""
    for statement in _statements(block):
        if isinstance(statement, cst.If):
            yield from _branches(statement)
        elif isinstance(statement, cst.For):
            yield _Flow(_names(statement.iter), _targets([statement.target]))
            yield from _nested(statement)
        elif isinstance(statement, cst.While | cst.Try | cst.TryStar):
            test = getattr(statement, "test", None)
            if test is not None:
                yield _Flow(_names(test), None)
            yield from _nested(statement)
        elif isinstance(statement, cst.BaseCompoundStatement):
            yield _Flow(_names(statement), None)
        elif not isinstance(statement, _CHECKS):
            yield _simple(statement)


def _statements(block: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for part in getattr(block, "body", ()):
        if isinstance(part, cst.SimpleStatementLine | cst.SimpleStatementSuite):
            yield from part.body
        else:
            yield part


def _nested(statement: cst.CSTNode) -> Iterator[_Flow]:
    """The flows of a loop's or a try's blocks."""
    for name in ("body", "orelse", "finalbody"):
        part = getattr(statement, name, None)
        if part is not None:
            yield from _flows(part if name == "body" else part.body)
    for handler in getattr(statement, "handlers", ()):
        yield from _flows(handler.body)


def _branches(statement: cst.If) -> Iterator[_Flow]:
    """The flows of the branches, and from the test into whatever they decide."""
    inside = list(_flows(statement.body))
    other = statement.orelse
    if isinstance(other, cst.If):
        inside += _branches(other)
    elif other is not None:
        inside += _flows(other.body)
    yield from inside
    decided: set[str] = set()
    for flow in inside:
        if flow.into is None and (flow.reads or not _is_silent(flow)):
            yield _Flow(_names(statement.test), None)
            return
        decided |= flow.into or frozenset()
    yield _Flow(_names(statement.test), frozenset(decided))


def _is_silent(flow: _Flow) -> bool:
    """Whether a statement does nothing: a docstring, an ellipsis."""
    return flow.into is None and not flow.reads


def _simple(statement: cst.CSTNode) -> _Flow:
    if isinstance(statement, cst.Assign):
        targets = [each.target for each in statement.targets]
        return _assigned(targets, _names(statement.value))
    if isinstance(statement, cst.AugAssign):
        target = statement.target
        return _assigned([target], _names(statement.value) | _names(target))
    if isinstance(statement, cst.AnnAssign):
        value = frozenset[str]() if statement.value is None else _names(statement.value)
        return _assigned([statement.target], value)
    reads = _names(statement)
    if isinstance(statement, cst.Return):
        reads |= {""}
    return _Flow(reads, None)


def _assigned(targets: list[cst.BaseAssignTargetExpression], reads: frozenset[str]) -> _Flow:
    into = _targets(targets)
    if into is None:
        return _Flow(reads.union(*(_names(target) for target in targets)), None)
    return _Flow(reads, into)


def _targets(targets: Iterable[cst.BaseExpression]) -> frozenset[str] | None:
    """The names that are assigned to; None if anything else is written to."""
    names: set[str] = set()
    waiting = list(targets)
    while waiting:
        target = waiting.pop()
        if isinstance(target, cst.Tuple | cst.List):
            waiting += [element.value for element in target.elements]
        elif isinstance(target, cst.Name):
            names.add(target.value)
        else:
            return None
    return frozenset(names)


def _names(node: cst.CSTNode) -> frozenset[str]:
    """The names that an expression or a statement reads."""
    names: set[str] = set()
    waiting: list[cst.CSTNode] = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, cst.Name):
            names.add(each.value)
        elif isinstance(each, cst.Attribute | cst.Arg):
            waiting.append(each.value)
        else:
            waiting += inner(each)
    return frozenset(names)
