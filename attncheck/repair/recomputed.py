"""An expression of an earlier line that may be written again where its name is used.

``w = softmax(scores)`` and, some lines further, ``w * mask``: there ``softmax`` of other scores can
stand instead, if all that it is made of is still what it was.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import libcst as cst

from attncheck.checks.view import View
from attncheck.record import record
from attncheck.tree.pairs import names_within, parts

#: Statements and expressions that give names other values.
_GIVING = (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.NamedExpr, cst.For, cst.CompFor)


@record
class Earlier:
    """What a name was assigned, and the names that have got other values before it is used."""

    value: cst.BaseExpression
    changed: frozenset[str]
    #: whether the name still has that value where it is used
    kept: bool
    #: whether the use stands in the same block, so that it runs whenever the assignment has
    always: bool

    def is_still(self, node: cst.CSTNode) -> bool:
        """Whether an expression has one value where the name is assigned and where it is used."""
        return self.changed.isdisjoint(names_within(node))


def assigned_earlier(name: cst.CSTNode, part: cst.CSTNode, view: View) -> Earlier | None:
    """What a plain name was assigned, where that holds a `part` and comes before the name's use."""
    around = view.source.around(part)
    place = next((at for at, outer in enumerate(around) if isinstance(outer, cst.Assign)), None)
    if place is None or not isinstance(name, cst.Name):
        return None
    assignment = around[place]
    assert isinstance(assignment, cst.Assign)
    targets = [each.target for each in assignment.targets]
    if len(targets) != 1 or view.code(targets[0]) != name.value:
        return None
    if not isinstance(around[place - 2], cst.IndentedBlock | cst.Module):
        return None
    later = view.source.around(name)
    inside = later[place - 1 :]
    first, last = view.line(assignment), view.line(name)
    if later[: place - 1] != around[: place - 1] or first >= last:
        return None
    outer = [each for each in inside if isinstance(each, cst.BaseCompoundStatement)]
    if not all(isinstance(each, cst.If) for each in outer):
        return None  # a loop may run with what the end of its body has changed
    changed = frozenset(_changed(around[place - 2], view, first, last))
    kept = name.value not in _changed(around[place - 2], view, first + 1, last)
    return Earlier(assignment.value, changed, kept, not outer)


def last_assigned(name: cst.CSTNode, view: View) -> cst.BaseExpression | None:
    """What the statement before the use of a plain name assigns that gives it its value, or None.

    None as well where a branch or a loop may have given it another one.
    """
    if not isinstance(name, cst.Name):
        return None
    for block, statement in reversed(list(itertools.pairwise(view.source.around(name)))):
        if isinstance(block, cst.For | cst.While | cst.FunctionDef | cst.Lambda | cst.BaseComp):
            return None  # it may come from outside, or from the end of a loop's body
        if not isinstance(block, cst.IndentedBlock | cst.Module):
            continue
        for earlier in reversed(block.body[: block.body.index(statement)]):
            giving = [part for part in parts(earlier) if isinstance(part, _GIVING)]
            if any(name.value in names_within(part.target) for part in giving):
                return _plainly(earlier, name.value)
    return None


def _plainly(statement: cst.CSTNode, name: str) -> cst.BaseExpression | None:
    """What a statement assigns to a name and to nothing else, or None."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    (only,) = statement.body
    if not isinstance(only, cst.Assign) or len(only.targets) != 1:
        return None
    target = only.targets[0].target
    return only.value if isinstance(target, cst.Name) and target.value == name else None


def _changed(block: cst.CSTNode, view: View, first: int, last: int) -> Iterator[str]:
    """The names that lines of a block, from the first to before the last, may give other values."""
    for node in parts(block):
        written: cst.CSTNode | None = None
        if isinstance(node, _GIVING):
            written = node.target
        elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            in_place = node.func.attr.value.endswith("_")
            written = node.func.value if in_place else None
        if written is not None and first <= view.line(written) < last:
            yield from names_within(written)
