"""What a method of a tensor gives, let go: ``hidden.index_select(1, parents)`` as a statement.

Without an underscore at its end a method of torch gives a new tensor and leaves its own as it is:
what is read afterwards has not been picked or moved. NumPy's do the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Final

import libcst as cst

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.evidence.wording import words
from attncheck.graph import Operation
from attncheck.rule import Rule
from attncheck.tree.pairs import names_assigned, parts
from attncheck.values.tensor import UNKNOWN_TENSOR
from attncheck.values.value import as_tensor

#: Methods that pick some elements, or put them in another order.
PICKING: Final = words("index_select gather flip roll narrow take_along_dim")
#: Methods that put axes in another order.
TURNING: Final = words("transpose permute swapaxes swapdims movedim moveaxis t")
#: Methods that give another number of axes, or axes of other sizes.
SHAPING: Final = words(
    "view reshape unsqueeze squeeze flatten unflatten expand repeat view_as reshape_as"
)
#: Those that nothing else than a tensor has; a panel may be told to ``expand``.
_OF_TENSORS: Final = words(
    "index_select take_along_dim permute swapaxes swapdims movedim moveaxis unsqueeze unflatten"
    " view_as reshape_as"
)
#: Statements that are there for the call alone: that it raises, or how long it takes.
_WATCHED: Final = re.compile(r"rais|warn|time|profil|bench|assert", re.IGNORECASE)


def dropped_results(rule: Rule, view: View, methods: Collection[str]) -> Iterator[Report]:
    """The reports of results of these methods that nobody keeps, of tensors that are read later."""
    for operation in view.graph.operations:
        name = None if operation.elsewhere else view.remembered(dropped_from, operation)
        if name is None or _method(operation) not in methods:
            continue
        receiver = operation.operands[0]
        tensor = as_tensor(receiver.value) or UNKNOWN_TENSOR
        if receiver.node is None:
            continue
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` gives a new tensor, and nothing keeps it: `{name}`"
            " stays as it was, and is read so afterwards",
            Culprit(receiver.node, tensor),
            view.sizes(as_tensor(operation.output)),
            f"what this gives, under the name `{name}`",
            local=True,
        )


def dropped_from(operation: Operation, view: View) -> str | None:
    """The name of a tensor whose method gives what is dropped, if it is read after that."""
    if not operation.place.function or not is_alone(operation, _ALL):
        return None  # a cell of a notebook shows what stands alone in it
    function = getattr(operation.node, "func", None)
    receiver = getattr(function, "value", None)
    if not isinstance(receiver, cst.Name) or _is_watched(operation, view):
        return None
    shape = view.shape(as_tensor(operation.operands[0].value))
    if _method(operation) not in _OF_TENSORS and (shape is None or not shape.closed):
        return None
    return receiver.value if _is_read_after(receiver.value, operation, view) else None


def is_alone(operation: Operation, methods: Collection[str]) -> bool:
    """Whether a call is a statement by itself, of a function that changes nothing in place."""
    node, alone = operation.node, getattr(operation.statement, "body", ())
    if not isinstance(node, cst.Call):
        return False
    if not any(type(part) is cst.Expr and part.value is node for part in alone):
        return False
    return _method(operation) in methods and not any(
        each.keyword is not None and each.keyword.value == "out" for each in node.args
    )


_ALL: Final = PICKING | TURNING | SHAPING


def _method(operation: Operation) -> str:
    """What a call calls, without what stands before it."""
    function = getattr(operation.node, "func", None)
    name: str = getattr(getattr(function, "attr", function), "value", "")
    return name


def _is_watched(operation: Operation, view: View) -> bool:
    """Whether a call stands where it is tried, or where its time is taken."""
    if _WATCHED.search(operation.place.function):
        return True
    around = view.source.around(operation.node)
    return any(
        isinstance(outer, cst.Try)
        or (
            isinstance(outer, cst.With)
            and any(_WATCHED.search(view.code(item.item)) for item in outer.items)
        )
        for outer in around
    )


def _is_read_after(name: str, operation: Operation, view: View) -> bool:
    """Whether a name is read behind a statement, before it is given another value."""
    around = view.source.around(operation.node)
    for outer, inner in reversed(list(pairwise(around))):
        if isinstance(outer, cst.FunctionDef | cst.Lambda):
            return False
        body = getattr(outer, "body", ())
        if isinstance(outer, cst.IndentedBlock | cst.Module) and inner in body:
            place = list(body).index(inner)
            known = _first_use(name, body[place + 1 :])
            if known is not None:
                return known
        if isinstance(outer, cst.For | cst.While) and inner is outer.body:
            block = [each for each in outer.body.body if operation.statement is not each]
            known = _first_use(name, block)
            if known is not None:
                return known
    return False


def _first_use(name: str, statements: Collection[cst.CSTNode]) -> bool | None:
    """Whether the first of some statements with a name reads it; None if none has it."""
    for statement in statements:
        nodes = list(parts(statement))
        mentioned = sum(isinstance(node, cst.Name) and node.value == name for node in nodes)
        written = sum(name in names_assigned(node) for node in nodes if type(node) is cst.Assign)
        if mentioned:
            return mentioned > written
    return None
