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
from attncheck.values.value import Int, Sequence, Value, as_size, as_tensor

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
    import libcst as cst

    assert operand.node is not None
    around = view.source.around(operand.node)
    calls = [node for node in around[:-1] if isinstance(node, cst.Call)]
    if not calls:
        return None
    scopes = [node for node in around if isinstance(node, cst.ClassDef | cst.FunctionDef)]
    assignment = next((node for node in around if isinstance(node, cst.Assign)), None)
    whole = assignment is not None and assignment.value is calls[-1]
    target = assignment.targets[0].target if whole and assignment is not None else None
    return Declared(
        operation,
        operand.name,
        size,
        operand.node,
        calls[-1],
        ".".join(node.name.value for node in scopes),
        target,
    )


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
