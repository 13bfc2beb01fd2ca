"""A state that a loop never carries on: each step starts from the one that the first started from.

``out, _ = decoder(word, hidden)`` with the word of the step before, and always the same ``hidden``:
the layer's new state is thrown away, and what a step knows of the past is the last word alone. What
tells a loop over time from one over independent sequences is that it carries its input on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeAlias

import libcst as cst

from attncheck.checks.reads import is_read, targets_in
from attncheck.checks.report import Culprit, Report
from attncheck.checks.runs import are_one
from attncheck.checks.states import function_of
from attncheck.checks.steps import is_update, path
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Recurrence
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.tree.pairs import names_within, parts
from attncheck.values.tensor import Tensor
from attncheck.values.value import Sequence, Value, as_tensor

_STATES = ("state", "carry")
Loop: TypeAlias = "cst.For | cst.While"


@record
class Forgotten:
    """A step whose new state is thrown away: the state that it is given, and the place for the new.

    ``thrown`` is the target that the new state is assigned to.
    """

    operation: Operation
    call: cst.Call
    given: cst.BaseExpression
    state: Tensor
    thrown: cst.BaseExpression


@record
class _Held:
    """What names hold in a function: before a call by name, and what each target was given."""

    scope: cst.CSTNode
    values: dict[str, Value]
    targets: dict[cst.CSTNode, Value]


def forgotten_states(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each step of a loop that always starts from the same state."""
    told = set[cst.CSTNode]()
    for operation in view.graph.operations:
        found = view.remembered(forgotten, operation)
        if found is None or found.call in told:
            continue
        told.add(found.call)
        given = view.quote(found.given)
        yield Report(
            rule,
            operation,
            found.call,
            f"`{view.quote(found.call)}` starts from the same `{given}` in every turn of the loop:"
            " the state that it gives is thrown away, so that no step knows more of the past than"
            " its own input; the shapes are those of the right loop, and the first step is right",
            Culprit(found.given, found.state),
            view.sizes(found.state),
            "the state that the step before has given",
            function=function_of(view, found.call),
            local=True,
        )


def forgotten(operation: Operation, view: View) -> Forgotten | None:
    """The step of a loop that an operation is, if nothing of its state is carried on."""
    call = path(operation)[0] if is_update(operation) else None
    around = () if call is None else view.source.around(call)
    loop = loop_around(around)
    assignment = next((node for node in reversed(around) if isinstance(node, cst.Assign)), None)
    if not isinstance(call, cst.Call) or loop is None or assignment is None:
        return None
    if assignment.value is not call or not _carries_input(call, loop, view):
        return None
    states = [tensor for operand, tensor in operation.tensors() if operand.name in _STATES]
    held = _held(call, around, view)
    given = _given(call, states, held)
    thrown = _thrown(assignment.targets[0].target, operation, view, held)
    if given is None or thrown is None:
        return None
    assigned = {target.value for target in assigned_in(loop)}
    kept = assigned.isdisjoint(names_within(given))
    return Forgotten(operation, call, given, states[0], thrown) if kept else None


def _held(call: cst.Call, around: tuple[cst.CSTNode, ...], view: View) -> _Held:
    """What the names of a call's function hold."""
    scope = next((node for node in around if isinstance(node, cst.FunctionDef)), around[0])
    values: dict[str, Value] = {}
    targets: dict[cst.CSTNode, Value] = {}
    for sites, _ in islice(view.sites_in(function_of(view, call)), 1):
        for site in sites:
            targets[site.node] = site.value
            if view.source.span(site.node) < view.source.span(call):
                values[site.name] = site.value
    return _Held(scope, values, targets)


def loop_around(around: tuple[cst.CSTNode, ...]) -> Loop | None:
    """The innermost loop around an expression, in its own function."""
    for node in reversed(around):
        if isinstance(node, cst.For | cst.While):
            return node
        if isinstance(node, cst.FunctionDef | cst.Lambda | cst.ClassDef):
            return None
    return None


# -- what a loop carries ---------------------------------------------------------------------------


def _carries_input(call: cst.Call, loop: Loop, view: View) -> bool:
    """Whether an argument is assigned in the loop, and only behind the call."""
    names = {name for argument in call.args for name in names_within(argument.value)}
    places: dict[str, list[cst.Name]] = {}
    for target in assigned_in(loop):
        places.setdefault(target.value, []).append(target)
    end = view.source.span(call)
    return any(
        all(view.source.span(target) > end for target in places[name])
        for name in names & places.keys()
    )


def assigned_in(loop: Loop) -> Iterator[cst.Name]:
    """The names that a loop assigns, or a part of what they hold."""
    for part in parts(loop):
        for target in _TARGETS.get(type(part), _no_targets)(part):
            yield from targets_in(target.value if isinstance(target, cst.Subscript) else target)


def _no_targets(node: cst.CSTNode) -> tuple[cst.CSTNode, ...]:
    return ()


def _changed_in_place(call: cst.Call) -> tuple[cst.CSTNode, ...]:
    """What ``state.copy_(new)`` writes to: a method whose name ends in ``_``."""
    method = call.func
    changes = isinstance(method, cst.Attribute) and method.attr.value.endswith("_")
    return (method.value,) if changes and isinstance(method, cst.Attribute) else ()


_TARGETS: dict[type, Callable[[Any], tuple[cst.CSTNode, ...]]] = {
    cst.AssignTarget: lambda node: (node.target,),
    cst.AugAssign: lambda node: (node.target,),
    cst.AnnAssign: lambda node: (node.target,),
    cst.NamedExpr: lambda node: (node.target,),
    cst.For: lambda node: (node.target,),
    cst.AsName: lambda node: (node.name,),
    cst.Call: _changed_in_place,
}


# -- states ----------------------------------------------------------------------------------------


def _given(call: cst.Call, states: list[Tensor], held: _Held) -> cst.BaseExpression | None:
    """The argument that is the state which an update starts from: a name, or a pair of names."""
    for argument in call.args:
        names = list(targets_in(argument.value))
        tensors = [each for name in names for each in _tensors(held.values.get(name.value))]
        if len(tensors) == len(states) > 0 and all(map(are_one, tensors, states)):
            return argument.value
    return None


def _thrown(
    target: cst.BaseExpression, operation: Operation, view: View, held: _Held
) -> cst.BaseExpression | None:
    """The target of a call's new state, if it is one of several and nothing reads it."""
    if not isinstance(target, cst.Tuple):
        return None
    made = [
        tensor
        for other in view.graph.operations
        if other.kind == operation.kind and path(other) == path(operation)
        for tensor in _new_states(other)
    ]
    for element in target.elements:
        names = list(targets_in(element.value))
        tensors = [each for name in names for each in _tensors(held.targets.get(name))]
        if tensors and all(tensor in made for tensor in tensors):
            unread = all(not is_read(name.value, held.scope, view) for name in names)
            return element.value if unread else None
    return None


def _new_states(update: Operation) -> list[Tensor]:
    """The states that an update gives, without a layer's output."""
    value: Value = update.output
    event = update.event
    if type(value) is Sequence and value.items and isinstance(event, Recurrence) and not event.cell:
        value = value.items[-1]
    return _tensors(value)


def _tensors(value: Value | None) -> list[Tensor]:
    """A tensor, or the tensors of a pair."""
    if type(value) is Sequence:
        return [tensor for item in value.items or () for tensor in _tensors(item)]
    tensor = None if value is None else as_tensor(value)
    return [] if tensor is None else [tensor]
