"""Statements: what each does to names, facts and the flow of control, in a table by node type."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from attncheck.record import replace
from attncheck.tracer import conditions, defaults, guards, loops
from attncheck.tracer.arithmetic import TOKENS, combine
from attncheck.tracer.branches import join_names, run_ways, with_found_axes
from attncheck.tracer.classes import make_class
from attncheck.tracer.functions import decorated, make_function
from attncheck.tracer.imports import run_import, run_import_from
from attncheck.tracer.machine import Executor, Exit, Machine
from attncheck.tracer.naming import settle
from attncheck.tracer.patterns import captured
from attncheck.tracer.steps import as_step
from attncheck.tracer.targets import assign, delete
from attncheck.values.join import without_none
from attncheck.values.tensor import Tensor
from attncheck.values.value import NONE, UNKNOWN, Sequence, Unknown, Value


def _line(machine: Machine, node: cst.SimpleStatementLine) -> Exit:
    machine.step()
    machine.statement = node
    return machine.execute(node.body)


def _suite(machine: Machine, node: cst.SimpleStatementSuite | cst.IndentedBlock) -> Exit:
    return machine.execute(node.body)


def _expression(machine: Machine, node: cst.Expr) -> Exit:
    machine.evaluate(node.value)
    return None


def _assign(machine: Machine, node: cst.Assign) -> Exit:
    value = as_step(machine, node, machine.evaluate(node.value))
    if len(node.targets) > 1 and type(value) is Sequence and value.mutable:
        # What is appended under one name is not seen under the other.
        value = Sequence(None, True)
    value = _one_for_all(machine, node, value)
    for target in node.targets:
        assign(machine, target.target, value, node.value)
    return None


def _one_for_all(machine: Machine, node: cst.Assign, value: Value) -> Value:
    """``a = b = f(x)``: what nobody knows of the value has one name, whichever variable is read."""
    names = [each.target.value for each in node.targets if type(each.target) is cst.Name]
    shapeless = type(value) is Tensor and value.shape is None
    return settle(machine, names[0], value) if len(names) > 1 and not shapeless else value


def _annotated(machine: Machine, node: cst.AnnAssign) -> Exit:
    if node.value is None:
        return None
    value = machine.evaluate(node.value)
    annotated = machine.evidence.annotated(node.annotation.annotation, value)
    assign(machine, node.target, value if annotated is None else annotated, node.value)
    return None


def _augmented(machine: Machine, node: cst.AugAssign) -> Exit:
    token = TOKENS.get(type(node.operator).__name__)
    left, right = machine.evaluate(node.target), machine.evaluate(node.value)
    value: Value = UNKNOWN
    if token is not None:
        value = combine(machine, token, left, right, node, (node.target, node.value))
    assign(machine, node.target, value)
    return None


def _return(machine: Machine, node: cst.Return) -> Exit:
    value = NONE if node.value is None else machine.evaluate(node.value)
    listed = node.value.elements if type(node.value) is cst.Tuple else ()
    if machine.frame.function is not None and machine.evidence.loose:
        value = _settled(machine, machine.frame.function.name, value, len(listed))
    machine.frame.returned.append(with_found_axes(machine, value))
    if type(node.value) is cst.Tuple:
        items = value.items if type(value) is Sequence else None
        parts = items if items is not None and len(items) == len(listed) else None
        for element, part in zip(listed, parts or (UNKNOWN,) * len(listed), strict=True):
            machine.show("return", element.value, part)
    elif node.value is not None:
        machine.show("return", node.value, value)
    return "return"


def _settled(machine: Machine, name: str, value: Value, count: int) -> Value:
    """What a function returns, in `count` parts, with a symbol for each size nobody knows."""
    value = settle(machine, name, value)
    if type(value) is not Sequence or value.items is None or len(value.items) != count:
        return value
    parts = (settle(machine, f"{name}_{i}", part) for i, part in enumerate(value.items))
    return replace(value, items=tuple(parts))


def _raise(machine: Machine, node: cst.Raise) -> Exit:
    return "raise"


def _break(machine: Machine, node: cst.Break) -> Exit:
    return "break"


def _continue(machine: Machine, node: cst.Continue) -> Exit:
    return "continue"


def _assert(machine: Machine, node: cst.Assert) -> Exit:
    known = conditions.truth(machine.evaluate(node.test))
    if known is False and machine.supposing:
        # It is another branch that is taken here.
        return "raise"
    guards.guarded_assert(machine, node)
    conditions.learn(machine, node.test, True)
    return None


def _if(machine: Machine, node: cst.If) -> Exit:
    machine.step()
    guards.guarded_if(machine, node)
    known = conditions.truth(machine.evaluate(node.test))

    def otherwise() -> Exit:
        return None if node.orelse is None else _else(machine, node.orelse)

    if known is not None:
        if known:
            conditions.learn(machine, node.test, True)
            return machine.execute(node.body.body)
        return otherwise()

    asked = defaults.absence_test(machine, node.test)
    name = asked[0].value if asked is not None and type(asked[0]) is cst.Name else None
    before = None if name is None else machine.environment.names.get(name)
    ends: list[Value | None] = []

    def way(side: bool, run: Callable[[], Exit]) -> Callable[[], Exit]:
        def go() -> Exit:
            conditions.learn(machine, node.test, side)
            left = run()
            ends.append(machine.environment.names.get(name) if name and left is None else None)
            return left

        return go

    body = node.body.body
    left = run_ways(machine, [way(True, lambda: machine.execute(body)), way(False, otherwise)])
    if asked is not None and name is not None and before is not None:
        default, kept = ends if asked[1] else ends[::-1]
        if default is not None and kept is not None and kept == without_none(before):
            defaults.replaced(machine, name, kept, default)
    return left


def _else(machine: Machine, node: cst.If | cst.Else) -> Exit:
    return _if(machine, node) if type(node) is cst.If else machine.execute(node.body.body)


def _try(machine: Machine, node: cst.Try | cst.TryStar) -> Exit:
    tried: dict[str, Value] = {}

    def body() -> Exit:
        left = machine.execute(node.body.body)
        tried.update(machine.environment.names)
        if left is None and node.orelse is not None:
            left = machine.execute(node.orelse.body.body)
        return left

    def handler(each: cst.ExceptHandler | cst.ExceptStarHandler) -> Callable[[], Exit]:
        def run() -> Exit:
            # The body may have been left before or after any of its assignments.
            machine.environment.names = join_names([machine.environment.names, tried])
            if each.name is not None:
                assign(machine, each.name.name, UNKNOWN)
            return machine.execute(each.body.body)

        return run

    left = run_ways(machine, [body, *map(handler, node.handlers)])
    if node.finalbody is not None:
        final = machine.execute(node.finalbody.body.body)
        left = final if final is not None else left
    return left


def _with(machine: Machine, node: cst.With) -> Exit:
    for item in node.items:
        value = machine.evaluate(item.item)
        if item.asname is not None:
            assign(machine, item.asname.name, value if isinstance(value, Unknown) else UNKNOWN)
    return machine.execute(node.body.body)


def _match(machine: Machine, node: cst.Match) -> Exit:
    machine.evaluate(node.subject)

    def case(each: cst.MatchCase) -> Callable[[], Exit]:
        def run() -> Exit:
            for name in captured(each.pattern):
                assign(machine, name, UNKNOWN)
            return machine.execute(each.body.body)

        return run

    return run_ways(machine, [*map(case, node.cases), lambda: None])


def _delete(machine: Machine, node: cst.Del) -> Exit:
    target = node.target
    parts = target.elements if isinstance(target, cst.Tuple | cst.List) else ()
    for each in [part.value for part in parts] or [target]:
        delete(machine, each)
    return None


def _function(machine: Machine, node: cst.FunctionDef) -> Exit:
    function, plain = make_function(machine, node)
    machine.defined(function)
    machine.environment.assign(
        node.name.value, function if plain else decorated(machine, node, function)
    )
    return None


def _class(machine: Machine, node: cst.ClassDef) -> Exit:
    made = make_class(machine, node)
    machine.environment.assign(node.name.value, made)
    return None


def _elsewhere(machine: Machine, node: cst.Global | cst.Nonlocal) -> Exit:
    machine.environment.elsewhere.update(item.name.value for item in node.names)
    return None


STATEMENTS: dict[type, Executor] = {
    cst.SimpleStatementLine: _line,
    cst.SimpleStatementSuite: _suite,
    cst.IndentedBlock: _suite,
    cst.Expr: _expression,
    cst.Assign: _assign,
    cst.AnnAssign: _annotated,
    cst.AugAssign: _augmented,
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Del: _delete,
    cst.Break: _break,
    cst.Continue: _continue,
    cst.Assert: _assert,
    cst.If: _if,
    cst.For: loops.run_for,
    cst.While: loops.run_while,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.With: _with,
    cst.Match: _match,
    cst.FunctionDef: _function,
    cst.ClassDef: _class,
    cst.Import: run_import,
    cst.ImportFrom: run_import_from,
    cst.Global: _elsewhere,
    cst.Nonlocal: _elsewhere,
}
