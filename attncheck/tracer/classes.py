"""Classes of the checked project: their members, their bases, and the order of dataclass fields."""

from __future__ import annotations

import libcst as cst

from attncheck.graph import Place
from attncheck.tracer.functions import make_function
from attncheck.tracer.machine import Environment, Frame, Machine
from attncheck.values.value import UNKNOWN, Class, Value


def make_class(machine: Machine, node: cst.ClassDef) -> Class:
    """Run a class body; its names are the members."""
    bases = tuple(machine.evaluate(base.value) for base in node.bases)
    outer = machine.frame.place.function
    qualified = f"{outer}.{node.name.value}" if outer else node.name.value
    members: dict[str, Value] = {}
    fields = _fields(node, bases)
    made = Class(node.name.value, qualified, node, bases, members, fields)
    environment = Environment(machine.environment)
    frame = Frame(environment, Place(qualified, node))
    methods = []
    with machine.running(frame):
        for statement in node.body.body:
            if isinstance(statement, cst.FunctionDef):
                # A method closes over the scope around the class, not over the class body.
                methods.append(statement)
            else:
                machine.execute([statement])
    members.update(environment.names)
    for method in methods:
        function, plain = make_function(machine, method, made)
        if function.static == "setter":
            members[f"{function.name}.setter"] = function
        else:
            members[function.name] = function if plain else UNKNOWN
        machine.defined(function)
    machine.classes.append(made)
    return made


def _fields(node: cst.ClassDef, bases: tuple[Value, ...]) -> tuple[str, ...]:
    """The annotated names of the bases and the class body, in order: the fields of a dataclass."""
    inherited = (name for base in bases if type(base) is Class for name in base.fields)
    names = list(inherited)
    for statement in node.body.body:
        if not isinstance(statement, cst.SimpleStatementLine):
            continue
        for part in statement.body:
            if isinstance(part, cst.AnnAssign) and isinstance(part.target, cst.Name):
                names.append(part.target.value)
    return tuple(dict.fromkeys(names))
