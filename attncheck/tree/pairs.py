"""Which node of the tree that libcst has parsed is which of the tree made here."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.tree.nodes import FIELDS


def is_made(module: cst.Module) -> bool:
    """Whether a module was made here, and not by libcst."""
    return not hasattr(module, "header")


def inner(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes directly inside a node."""
    names = FIELDS.get(type(node))
    if names is None:
        return list(node.children)  # a node that is never made here
    found: list[cst.CSTNode] = []
    for name in names:
        value = getattr(node, name)
        if value is None:
            continue  # nodes are slow to tell from what is none
        if type(value) in FIELDS or isinstance(value, cst.CSTNode):
            found.append(value)
        elif isinstance(value, list | tuple):
            found += value
    return found


def parts(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and all that it is made of."""
    yield node
    for child in inner(node):
        yield from parts(child)


def parameters_of(function: cst.FunctionDef | cst.Lambda) -> list[cst.Param]:
    """A function's parameters, in order, without ``*args`` and ``**kwargs``."""
    listed = function.params
    return [*listed.posonly_params, *listed.params, *listed.kwonly_params]


def parameter_names(function: cst.FunctionDef | cst.Lambda) -> list[str]:
    """The names of a function's parameters, in order, without ``*args`` and ``**kwargs``."""
    return [parameter.name.value for parameter in parameters_of(function)]


def names_within(node: cst.CSTNode) -> set[str]:
    """The names that stand anywhere in a node."""
    return {each.value for each in parts(node) if isinstance(each, cst.Name)}


def mentions(node: cst.CSTNode, name: str) -> bool:
    """Whether a name stands anywhere in an expression."""
    return any(isinstance(each, cst.Name) and each.value == name for each in parts(node))


def pairs(made: cst.CSTNode, parsed: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """Each node of a tree that was made, with the same one of the tree that was parsed.

    Raises ValueError for trees that are not the same.
    """
    waiting = [(made, parsed)]
    while waiting:
        one, other = waiting.pop()
        if type(one) is not type(other):
            raise ValueError(f"{type(one).__name__} is no {type(other).__name__}")
        yield one, other
        if type(one) in FIELDS:
            waiting += zip(inner(one), inner(other), strict=True)


def last_name(node: cst.BaseExpression) -> str:
    """The last part of a dotted name, called or not: `relu` of ``F.relu(x)``."""
    if type(node) is cst.Call:
        return last_name(node.func)
    if type(node) is cst.Attribute:
        return node.attr.value
    return node.value if type(node) is cst.Name else ""


def names_assigned(node: cst.CSTNode) -> set[str]:
    """The plain names that an assignment, or a line of them, gives a value."""
    if type(node) is cst.SimpleStatementLine:
        return set().union(*map(names_assigned, node.body))
    if type(node) is not cst.Assign:
        return set()
    targets = (each.target for each in node.targets)
    return {target.value for target in targets if type(target) is cst.Name}
