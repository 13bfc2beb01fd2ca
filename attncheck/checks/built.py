"""Where a module was given the size that one of its layers is made with.

``self.second = Attention(hidden, hidden, heads)``: the layer inside is made for whatever the module
is told, and works in other modules of the class. What is wrong is what this one was told.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.constructed import Declared
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.record import replace
from attncheck.tree.pairs import parts

_MAKING = "__init__"


def told_outside(view: View, operation: Operation, made: Declared | None) -> Declared | None:
    """The argument that a module was made with, which its layer takes as it is; None if unseen."""
    if made is None or not isinstance(made.node, cst.Name) or not operation.place.calls:
        return None
    inner, _, method = made.function.rpartition(".")
    call = operation.place.calls[-1]
    outer = call.place.function.rpartition(".")[0]
    module = _called_module(call.node)
    if method != _MAKING or module is None or not outer or outer == inner:
        return None
    making, own = _maker(view, inner), _maker(view, outer)
    if making is None or own is None or not _is_input_size(making, made.node.value):
        return None
    built = [
        value
        for target, value in _assigned(own)
        if target.attr.value == module.attr.value and _makes(value, inner)
    ]
    if len(built) != 1:
        return None
    (value,) = built
    given = _argument(value, making, made.node.value)
    if given is None:
        return None
    return replace(made, node=given, call=value, function=f"{outer}.{_MAKING}", target=None)


def _called_module(node: cst.CSTNode) -> cst.Attribute | None:
    """``self.second`` of ``self.second(x)``."""
    callee = node.func if isinstance(node, cst.Call) else None
    own = isinstance(callee, cst.Attribute) and isinstance(callee.value, cst.Name)
    return callee if isinstance(callee, cst.Attribute) and own else None


def _maker(view: View, name: str) -> cst.FunctionDef | None:
    """The ``__init__`` of a class of the file."""
    for node in view.source.module.body:
        if isinstance(node, cst.ClassDef) and node.name.value == name:
            methods = (each for each in node.body.body if isinstance(each, cst.FunctionDef))
            return next((each for each in methods if each.name.value == _MAKING), None)
    return None


def _assigned(making: cst.FunctionDef) -> Iterator[tuple[cst.Attribute, cst.Call]]:
    """What calls give to attributes in a constructor."""
    for node in parts(making):
        if isinstance(node, cst.Assign) and len(node.targets) == 1:
            target, value = node.targets[0].target, node.value
            if isinstance(target, cst.Attribute) and isinstance(value, cst.Call):
                yield target, value


def _is_input_size(making: cst.FunctionDef, name: str) -> bool:
    """Whether a constructor takes a size for nothing but what its layers are given.

    Where another layer gives that size, the module cannot simply be told another one.
    """
    inner = list(parts(making.body))
    mentions = [part for part in inner if _is_name(part, name)]
    inputs = [part.args[0].value for part in inner if isinstance(part, cst.Call) and part.args]
    return all(any(each is first for first in inputs) for each in mentions)


def _is_name(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _makes(call: cst.Call, name: str) -> bool:
    return isinstance(call.func, cst.Name) and call.func.value == name


def _argument(call: cst.Call, making: cst.FunctionDef, name: str) -> cst.BaseExpression | None:
    """What a call gives to a parameter of a constructor, by keyword or by its place."""
    if any(argument.star for argument in call.args):
        return None
    names = [each.name.value for each in making.params.params][1:]
    for place, argument in enumerate(call.args):
        keyword = argument.keyword
        if keyword is None and names[place : place + 1] == [name]:
            return argument.value
        if keyword is not None and keyword.value == name:
            return argument.value
    return None
