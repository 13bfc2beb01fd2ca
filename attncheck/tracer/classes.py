"""Classes of the checked project: their members, their bases, and the order of dataclass fields."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.graph import Place
from attncheck.tracer.blocks import simple_statements
from attncheck.tracer.functions import decorated, make_function
from attncheck.tracer.machine import MAKING, Environment, Frame, Machine
from attncheck.tree.pairs import last_name
from attncheck.values.value import UNKNOWN, Class, Value

#: Decorators that make an ``__init__`` of the fields of a class.
_FIELDED = frozenset(["dataclass", "define", "attrs", "frozen", "mutable"])


def make_class(machine: Machine, node: cst.ClassDef) -> Class:
    """Run a class body; its names are the members."""
    bases = tuple(machine.resolved(machine.evaluate(base.value)) for base in node.bases)
    outer = machine.frame.place.function
    qualified = f"{outer}.{node.name.value}" if outer else node.name.value
    members: dict[str, Value] = {}
    fields = _fields(node, bases)
    changes = list(replaced(node))
    made = Class(
        node.name.value,
        qualified,
        node,
        bases,
        members,
        fields,
        frozenset(name for name, given in changes if not given),
        frozenset(name for name, given in changes if given),
    )
    environment = Environment(machine.environment)
    frame = Frame(environment, Place(qualified, node, machine.frame.place.calls))
    methods = []
    with machine.running(frame):
        for statement in node.body.body:
            if type(statement) is cst.FunctionDef:
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
            # One that is mapped takes its object as another argument than a method does.
            known = plain or decorated(machine, method, function) is function
            members[function.name] = function if known else UNKNOWN
        machine.defined(function)
    if any(last_name(each.decorator) in _FIELDED for each in node.decorators):
        # The decorator writes one, whatever the bases have.
        members.setdefault("__init__", UNKNOWN)
    machine.classes.append(made)
    return made


def _fields(node: cst.ClassDef, bases: tuple[Value, ...]) -> tuple[str, ...]:
    """The annotated names of the bases and the class body, in order: the fields of a dataclass."""
    inherited = (name for base in bases if type(base) is Class for name in base.fields)
    names = list(inherited)
    for statement in node.body.body:
        if type(statement) is not cst.SimpleStatementLine:
            continue
        for part in statement.body:
            if type(part) is not cst.AnnAssign or _is_of_class(part.annotation.annotation):
                continue
            if type(part.target) is cst.Name:
                names.append(part.target.value)
    return tuple(dict.fromkeys(names))


def _is_of_class(annotation: cst.BaseExpression) -> bool:
    """Whether an annotation says that a name is one for all objects: ``ClassVar[int]``."""
    if type(annotation) is cst.Subscript:
        annotation = annotation.value
    return last_name(annotation) == "ClassVar"


def replaced(node: cst.ClassDef) -> Iterator[tuple[str, bool]]:
    """The attributes that methods give other values, once an object has been made.

    With each whether it is set from outside: to an argument of a ``set_`` method. Methods that
    ``__init__`` itself calls on the object are a part of making it.
    """
    methods = [each for each in node.body.body if type(each) is cst.FunctionDef]
    making = set(MAKING)
    if {"build", "call"} <= {method.name.value for method in methods}:
        # Keras' way: parameters are made when it is known what the layer is called with.
        making.add("build")
    if any(method.name.value == "__init__" for method in methods):
        # Then `setup` is no part of making the object, but somebody's method.
        making.discard("setup")
    for method in methods:
        if method.name.value in making:
            making |= set(_own_calls(method))
    for method in methods:
        own = _receiver(method)
        if method.name.value in making or own is None:
            continue
        for part in simple_statements(method.body):
            given = method.name.value.startswith("set_") and _is_argument(part, method)
            yield from (
                (name, given) for target in _targets(part) if (name := _member(target, own))
            )


def _is_argument(part: cst.CSTNode, method: cst.FunctionDef) -> bool:
    """Whether a statement assigns nothing but an argument of its method."""
    value = getattr(part, "value", None)
    names = {parameter.name.value for parameter in method.params.params[1:]}
    return type(value) is cst.Name and value.value in names


def _receiver(method: cst.FunctionDef) -> str | None:
    parameters = method.params.params
    return parameters[0].name.value if parameters else None


def _targets(part: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What a statement assigns to, the parts of tuples one by one."""
    waiting: list[cst.CSTNode] = []
    if type(part) is cst.Assign:
        waiting += [target.target for target in part.targets]
    elif type(part) is cst.AnnAssign:
        waiting.append(part.target)
    while waiting:
        target = waiting.pop()
        if isinstance(target, cst.Tuple | cst.List):
            waiting += [element.value for element in target.elements]
        else:
            yield target


def _own_calls(method: cst.FunctionDef) -> Iterator[str]:
    """The methods that a method's statements call on its own object: ``self.reset()``."""
    own = _receiver(method)
    for part in simple_statements(method.body):
        call = getattr(part, "value", None)
        if own is not None and type(call) is cst.Call and (name := _member(call.func, own)):
            yield name


def _member(node: cst.CSTNode, owner: str) -> str | None:
    """The attribute that an expression is of the name `owner`, or None."""
    if type(node) is not cst.Attribute or type(node.value) is not cst.Name:
        return None
    return node.attr.value if node.value.value == owner else None
