"""Lists that a call is handed and may change: ``fill(sizes)``, ``partial(Block, sizes=sizes)``.

A list is a value here, and whoever holds it sees no change that is made elsewhere. So a name whose
list is handed to what changes it, or to what nothing is known of, holds any number of items after.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.tracer.machine import Machine
from attncheck.tree.pairs import parts
from attncheck.values.join import join_all
from attncheck.values.value import (
    UNKNOWN,
    Class,
    Function,
    Imported,
    Library,
    Method,
    Sequence,
    Unknown,
    Value,
)

_CHANGES = frozenset({"append", "extend", "insert", "pop", "remove", "clear"})
_KEEPERS = frozenset({"functools.partial"})


def let_go(machine: Machine, callee: Value, node: cst.Call, result: Value) -> None:
    """Forget how many items the lists have that a call may have changed."""
    for place, argument in enumerate(node.args):
        if type(argument.value) is not cst.Name or argument.star:
            continue
        name = argument.value.value
        value = machine.environment.names.get(name)
        if type(value) is Sequence and value.mutable:
            keyword = None if argument.keyword is None else argument.keyword.value
            if _may_change(machine, callee, result, (place, keyword)):
                machine.environment.assign(name, _any_number(value))


def share(machine: Machine, before: Sequence, after: Value) -> None:
    """Let all names of one list have what has become of it: ``other = sizes; other.append(3)``."""
    names = machine.environment.names
    for name in [each for each, value in names.items() if value is before]:
        names[name] = after


def _any_number(value: Sequence) -> Sequence:
    items = value.items
    element = value.element if items is None else join_all(list(items)) if items else UNKNOWN
    return Sequence(None, mutable=True, element=element)


def _may_change(
    machine: Machine, callee: Value, result: Value, given: tuple[int, str | None]
) -> bool:
    """Whether a call may change the list that it is handed in a place, or by a keyword."""
    if type(callee) is Imported:
        callee = machine.resolved(callee)
    if type(callee) is Library:
        is_pythons = callee.path.startswith("builtins.")
        return callee.path in _KEEPERS or (type(result) is Unknown and not is_pythons)
    if type(callee) in (Unknown, Imported):
        return True
    place, keyword = given
    function, own = _run_by(callee)
    if function is None:
        return False
    parameters = function.node.params
    names = [each.name.value for each in (*parameters.posonly_params, *parameters.params)][own:]
    name = keyword if keyword is not None else names[place] if place < len(names) else None
    return name is not None and name in set(_changed_in(function.node.body))


def _run_by(callee: Value) -> tuple[Function | None, int]:
    """The function that a call runs, and how many of its parameters are bound already."""
    if type(callee) is Function:
        return callee, 0
    if type(callee) is Method:
        return callee.function, 1
    found = callee.lookup("__init__") if type(callee) is Class else None
    return (found, 1) if type(found) is Function else (None, 0)


def _changed_in(body: cst.CSTNode) -> Iterator[str]:
    """The names whose lists a body changes: ``x.append(1)``, ``x += [1]``, ``x[0] = 1``."""
    for node in parts(body):
        if type(node) is cst.Call and type(node.func) is cst.Attribute:
            if node.func.attr.value in _CHANGES:
                yield from _named(node.func.value)
        elif type(node) is cst.AugAssign:
            yield from _named(node.target)
        elif type(node) is cst.AssignTarget and type(node.target) is cst.Subscript:
            yield from _named(node.target.value)


def _named(node: cst.CSTNode) -> Iterator[str]:
    if type(node) is cst.Name:
        yield node.value
