"""Stacks of layers of which only the last one counts: each starts from the input of the first.

``for layer in self.layers: out = layer(x)`` runs all layers on the same `x` and keeps what the last
one gives. The shapes are those of the right loop; the other layers are computed for nothing, and
never get a gradient.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.carried_states import assigned_in
from attncheck.checks.reads import is_read, targets_in
from attncheck.checks.report import Culprit, Report
from attncheck.checks.states import function_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.tree.pairs import inner, names_within, parts
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

#: What may keep a result, or make that of an earlier turn the last one.
_LEAVING = (cst.Break, cst.Continue, cst.Return, cst.Yield, cst.If, cst.Try)


@record
class Restarted:
    """The call of a layer in a loop: what it is given in every turn, and the name of what it gives.

    ``operation`` is one that the call leads to, and ``tensor`` what is given.
    """

    call: cst.Call
    given: cst.Name
    name: cst.Name
    operation: Operation
    tensor: Tensor


def restarted_stacks(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each stack of layers that all start from one tensor."""
    for found in view.once(restarted):
        given, name = found.given.value, found.name.value
        yield Report(
            rule,
            found.operation,
            found.call,
            f"`{view.quote(found.call)}` starts from the same `{given}` in every turn of the loop,"
            f" and `{name}` keeps what the last layer gives: the layers before it are computed for"
            " nothing and never learn; the shapes are those of the right loop, so nothing raises",
            Culprit(found.given, found.tensor),
            view.sizes(found.tensor),
            "what the layer before has given",
            function=function_of(view, found.call),
            local=True,
        )


def restarted(view: View) -> list[Restarted]:
    """The calls of layers of the traced function that forget what the layer before has made."""
    function = view.traced.function
    if function is None:
        return []
    found = (_in_loop(loop, view) for loop in _loops(function.node))
    return [each for each in found if each is not None]


def _loops(node: cst.CSTNode) -> Iterator[cst.For]:
    """The loops within a node, which stand in blocks only."""
    for child in inner(node):
        if isinstance(child, cst.For):
            yield child
        if not isinstance(child, cst.SimpleStatementLine | cst.BaseExpression):
            yield from _loops(child)


def _in_loop(loop: cst.For, view: View) -> Restarted | None:
    """The one call of a layer by the turn of a loop, if nothing goes on to the next turn."""
    leaves = any(isinstance(node, _LEAVING) for node in parts(loop.body))
    if loop.orelse is not None or leaves:
        return None
    turns = {name.value for name in targets_in(loop.target)}
    for line in loop.body.body:
        assignment = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
        if not isinstance(assignment, cst.Assign) or len(assignment.targets) != 1:
            continue
        name, call = assignment.targets[0].target, assignment.value
        if not isinstance(name, cst.Name) or not isinstance(call, cst.Call) or not call.args:
            continue
        given = call.args[0].value
        if not isinstance(given, cst.Name) or not _is_by_turn(call.func, turns):
            continue
        if given.value in {target.value for target in assigned_in(loop)} or is_read(
            name.value, loop.body, view
        ):
            continue
        if name.value in names_within(call):
            continue  # it goes on beside what is given: ``memory = layer(query, memory)``
        return _made(call, given, name, view)
    return None


def _is_by_turn(called: cst.BaseExpression, turns: set[str]) -> bool:
    """Whether what is called is another layer in each turn: ``layer``, ``self.layers[i]``."""
    if isinstance(called, cst.Name):
        return called.value in turns
    if not isinstance(called, cst.Subscript):
        return False
    return any(names_within(each) & turns for each in called.slice)


def _made(call: cst.Call, given: cst.Name, name: cst.Name, view: View) -> Restarted | None:
    """The call with what was traced of it, if its result has the shape of what it is given."""
    leads = (
        made
        for made in view.graph.operations
        if made.node is call or (made.place.calls and made.place.calls[0].node is call)
    )
    operation = next(leads, None)
    before, after = (_held(each, call, view) for each in (given, name))
    if operation is None or before is None or after is None:
        return None
    own, other = view.sizes(before), view.sizes(after)
    alike = own is not None and other is not None and len(own) == len(other)
    if not alike or own is None or other is None or not all(map(view.equal, own, other)):
        return None
    return Restarted(call, given, name, operation, before)


def _held(name: cst.Name, call: cst.Call, view: View) -> Tensor | None:
    """What a name was given last in the function of a call, up to the call's line."""
    found: Tensor | None = None
    for site in view.traced.sites:
        if site.name == name.value and view.line(site.node) <= view.line(call):
            found = as_tensor(site.value) or found
    return found
