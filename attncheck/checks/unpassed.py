"""Arguments of a constructor that it does not pass on to the part that is made with them.

``Block(320, context_dim=768)`` makes ``CrossAttention(query_dim=dim)`` and forgets `context_dim`:
the attention falls back on its default, and its layers refuse the context. Neither the layers nor
the call is to blame, but the line that makes the part.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.constructed import declared, name_of
from attncheck.checks.constructions import is_used
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Fault
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.tracer.machine import ShapeSite
from attncheck.tree.pairs import parameter_names, parts
from attncheck.values.value import as_size

_MAKING = "__init__"


@record
class Unpassed:
    """A constructor's argument that nothing is made with: its name, and the part it belongs to.

    ``call`` makes the part, in the ``function`` that has the argument.
    """

    name: str
    call: cst.Call
    function: str


def unpassed_argument(operation: Operation, view: View) -> Unpassed | None:
    """The argument of the size that a layer is given, which its maker has and does not pass on."""
    clash = operation.clash
    number = None if clash is None or clash.left is None else clash.left.evaluate()
    if clash is None or clash.fault is not Fault.FEATURES or number is None:
        return None
    for caller in reversed(operation.place.calls):
        made = _making(caller.node, view)
        if made is None:
            continue
        call, maker, owner = made
        function = f"{owner}.{_MAKING}"
        for name in _idle(maker):
            runs = view.constructions(function)
            if any(_number(name, sites) == number for sites in runs) and _takes(call, name, view):
                return Unpassed(name, call, function)
    return None


def unpassed(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """The report that the line that makes a part is to blame; one for all layers of the part."""
    found = view.remembered(unpassed_argument, operation)
    clash = operation.clash
    operand, tensor = next(operation.tensors(), (None, None))
    if found is None or clash is None or operand is None or tensor is None:
        return
    made = None if clash.right is None else declared(view, operation, clash.right)
    layer = view.quote(operation.node) if made is None else name_of(view, made)
    yield Report(
        rule,
        operation,
        found.call,
        f"`{layer}` is made for {clash.right} features, but is given {clash.left}:"
        f" `{view.quote(found.call)}` is to blame, which is not given the `{found.name}` of"
        f" {clash.left}; nothing else is made with it",
        None if operand.node is None else Culprit(operand.node, tensor),
        view.sizes(tensor),
        f"as it is, with `{layer}` made for it",
        function=found.function,
    )


def _making(node: cst.CSTNode, view: View) -> tuple[cst.Call, cst.FunctionDef, str] | None:
    """Where ``self.part``, which is called, was made: the call, the constructor, and its class."""
    called = node.func if isinstance(node, cst.Call) else None
    if not isinstance(called, cst.Attribute) or not isinstance(called.value, cst.Name):
        return None
    owner = next(
        (o for o in reversed(view.source.around(node)) if isinstance(o, cst.ClassDef)), None
    )
    maker = None if owner is None else _method(owner, _MAKING)
    if owner is None or maker is None:
        return None
    for each in parts(maker.body):
        if isinstance(each, cst.Assign) and isinstance(each.value, cst.Call):
            targets = (target.target for target in each.targets)
            if any(view.code(target) == view.code(called) for target in targets):
                return each.value, maker, owner.name.value
    return None


def _method(owner: cst.ClassDef, name: str) -> cst.FunctionDef | None:
    found = (each for each in owner.body.body if isinstance(each, cst.FunctionDef))
    return next((each for each in found if each.name.value == name), None)


def _idle(maker: cst.FunctionDef) -> Iterator[str]:
    """The arguments of a constructor that it makes nothing with."""
    for name in parameter_names(maker)[1:]:
        if not is_used(maker.body, name):
            yield name


def _number(name: str, sites: list[ShapeSite]) -> int | None:
    """The number that an argument has in one run of a constructor."""
    sizes = (as_size(site.value) for site in sites if site.name == name)
    size = next(sizes, None)
    return None if size is None else size.evaluate()


def _takes(call: cst.Call, name: str, view: View) -> bool:
    """Whether what a call makes an object of has such an argument, and is not given it."""
    if any(each.keyword is not None and each.keyword.value == name for each in call.args):
        return False
    classes = (each for each in view.source.module.body if isinstance(each, cst.ClassDef))
    owner = next((each for each in classes if each.name.value == view.code(call.func)), None)
    maker = None if owner is None else _method(owner, _MAKING)
    if maker is None:
        return False
    given = sum(each.keyword is None for each in call.args)
    return name in parameter_names(maker)[1:][given:]
