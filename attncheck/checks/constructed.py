"""Layers as a trace calls them: what each was made for, and where its constructor says so.

A layer's operation has the constructor's arguments beside the tensors of the call, each with the
expression that it was written as. From that expression come the constructor's line, the function
that it stands in, and the name that the layer was given.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attncheck.algebra.facts import Verdict
from attncheck.algebra.size import Size
from attncheck.checks.report import Sizes
from attncheck.checks.view import View
from attncheck.frameworks.lookup import find_layer
from attncheck.frameworks.spelling import LayerSpelling
from attncheck.frameworks.weights import weight_of
from attncheck.graph import Operand, Operation
from attncheck.record import record
from attncheck.values.value import Int, Layer, Sequence, Value, as_size, as_tensor

if TYPE_CHECKING:
    import libcst as cst

#: Functions that make an object: what they write is decided once for all calls.
MAKING = frozenset({"__init__", "__post_init__", "setup"})

#: What constructors call the size of what a layer puts out.
_OUTPUTS = ("out_features", "out_channels", "width")


@record
class Declared:
    """A size that a layer was made with: the argument, its constructor call, and where that is."""

    operation: Operation
    #: the argument's neutral name, ``in_features``
    name: str
    size: Size
    node: cst.CSTNode
    call: cst.Call
    #: the function that the constructor stands in, by its qualified name
    function: str
    #: what the layer was assigned to as a whole, ``self.proj``; None inside a bigger expression
    target: cst.CSTNode | None

    @property
    def is_making(self) -> bool:
        """Whether the constructor stands where an object is made, and not in a helper."""
        return self.function.rpartition(".")[2] in MAKING


def layer_of(operation: Operation) -> LayerSpelling | None:
    """The layer class whose call an operation is, or None."""
    return find_layer(operation.spelling)


def settings(operation: Operation) -> Iterator[tuple[Operand, Size]]:
    """The sizes among the arguments of a layer's constructor, in order."""
    spelling = layer_of(operation)
    if spelling is None:
        return
    names = {parameter.neutral for parameter in spelling.making.parameters}
    for operand in operation.operands:
        if operand.name in names:
            for value, node in _parts(operand):
                size = as_size(value)
                if size is not None:
                    yield Operand(operand.name, value, node), size


def _parts(operand: Operand) -> Iterator[tuple[Value, cst.CSTNode | None]]:
    """An argument, or the items of a tuple of sizes."""
    value = operand.value
    if not isinstance(value, Sequence) or value.items is None:
        yield value, operand.node
        return
    elements = getattr(operand.node, "elements", None) or [None] * len(value.items)
    for item, element in zip(value.items, elements, strict=False):
        yield item, None if element is None else element.value


def declared(view: View, operation: Operation, size: Size | None) -> Declared | None:
    """The first argument of a layer's constructor that is `size`; None if none is written here."""
    if size is None:
        return None
    for operand, given in settings(operation):
        if view.facts.compare(given, size) is Verdict.EQUAL and operand.node is not None:
            return _located(view, operation, operand, given)
    return None


def argument(view: View, operation: Operation, name: str) -> Declared | None:
    """The argument of a layer's constructor by its neutral name, or None."""
    for operand, given in settings(operation):
        if operand.name == name and operand.node is not None:
            return _located(view, operation, operand, given)
    return None


def _located(view: View, operation: Operation, operand: Operand, size: Size) -> Declared | None:
    assert operand.node is not None
    call, function, assignment = _written_in(view, operand.node)
    if call is None:
        return None
    whole = assignment is not None and assignment.value is call
    target = assignment.targets[0].target if whole and assignment is not None else None
    return Declared(operation, operand.name, size, operand.node, call, function, target)


def constructor(view: View, operation: Operation) -> tuple[cst.Call | None, str]:
    """The call that made the layer whose call an operation is, and the function it stands in.

    Of a stack of layers it is the one that made the layer.
    """
    import libcst as cst

    spelling = layer_of(operation)
    names = set() if spelling is None else {each.neutral for each in spelling.making.parameters}
    for operand in operation.operands:
        if type(operand.value) is Layer and isinstance(operand.value.node, cst.Call):
            return operand.value.node, _written_in(view, operand.value.node)[1]
        if operand.name in names and operand.node is not None:
            call, function, _ = _written_in(view, operand.node)
            if call is not None:
                return call, function
    return None, ""


def _written_in(view: View, node: cst.CSTNode) -> tuple[cst.Call | None, str, cst.Assign | None]:
    """The call that an expression is an argument of, its function, and the assignment around."""
    import libcst as cst

    around = view.source.around(node)
    calls = [outer for outer in around[:-1] if isinstance(outer, cst.Call)]
    scopes = [outer for outer in around if isinstance(outer, cst.ClassDef | cst.FunctionDef)]
    assignment = next((outer for outer in around if isinstance(outer, cst.Assign)), None)
    function = ".".join(scope.name.value for scope in scopes)
    return (calls[-1] if calls else None), function, assignment


def name_of_layer(view: View, call: cst.CSTNode) -> str | None:
    """What a layer's constructor call is assigned to as a whole: ``self.proj``; else None."""
    import libcst as cst

    around = view.source.around(call)
    assignment = around[-2] if len(around) > 1 else None
    if not isinstance(assignment, cst.Assign) or len(assignment.targets) > 1:
        return None
    return view.code(assignment.targets[0].target)


def output_size(view: View, operation: Operation) -> Declared | None:
    """The constructor's argument that is the size of what a layer puts out, or None."""
    found = (argument(view, operation, name) for name in _OUTPUTS)
    return next(filter(None, found), None)


def weight_sizes(view: View, made: Declared, size: Size | None = None) -> tuple[str, Sizes] | None:
    """The first weight of a layer that has a declared size, by its name, and its sizes.

    They are those that the weight would have with `size` in the place of the declared one.
    """
    spelling = layer_of(made.operation)
    if spelling is None or made.target is None or made.name not in spelling.sizes:
        return None
    given: dict[str, Value] = {
        operand.name: operand.value for operand in made.operation.operands if operand.name
    }
    if size is not None:
        given[made.name] = Int(size)
    for name, text in spelling.weights.items():
        tensor = weight_of(spelling, name, given, view.facts) if made.name in text else None
        sizes = None if tensor is None else view.sizes(as_tensor(tensor))
        if sizes is not None:
            return f"{view.code(made.target)}.{name}", sizes
    return None


def name_of(view: View, made: Declared) -> str:
    """A layer as it is written: ``self.proj``, or its constructor call if it has no name."""
    return view.quote(made.call if made.target is None else made.target)
